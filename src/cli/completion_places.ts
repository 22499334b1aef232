import type { Command } from 'commander';

/** What a shell may offer at one place of the command line, as the tree of commands says it. */
export interface Place {
  /** The commands that lead there, such as `sessions list`; empty at the beginning. */
  path: string;
  commands: { name: string; description: string }[];
  options: { name: string; description: string; value: Value }[];
  argument: Value;
}

/** What may stand as a value: none at all, any text, one of a few words, or what is looked up. */
export type Value = 'none' | 'text' | 'session' | 'file' | 'directory' | readonly string[];

/** All places of a program, the deepest first. */
export function toPlaces(program: Command): Place[] {
  return walk(program, '').toReversed();
}

function walk(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const [argument] = command.registeredArguments;
  const commands = help.visibleCommands(command);
  const place: Place = {
    path,
    commands: commands.map((one) => ({ name: one.name(), description: one.description() })),
    options: help.visibleOptions(command).flatMap(({ long, description, argChoices, flags }) => {
      if (!long) return [];
      return [{ name: long, description, value: toValue(/<(.*)>/.exec(flags)?.[1], argChoices) }];
    }),
    argument: toValue(argument?.name(), argument?.argChoices),
  };
  const below = commands.map((one) => walk(one, `${path} ${one.name()}`.trim()));
  return [place, ...below.flat()];
}

function toValue(name: string | undefined, choices: readonly string[] | undefined): Value {
  if (choices) return choices;
  if (name === undefined) return 'none';
  if (name === 'session' || name === 'id') return 'session';
  if (name === 'dir') return 'directory';
  return name === 'file' ? 'file' : 'text';
}
