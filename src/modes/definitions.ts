import * as z from 'zod';
import { once } from '../base/once.ts';
import { DEFAULT_MODE } from '../log/state.ts';

/** The mode that ships built in, and the only one with a tool of its own. */
export const PLAN_MODE = 'plan';

/** What a mode is: the guidance the model reads, and how the picker labels it. */
export interface ModeDefinition {
  section: string;
  name?: string | undefined;
  description?: string | undefined;
}

/** A mode definition as configuration states it. There is no tool list and no enforcement. */
export const modeDefinitionSchema = once((): z.ZodType<ModeDefinition> =>
  z
    .strictObject({
      section: z
        .string()
        .regex(/\S/, 'must hold the text that the model reads in this mode')
        .describe('The text that the model reads while the mode is on.'),
      name: z.string().optional().describe('How the picker names it; the key if left out.'),
      description: z.string().optional().describe('What the picker says of it.'),
    })
    .describe('A mode: a text that the model reads while it is on, and nothing else.'),
);

/** The definitions in force by name, in the order of the picker; `default` is not among them. */
export type ModeDefinitions = ReadonlyMap<string, ModeDefinition>;

/** A mode as a picker lists it. */
export interface ModeInfo {
  id: string;
  name: string;
  description?: string;
}

const PLAN: ModeDefinition = {
  name: 'Plan',
  description: 'Explore and design; changes wait until you approve the plan.',
  section: `# Plan mode

You are in plan mode: explore, ask and design. Make no changes yet; whatever should change belongs
in the plan.

- Read what matters until you can name the files, functions and tests that the work touches.
- If a decision is the user's to make, ask before you plan around it.
- Present the plan by calling \`exit_plan_mode\` with the plan as markdown: start with a heading
  that names the work, then say what changes where, in which order, how it is verified, and what
  could go wrong. The user reviews exactly that text.
- If the user wants changes to the plan, revise it and present it again.
- If \`exit_plan_mode\` fails, show the plan in your answer and ask the user in prose how to go
  on.`,
};

/** The built-in plan mode and the configured modes over it. A bare `section` keeps plan's label. */
export function resolveModes(
  configured: Readonly<Record<string, ModeDefinition>>,
): ModeDefinitions {
  const modes = new Map([[PLAN_MODE, PLAN]]);
  for (const [name, definition] of Object.entries(configured)) {
    modes.set(name, { ...(name === PLAN_MODE ? PLAN : {}), ...definition });
  }
  return modes;
}

/** Every mode that can be set, `default` first. */
export function listModes(definitions: ModeDefinitions): ModeInfo[] {
  const infos = [...definitions].map(([id, { name, description }]) => ({
    id,
    name: name ?? id,
    ...(description === undefined ? {} : { description }),
  }));
  return [
    { id: DEFAULT_MODE, name: 'Default', description: 'No planning stance: work on the task.' },
    ...infos,
  ];
}
