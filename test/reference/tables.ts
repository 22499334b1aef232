import type { Command, Option } from 'commander';
import { listExitCodes } from '../../src/cli/exit_codes.ts';
import { createProgram } from '../../src/cli/program.ts';
import { momentSchema, opSchema, scenarioSchema } from '../../src/cli/scenario_file.ts';
import { toConfigJsonSchema } from '../../src/config/schema.ts';
import type { EventType } from '../../src/log/events.ts';
import type { SessionLog } from '../../src/log/log.ts';
import { logEventSchema } from '../../src/log/schema.ts';
import { EMPTY_STATE } from '../../src/log/state.ts';
import { createKnobs } from '../../src/loop/knobs.ts';
import { createModels } from '../../src/model/models.ts';
import { resolveProviders } from '../../src/model/provider.ts';
import { listModes, resolveModes } from '../../src/modes/definitions.ts';
import { exitPlanModeTool } from '../../src/modes/exit_plan_mode.ts';
import { baseTools } from '../../src/session/open.ts';
import { EVENT_NOTES } from './event_notes.ts';
import { fieldsOf, membersOf, type Schema, toSchema, toTable, valuesOf } from './shape.ts';

/** The generated regions of the README by name. */
export const TABLES: Readonly<Record<string, () => string>> = {
  commands: commandTable,
  'exit-codes': exitCodeTable,
  configuration: configurationTable,
  options: optionTable,
  tools: toolTable,
  events: eventTable,
  scenarios: scenarioTables,
};

function commandTable(): string {
  const program = createProgram({ write() {}, exit() {} });
  const rows = walkCommands(program).map((command) => {
    const usage = [pathOf(command), ...command.registeredArguments.map(toArgument)].join(' ');
    const options = command.options.filter(({ hidden }) => !hidden).map(toOption);
    return [`\`${usage}\``, toText(command.description()), options.join('<br>')];
  });
  return toTable(['command', '', 'options'], rows);
}

function walkCommands(command: Command): Command[] {
  const { commands } = command;
  return commands.length > 0 ? commands.flatMap(walkCommands) : [command];
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function toArgument(argument: Command['registeredArguments'][number]): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function toOption({ flags, description, argChoices, defaultValue }: Option): string {
  const choices = argChoices ? ` (${argChoices.join(', ')})` : '';
  const standard = defaultValue === undefined ? '' : `; default \`${String(defaultValue)}\``;
  return `\`${flags}\` ${toText(description)}${choices}${standard}`;
}

// Markdown takes what stands in angle brackets for HTML.
function toText(description: string): string {
  return description.replaceAll('<', '&lt;');
}

function exitCodeTable(): string {
  const rows = listExitCodes().map(({ code, meaning }) => [String(code), meaning]);
  return toTable(['code', 'meaning'], rows);
}

function configurationTable(): string {
  const rows = walkKeys(toConfigJsonSchema() as Schema, '').map(({ path, schema }) => [
    `\`${path}\``,
    toKind(schema),
    schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``,
    schema.description ?? '',
  ]);
  return toTable(['key', 'takes', 'default', 'meaning'], rows);
}

// Only what takes a value has a row; what holds others shows in their paths.
function walkKeys(schema: Schema, path: string): { path: string; schema: Schema }[] {
  const below = (name: string) => (path === '' ? name : `${path}.${name}`);
  const more = schema.additionalProperties;
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, one]) => walkKeys(one, below(name)));
  }
  return typeof more === 'object' ? walkKeys(more, below('<name>')) : [{ path, schema }];
}

function toKind(schema: Schema): string {
  const values = valuesOf(schema);
  if (values.length > 0) return values.map((value) => `\`${value}\``).join(', ');
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return '`true`, `false`';
    default:
      return 'a list';
  }
}

function optionTable(): string {
  const models = createModels(resolveProviders({}));
  const log = { state: EMPTY_STATE } as SessionLog;
  const knobs = createKnobs({ models, confines: true, defaults: {} }, log).options();
  const modes = listModes(resolveModes({})).map(({ id }) => id);
  const rows = knobs.map(({ id, category, value, values, description }) => {
    const listed = values.map((one) => `\`${one.value}\``).join(', ');
    return [
      `\`${id}\``,
      category === 'model' ? '`provider/model`, of every provider that has a key' : listed,
      `\`${value}\``,
      description,
    ];
  });
  const mode = [
    '`mode`',
    `${modes.map((id) => `\`${id}\``).join(', ')}, yours`,
    '`default`',
    'The stance of the agent.',
  ];
  return toTable(['option', 'values', 'default', ''], [mode, ...rows]);
}

function toolTable(): string {
  const tools = [...baseTools({ shell: '/bin/sh' }), exitPlanModeTool];
  const rows = tools.map(({ name, effects, schema }) => {
    const held = Object.entries(effects).flatMap(([effect, holds]) => (holds ? [effect] : []));
    const fields = fieldsOf(schema().function.parameters as Schema);
    return [`\`${name}\``, fields.join(', '), held.join(', ')];
  });
  return toTable(['tool', 'arguments', 'effects'], rows);
}

const OF_EVERY_LINE = ['seq', 'time', 'type'];

function eventTable(): string {
  const members = membersOf(toSchema(logEventSchema()));
  const rows = (Object.keys(EVENT_NOTES) as EventType[]).map((type) => {
    const own = members.filter(({ properties }) => properties?.['type']?.const === type);
    // Of a question and its answer there are several shapes.
    const shapes = own.map((member) => fieldsOf(member, OF_EVERY_LINE).join(', '));
    const named = own.map(({ properties }, index) => {
      const kinds = valuesOf(properties?.['kind'] ?? properties?.['outcome'] ?? {});
      return kinds.length === 1 ? `${kinds[0]}: ${shapes[index]}` : (shapes[index] ?? '');
    });
    const { where, says } = EVENT_NOTES[type];
    return [`\`${type}\``, named.join('<br>'), where, says];
  });
  return toTable(['event', 'fields besides `seq`, `time`, `type`', 'where', 'what it says'], rows);
}

function scenarioTables(): string {
  const { properties = {}, required = [] } = toSchema(scenarioSchema);
  const fields = Object.entries(properties).map(([name, { description = '' }]) => [
    `\`${name}${required.includes(name) ? '' : '?'}\``,
    description,
  ]);
  const ops = membersOf(toSchema(opSchema)).map((member) => [
    valuesOf(member.properties?.['op'] ?? {})
      .map((op) => `\`${op}\``)
      .join(', '),
    fieldsOf(member, ['op']).join(', '),
    member.description ?? '',
  ]);
  const moments = membersOf(toSchema(momentSchema)).map((member) => [
    fieldsOf(member).join(', '),
    member.description ?? '',
  ]);
  const tables = [
    toTable(['field of `input.json`', ''], fields),
    toTable(['op', 'fields', ''], ops),
    toTable(['one of `during`', ''], moments),
  ];
  return tables.join('\n\n');
}
