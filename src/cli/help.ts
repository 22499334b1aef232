import { fileURLToPath } from 'node:url';
import { listExitCodes } from './exit_codes.ts';

// Seen from a chunk of the bundle. Lines keep within the 80 columns of the smallest terminals.
const README = fileURLToPath(new URL('../../README.md', import.meta.url));

/** How an editor is told to start the agent. */
export const EDITORS = `\
Zed, in settings.json:

  "agent_servers": {
    "Planfold": {
      "type": "custom",
      "command": "npx",
      "args": ["-y", "planfold", "acp"],
      "env": { "OPENAI_API_KEY": "…" }
    }
  }

JetBrains, in ~/.jetbrains/acp.json: the same without "type". Neovim: see the
README. Any other editor that speaks the Agent Client Protocol starts the
command \`planfold acp\`.
`;

/** What `planfold` alone says in a terminal, where no editor can be on the other side. */
export const WELCOME = `\
Planfold is a coding agent that lives in your editor: the editor starts it and
speaks the Agent Client Protocol with it. This is a terminal, so go on with

  planfold demo      the whole plan-mode arc, from a recording; needs no key
  planfold login     store an API key (or set OPENAI_API_KEY for the editor)
  planfold doctor    check key, endpoint, model and sandbox
  planfold run "…"   one prompt, right here; with --mode plan it plans first

${EDITORS}
\`planfold --help\` lists all commands. Everything else is in
${README}
`;

/** What stands below the commands in `planfold --help`. */
export const HELP = `\
First steps:
  planfold demo         the whole plan-mode arc, from a recording; needs no key
  planfold login        store an API key, or set it in the environment
  planfold doctor       check key, endpoint, model and sandbox
  planfold acp --help   how to add it to your editor

Examples:
  planfold run --mode plan "Add a --json flag"   plan, review, carry it out
  planfold run --continue "And now the tests"    in the same session
  git diff | planfold run "Review this"          with what is piped in
  planfold sessions list --cwd .                 what was done in this directory

Environment:
  OPENAI_API_KEY        or DEEPSEEK_API_KEY, OPENROUTER_API_KEY: the key
  OPENAI_BASE_URL       another endpoint that speaks the same protocol
  PLANFOLD_MODEL        the model, also as provider/model
  PLANFOLD_HOME         where the sessions are, if not in the usual place
  HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS: for networks that need them

\`planfold <command> --help\` says more. Everything else is in
${README}
`;

const EXITS = listExitCodes().map(({ code, meaning }) => `  ${String(code).padEnd(5)}${meaning}`);

/** What stands below the options of `planfold run --help`. */
export const RUN_HELP = `\
Examples:
  planfold run --mode plan "Greet without a name"
  git diff | planfold run --output json "Review this" | jq -r .text
  planfold run --resume <id> "Go on, but keep the old flag"

The answer goes to stdout, what the agent does to stderr. --output:
  text    the answer; in a terminal it is styled (not with NO_COLOR)
  json    one object at the end: text, stopReason, usage, sessionId, and plan
          where one waits
  jsonl   the events of the session's log, a line each, as they come

In a terminal a plan is reviewed, a call permitted and a question answered right
there. In a pipe nobody can be asked: such a call is refused, and a plan is
printed and waits. Ctrl-C cancels, twice leaves.

Exit codes:
${EXITS.join('\n')}
`;

/** What stands below `planfold completion --help`. */
export const COMPLETION_HELP = `\
bash, in ~/.bashrc:                      source <(planfold completion bash)
zsh, in ~/.zshrc, behind compinit:       source <(planfold completion zsh)
fish, in ~/.config/fish/config.fish:     planfold completion fish | source
`;
