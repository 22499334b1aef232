import { fileURLToPath } from 'node:url';
import { startInProcess } from '../acp/in_process.ts';
import { playScenario } from '../acp/scenario.ts';
import { logPath } from '../log/location.ts';
import { createMachine } from '../session/machine.ts';
import { openReplay } from './replay.ts';
import { prepareScenario, readScenario } from './scenario_file.ts';
import { createTranscript } from './transcript.ts';

/** The folder of the recordings that come with the package, seen from a chunk of the bundle. */
export function packagedRecording(name: string): string {
  return fileURLToPath(new URL(`../../recordings/${name}`, import.meta.url));
}

/**
 * Plays the packaged `plan-mode` recording: the model's part is read from it, everything else is
 * real, in a new temporary workspace. Writes what a person at the editor would follow. Resolves
 * with the exit code.
 */
export async function runDemo(write: (text: string) => void): Promise<number> {
  const recording = packagedRecording('plan-mode');
  const scenario = readScenario(recording);
  const { cwd, dataDir, env } = prepareScenario(recording, scenario);
  const machine = createMachine(env, { fetch: openReplay(recording, { cwd, env }), replay: true });
  write(
    'Planfold demo: the plan-mode arc. The model speaks from a recording, no key is needed;\n' +
      `the agent, its tools and the log are real. Workspace: ${cwd}\n\n`,
  );
  const { sessionId, unused } = await playScenario(scenario, {
    cwd,
    start: () => ({ ...startInProcess(machine), kill() {} }),
    onFrame: createTranscript(write),
  });
  if (sessionId === undefined || unused > 0) {
    write('\nThe demo did not run to its end; the lines above say where it stopped.\n');
    return 1;
  }
  write(`\nThe log of this session, one fact a line:\n  ${logPath(dataDir, cwd, sessionId)}\n`);
  return 0;
}
