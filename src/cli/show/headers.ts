import { sameJson } from '../../base/json.ts';
import type { Header } from '../../model/types.ts';
import type { HeaderPart } from './entries.ts';

/** How a header differs from the one before it, by the names of its parts. */
export function compareHeaders(
  before: Header | undefined,
  after: Header,
): Omit<HeaderPart, 'kind' | 'reason'> {
  const old = partsOf(before);
  const now = partsOf(after);
  return {
    model: after.model,
    settings: after.settings,
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now.keys()].filter(
      (name) => old.has(name) && !sameJson(old.get(name), now.get(name)),
    ),
  };
}

function partsOf(header: Header | undefined): Map<string, unknown> {
  if (!header) return new Map();
  return new Map<string, unknown>([
    ['the model', header.model],
    ['the settings', header.settings],
    ...header.system.map(({ name, text }): [string, unknown] => [`section ${name}`, text]),
    ...header.tools.map((tool): [string, unknown] => [`tool ${tool.function.name}`, tool]),
  ]);
}
