import { InputError } from '../base/errors.ts';
import type { SessionLog } from '../log/log.ts';
import type { ModelChoice, Models } from '../model/models.ts';
import { SANDBOX_MODES, type SandboxMode } from '../sandbox/policy.ts';
import { type Approval, APPROVALS } from './permission.ts';

/** The settings of a session, each by its own axis. None of them is a mode. */
export interface Knobs {
  sandbox: SandboxMode;
  approval: Approval;
  model: ModelChoice;
  /** Undefined leaves it to the model. */
  reasoningEffort: string | undefined;
}

/** A knob as a picker shows it. */
export interface KnobOption {
  id: string;
  name: string;
  description: string;
  category?: 'model' | 'thought_level';
  value: string;
  values: { value: string; name: string; description?: string }[];
}

/** The knobs of one session: what is picked, and what is in force. */
export interface KnobService {
  /** The models to choose from. */
  models: () => readonly ModelChoice[];
  /** Everything that can be set, with what is picked now. */
  options: () => KnobOption[];
  /** As the log has it; the next boundary puts it in force. */
  picked: () => Knobs;
  /** As of the last boundary. */
  inForce: () => Knobs;
  /** Logs the choice. Throws `InputError` naming what is allowed. */
  set: (id: string, value: string) => void;
  /** Puts in force what was picked. */
  boundary: () => void;
}

/** What the knobs of a session rest on. */
export interface KnobParts {
  models: Models;
  /** Whether commands can be confined here. */
  confines: boolean;
  /** What holds until something is set. */
  defaults: {
    sandbox?: SandboxMode | undefined;
    approval?: Approval | undefined;
    reasoning_effort?: string | undefined;
  };
}

/** The id of the knob for the model's effort, as editors know it. */
const REASONING_EFFORT = 'reasoning_effort';

/** The effort that is left to the model. */
const UNSET = 'default';

/** The knobs of the session behind `log`. */
export function createKnobs(parts: KnobParts, log: SessionLog): KnobService {
  const picked = () => resolve(log.state.knobs, parts);
  let inForce = picked();
  const options = () => toOptions(picked(), parts);
  return {
    models: parts.models.list,
    options,
    picked,
    inForce: () => inForce,
    set(id, value) {
      const known = options();
      const option = known.find((one) => one.id === id);
      if (!option) {
        const ids = ['mode', ...known.map((one) => one.id)].join(', ');
        throw new InputError(`Unknown option \`${id}\`. Known: ${ids}.`);
      }
      const allowed = option.values.map((one) => one.value);
      if (!allowed.includes(value)) {
        throw new InputError(
          `\`${id}\` cannot be ${JSON.stringify(value)}. Allowed: ${allowed.join(', ')}.`,
        );
      }
      if (value !== option.value) log.note({ type: 'knob/set', id, value });
    },
    boundary() {
      inForce = picked();
    },
  };
}

// A value that is no longer to be had behaves as if it had never been set.
function resolve(
  set: Readonly<Record<string, string>>,
  { models, confines, defaults }: KnobParts,
): Knobs {
  const effort = set[REASONING_EFFORT] ?? defaults[REASONING_EFFORT];
  const model = models.find(set['model'] ?? '') ?? models.standard;
  return {
    // Where nothing confines, `read-only` still binds the file tools, and commands ask.
    sandbox:
      SANDBOX_MODES.find((mode) => mode === set['sandbox']) ??
      defaults.sandbox ??
      (confines ? 'workspace-write' : 'off'),
    approval:
      APPROVALS.find((approval) => approval === set['approval']) ?? defaults.approval ?? 'ask',
    model,
    reasoningEffort: model.reasoningEfforts.find((one) => one === effort),
  };
}

const SANDBOX_TEXTS: Record<SandboxMode, { name: string; description: string }> = {
  'read-only': { name: 'Read only', description: 'Commands and file tools write nothing.' },
  'workspace-write': {
    name: 'Workspace',
    description: 'Commands write in the workspace only, and have no network.',
  },
  off: { name: 'Off', description: 'Commands are not confined.' },
};

const APPROVAL_TEXTS: Record<Approval, { name: string; description: string }> = {
  ask: { name: 'Ask', description: 'Ask about every call that changes something.' },
  auto: {
    name: 'Automatic',
    description: 'Run what the sandbox or the workspace confines; ask about the rest.',
  },
  never: { name: 'Never ask', description: 'Refuse what Automatic would ask about.' },
};

function toOptions(knobs: Knobs, { models, confines }: KnobParts): KnobOption[] {
  const { sandbox, approval, model, reasoningEffort } = knobs;
  const listed = models.list();
  // What was picked is offered, whatever is known by now.
  const offered = listed.some(({ id }) => id === model.id) ? listed : [...listed, model];
  const sandboxes = SANDBOX_MODES.filter((mode) => confines || mode === 'off' || mode === sandbox);
  return [
    {
      id: 'sandbox',
      name: 'Sandbox',
      description: 'What commands can reach.',
      value: sandbox,
      values: sandboxes.map((value) => ({ value, ...SANDBOX_TEXTS[value] })),
    },
    {
      id: 'approval',
      name: 'Approval',
      description: 'When you are asked before a call runs.',
      value: approval,
      values: APPROVALS.map((value) => ({ value, ...APPROVAL_TEXTS[value] })),
    },
    {
      id: 'model',
      name: 'Model',
      description: 'The model that answers.',
      category: 'model',
      value: model.id,
      values: offered.map(({ id, name, provider }) => ({
        value: id,
        name,
        description: provider,
      })),
    },
    ...(model.reasoningEfforts.length === 0 ? [] : [toEffortOption(model, reasoningEffort)]),
  ];
}

function toEffortOption(model: ModelChoice, effort: string | undefined): KnobOption {
  return {
    id: REASONING_EFFORT,
    name: 'Reasoning effort',
    description: 'How long the model thinks.',
    category: 'thought_level',
    value: effort ?? UNSET,
    values: [UNSET, ...model.reasoningEfforts].map((value) => ({ value, name: nameOf(value) })),
  };
}

function nameOf(effort: string): string {
  return effort === UNSET ? 'Default' : `${effort.charAt(0).toUpperCase()}${effort.slice(1)}`;
}
