import type { Grant } from '../log/events.ts';
import { reachesNoFurther, type SandboxMode } from '../sandbox/policy.ts';
import { isNamed, toNamedCommand } from '../tools/argv.ts';
import type { NamedPath } from '../tools/territory.ts';
import type { Effects } from '../tools/tool.ts';

/** When a person is asked; the values of the option. */
export const APPROVALS = ['ask', 'auto', 'never'] as const;

/**
 * `ask`: about every call that is not read-only. `auto`: about what neither the sandbox nor the
 * roots confine. `never`: about nothing; what `auto` would ask about is refused.
 */
export type Approval = (typeof APPROVALS)[number];

/** The two knobs that decide on a call. */
export interface Enforcement {
  sandbox: SandboxMode;
  approval: Approval;
}

/** What is known of a call before it runs. */
export interface CallFacts {
  tool: string;
  effects: Effects;
  paths: readonly NamedPath[];
  /** Set for a command. */
  command?: CommandFacts | undefined;
}

/** What is known of a command before it runs. */
export interface CommandFacts {
  /** Its words, where it is one plain command. */
  argv: readonly string[] | undefined;
  /** What would confine it. */
  sandbox: SandboxMode;
  /** The model asks to run it outside the sandbox that is set. */
  escalated: boolean;
}

/** What becomes of a call. */
export type Decision =
  | { kind: 'run' }
  | { kind: 'refuse'; reason: string }
  | { kind: 'ask'; outside: string[]; escalated?: true; grant?: Grant };

/**
 * Whether a call runs, is asked about or is refused: by what it does, what it touches, the knobs
 * and what a person has allowed before, and by nothing else.
 */
export function decide(
  call: CallFacts,
  { sandbox, approval }: Enforcement,
  grants: readonly Grant[],
): Decision {
  const { tool, effects, paths, command } = call;
  const changesFiles = !effects.readOnly && paths.length > 0;
  if (changesFiles && sandbox === 'read-only') {
    return {
      kind: 'refuse',
      reason:
        `The sandbox is read-only: \`${tool}\` changes nothing. Only the user can open it, with ` +
        'the option `sandbox`; say so if the task needs it.',
    };
  }
  const outside = paths.filter(({ inside }) => !inside).map(describePath);
  const confined = command ? command.sandbox !== 'off' : paths.length > 0;
  const harmless = outside.length === 0 && (effects.readOnly || (confined && approval !== 'ask'));
  if (harmless || grants.some((grant) => covers(grant, call))) return { kind: 'run' };
  if (approval === 'never') return { kind: 'refuse', reason: refusalOf(tool, outside) };
  const grant = toGrant(call);
  return {
    kind: 'ask',
    outside,
    ...(command?.escalated === true ? { escalated: true } : {}),
    ...(grant ? { grant } : {}),
  };
}

function describePath({ path, real }: NamedPath): string {
  return path === real ? path : `${path} (leads to ${real})`;
}

function refusalOf(tool: string, outside: readonly string[]): string {
  const why =
    outside.length > 0
      ? `it leaves the workspace (${outside.join(', ')})`
      : 'nothing would confine it';
  return (
    `\`${tool}\` would need the user's permission, for ${why}, and the user has set the option ` +
    '`approval` to never. Do without it, or say what you could not do.'
  );
}

// What "for this session" would mean for a call: exactly these files, or this command.
function toGrant({ tool, paths, command }: CallFacts): Grant | undefined {
  if (!command)
    return paths.length === 0 ? { tool } : { tool, paths: paths.map(({ real }) => real) };
  if (!command.argv) return undefined;
  const { sandbox } = command;
  return { tool, command: { ...toNamedCommand(command.argv), sandbox } };
}

/** What a grant allows, in a few words for a person. */
export function describeGrant({ tool, paths, command }: Grant): string {
  if (!command) return paths ? `${tool} ${paths.join(', ')}` : tool;
  const words = command.argv.map(quoteWord).join(' ');
  const reach = command.sandbox === 'off' ? ', not confined' : '';
  return `\`${words}${command.open ? ' …' : ''}\`${reach}`;
}

function quoteWord(word: string): string {
  return /^[\p{L}\p{N}_./:@+,=-]+$/u.test(word) ? word : `'${word}'`;
}

function covers(grant: Grant, { tool, paths, command }: CallFacts): boolean {
  if (grant.tool !== tool) return false;
  if (command) {
    return (
      grant.command !== undefined &&
      command.argv !== undefined &&
      isNamed(command.argv, grant.command) &&
      reachesNoFurther(command.sandbox, grant.command.sandbox)
    );
  }
  return paths.every(({ real }) => grant.paths?.includes(real) ?? false);
}
