import type { JsonObject } from '../base/json.ts';
import type { Confinement, SandboxMode } from '../sandbox/policy.ts';
import { parseArgv } from '../tools/argv.ts';
import { createMay, lookAtPath, surveyTerritory, type Territory } from '../tools/territory.ts';
import type { Tool } from '../tools/tool.ts';
import type { Grounds, Workspace } from '../tools/workspace.ts';
import type { Knobs } from './knobs.ts';
import type { CallFacts } from './permission.ts';

/**
 * Looks at what a call touches, as the disk is right now: the facts by which it is decided, and the
 * workspace in which it would run. What the workspace opens is what was decided on, and no more.
 */
export function surveyCall(
  { tool, input, signal }: { tool: Tool; input: JsonObject; signal: AbortSignal },
  grounds: Grounds,
  { sandbox, model }: Pick<Knobs, 'sandbox' | 'model'>,
): { facts: CallFacts; workspace: Workspace } {
  const territory = surveyTerritory(grounds);
  const use = tool.effects.readOnly ? 'read' : 'change';
  const look = { territory, cwd: grounds.cwd, use } as const;
  const paths = tool.paths(input).map((path) => lookAtPath(look, path));
  const line = tool.command?.(input);
  const escalated = line?.escalated === true && sandbox !== 'off';
  const reach = escalated || !grounds.confines ? 'off' : sandbox;
  const { openFiles, network } = grounds;
  return {
    facts: {
      tool: tool.name,
      effects: tool.effects,
      paths,
      command: line && { argv: parseArgv(line.line), sandbox: reach, escalated },
    },
    workspace: {
      ...grounds,
      images: model.images,
      files: openFiles(
        createMay(
          territory,
          paths.map(({ real }) => real),
        ),
        signal,
      ),
      confinement: line && confine(territory, { reach, network }),
    },
  };
}

function confine(
  { roots, readable, secrets }: Territory,
  { reach, network }: { reach: SandboxMode; network: boolean },
): Confinement | undefined {
  return reach === 'off' ? undefined : { mode: reach, roots, readable, secrets, network };
}
