import { Command } from 'commander';
import { AGENT } from '../base/version.ts';

const EDITOR_HELP = `
In Zed, add this to settings.json:

  "agent_servers": {
    "Planfold": {
      "command": "npx",
      "args": ["-y", "planfold", "acp"],
      "env": { "OPENAI_API_KEY": "…" }
    }
  }

Other editors that speak the Agent Client Protocol start the same command, \`planfold acp\`.
The model: OPENAI_API_KEY, and if you like OPENAI_BASE_URL and PLANFOLD_MODEL.
No key yet? \`planfold demo\` shows the whole plan-mode arc from a recording.
`;

/** The command line for people. Resolves with the exit code. */
export async function runProgram(args: string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command(AGENT.name)
    .description('A coding agent for editors that speak the Agent Client Protocol.')
    .version(AGENT.version)
    .addHelpText('after', EDITOR_HELP);
  program
    .command('acp')
    .description('Serve an editor on stdin and stdout (the default when stdin is no terminal).')
    .option('--replay <dir>', "answer with a recording's model traffic instead of a real model")
    .option('--record <dir>', 'write the model traffic to <dir>/model.jsonl as it passes')
    .option('--log-level <level>', 'silent, error or debug: what goes to stderr', 'silent');
  program
    .command('demo')
    .description('Play the plan-mode arc from a packaged recording; needs no key.')
    .action(async () => {
      const { runDemo } = await import('./demo.ts');
      exitCode = await runDemo((text) => process.stdout.write(text));
    });
  await program.parseAsync(args, { from: 'user' });
  return exitCode;
}
