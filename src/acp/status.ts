import { describeGrant } from '../loop/permission.ts';
import type { Session } from '../session/session.ts';

/** How a session stands, as markdown for a person. */
export function describeStatus({ id, logPath, state, modes, knobs }: Session): string {
  const { mode, pending } = modes.get();
  const flip = pending === undefined ? '' : ` (\`${pending}\` with the next step)`;
  const options = knobs.options().map(({ name, value }) => `- ${name}: \`${value}\``);
  const grants = state.grants.map((grant) => `  - ${describeGrant(grant)}`);
  const allowed =
    grants.length === 0 ? ['- Allowed for this session: nothing'] : ['- Allowed for this session:'];
  const tokens = state.contextTokens;
  return [
    `- Mode: \`${mode}\`${flip}`,
    ...options,
    ...allowed,
    ...grants,
    ...(tokens === undefined ? [] : [`- Tokens of the last request: ${tokens}`]),
    `- Session: \`${id}\``,
    `- Log: \`${logPath}\``,
  ].join('\n');
}
