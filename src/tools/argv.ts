// What stands outside quotes in a word: nothing that any shell takes for more than a letter.
const PLAIN = String.raw`[\p{L}\p{N}_./:@+,=-]`;
// Inside quotes: no expansion, no escape, no line break.
const SINGLE = String.raw`'[^'\n\r]*'`;
const DOUBLE = String.raw`"[^"$\x60\\!\n\r]*"`;

const WORD = new RegExp(`(?:${PLAIN}|${SINGLE}|${DOUBLE})+`, 'uy');

/**
 * The words of a command line that is one plain command: no operator, redirection, expansion,
 * assignment, pattern, comment, escape or line break. Undefined for anything else: what such a line
 * does cannot be told from its words.
 */
export function parseArgv(line: string): string[] | undefined {
  const text = line.replace(/^[ \t]+|[ \t]+$/g, '');
  const words: string[] = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) {
    const at = WORD.lastIndex;
    const word = WORD.exec(text)?.[0];
    if (word === undefined) return undefined;
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
    const gap = /[ \t]*/y;
    gap.lastIndex = at + word.length;
    const space = gap.exec(text)?.[0] ?? '';
    if (space === '' && gap.lastIndex < text.length) return undefined;
    WORD.lastIndex = at + word.length + space.length;
  }
  const [program = ''] = words;
  // `=ls` is a program's path in one shell, `a=b` an assignment in all of them.
  if (program === '' || program.includes('=') || words.some((word) => word.startsWith('='))) {
    return undefined;
  }
  return words;
}

/** A command line as a permission can name it. */
export interface NamedCommand {
  /** The words it begins with. */
  argv: string[];
  /** Whether more words may follow. */
  open: boolean;
}

// Programs whose first word says what they do, with what follows as its particulars.
const WITH_SUBCOMMAND = new Set(
  `apt brew bun bundle cargo cmake composer dotnet gem gh git go gradle hg jj just make mvn nix npm
  pip pip3 pnpm poetry rake rustup svn swift task terraform uv yarn`.split(/\s+/),
);

// Subcommands after which anything can follow: a script, a program, a setting that names one.
const CARRIERS = new Set(
  'bisect config difftool dlx exec filter-branch foreach rebase run submodule tool x'.split(' '),
);

/**
 * What "for this session" means for a command: program and subcommand, where the program has such,
 * with anything after it; else just these words. A program alone names nothing more than itself.
 */
export function toNamedCommand(argv: readonly string[]): NamedCommand {
  const [program = '', subcommand = ''] = argv;
  // An option in the second place can be anything: `git -c`, `make -f`.
  const named = /^[\p{L}\p{N}][\p{L}\p{N}:_-]*$/u.test(subcommand) && !CARRIERS.has(subcommand);
  if (WITH_SUBCOMMAND.has(program) && named) return { argv: [program, subcommand], open: true };
  return { argv: [...argv], open: false };
}

/** Whether `argv` is the command that was named. */
export function isNamed(argv: readonly string[], named: NamedCommand): boolean {
  if (!named.open && argv.length !== named.argv.length) return false;
  return named.argv.every((word, index) => argv[index] === word);
}
