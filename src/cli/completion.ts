import type { Command } from 'commander';
import { type Place, toPlaces, type Value } from './completion_places.ts';

/** The shells that can complete. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** A shell of `SHELLS`. */
export type Shell = (typeof SHELLS)[number];

/**
 * The completion script for a shell. It holds all commands and options, so that no process is
 * started for them; only session ids are asked for, from `planfold sessions list`.
 */
export function toCompletion(program: Command, shell: Shell): string {
  const places = toPlaces(program);
  switch (shell) {
    case 'bash':
      return toBash(places);
    case 'zsh':
      return toZsh(places);
    case 'fish':
      return toFish(places);
  }
}

// Nothing but the ids gets through, whatever a title says.
const LIST = 'command planfold sessions list 2>/dev/null';
const ID = '([0-9a-z]+-[0-9a-f]+)';

// Also for the old bash of macOS. Where nothing is offered, files are.
function toBash(places: readonly Place[]): string {
  return `\
# Completion of planfold for bash: source <(planfold completion bash)
_planfold_sessions() { ${LIST} | sed -nE 's/^${ID}  .*/\\1/p'; }
_planfold() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at='' word found=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${steps(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  COMPREPLY=()
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${values(places, toBashValue)}
  esac
  if [ -z "$found" ]; then
    case "$at $cur" in
${places.map(toBashPlace).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$found" -- "$cur"))
}
complete -o default -F _planfold planfold
`;
}

function toBashValue(value: Value): string {
  if (value === 'session') return 'found=$(_planfold_sessions)';
  return typeof value === 'string' ? 'return' : `found='${value.join(' ')}'`;
}

function toBashPlace({ path, commands, options, argument }: Place): string {
  const names = options.map(({ name }) => name).join(' ');
  const words = commands.map(({ name }) => name).join(' ');
  const found = words === '' ? toBashValue(argument) : `found='${words}'`;
  return `      '${path} -'*) found='${names}' ;;\n      '${path} '*) ${found} ;;`;
}

// It is sourced, or lies in a directory of `fpath` as `_planfold`.
function toZsh(places: readonly Place[]): string {
  return `\
#compdef planfold
# Completion of planfold for zsh: source <(planfold completion zsh), behind compinit
_planfold_sessions() {
  local -a found
  found=(\${(f)"$(${LIST} | sed -nE 's/^${ID}  [^ ]+ [^ ]+  (.*)/\\1:\\2/p')"})
  _describe -V session found
}
_planfold() {
  local at='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${steps(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${values(places, (value) => `${toZshValue(value)}; return`)}
  esac
  case "$at $PREFIX" in
${places.map(toZshPlace).join('\n')}
  esac
}
if [ "$funcstack[1]" = _planfold ]; then _planfold "$@"; else compdef _planfold planfold; fi
`;
}

function toZshValue(value: Value): string {
  switch (value) {
    case 'session':
      return '_planfold_sessions';
    case 'directory':
      return '_files -/';
    case 'none':
      return ':';
    case 'text':
    case 'file':
      return '_files';
    default:
      return `compadd -- ${value.join(' ')}`;
  }
}

function toZshPlace({ path, commands, options, argument }: Place): string {
  const list = (entries: { name: string; description: string }[]) =>
    entries.map(({ name, description }) => quote(`${name}:${description}`)).join(' ');
  const describe = (what: string, entries: string) =>
    `found=(${entries}); _describe '${what}' found`;
  const word = commands.length > 0 ? describe('command', list(commands)) : toZshValue(argument);
  return `    '${path} -'*) ${describe('option', list(options))} ;;\n    '${path} '*) ${word} ;;`;
}

function toFish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, argument }) => {
    const here = `complete -c planfold -n "__planfold_at '${path}'"`;
    return [
      ...commands.map(
        ({ name, description }) => `${here} -fa ${name} -d ${quoteFish(description)}`,
      ),
      ...options.map(({ name, description, value }) => {
        return `${here} -l ${name.slice(2)} ${toFishValue(value)} -d ${quoteFish(description)}`;
      }),
      ...(argument === 'session' ? [`${here} -ka '(__planfold_sessions)'`] : []),
      ...(typeof argument === 'string' ? [] : [`${here} -fa '${argument.join(' ')}'`]),
    ];
  });
  return `\
# Completion of planfold for fish: planfold completion fish | source
function __planfold_sessions
  ${LIST} | string replace -rf '^${ID}  \\S+ \\S+  (.*)' '$1\\t$2'
end
function __planfold_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${steps(places).replaceAll('|', ' ')}
        set at (string trim "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function toFishValue(value: Value): string {
  switch (value) {
    case 'none':
      return '';
    case 'session':
      return `-xka '(__planfold_sessions)'`;
    case 'text':
      return '-x';
    case 'directory':
      return `-xa '(__fish_complete_directories)'`;
    case 'file':
      return '-r';
    default:
      return `-xa '${value.join(' ')}'`;
  }
}

// Each command with what leads to it, as patterns of a `case`.
function steps(places: readonly Place[]): string {
  const named = places.filter(({ path }) => path !== '');
  return named.map(({ path }) => `'${path.includes(' ') ? path : ` ${path}`}'`).join('|');
}

// The options that take a value, each with what is done behind it.
function values(places: readonly Place[], toAction: (value: Value) => string): string {
  const lines = places.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value !== 'none')
      .map(({ name, value }) => `    '${path} ${name}') ${toAction(value)} ;;`),
  );
  return lines.join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function quoteFish(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
