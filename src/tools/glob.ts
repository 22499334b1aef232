import * as z from 'zod';
import { filterByGlob } from './glob_filter.ts';
import { findSearchRoot, shownPath } from './search_root.ts';
import { defineTool, errorOutcome, READ_ONLY, textOutcome } from './tool.ts';
import { walkFiles } from './walk.ts';
import { absolutePath } from './workspace.ts';

const PATHS_MAX = 1000;

const input = () =>
  z.strictObject({
    pattern: z.string().min(1).describe('Such as `**/*.ts` or `src/{a,b}/*`; relative to `path`.'),
    path: z
      .string()
      .min(1)
      .optional()
      .describe('The directory to search; the working directory if left out.'),
  });

/** Finds files by name. */
export const globTool = defineTool({
  name: 'glob',
  description: 'Find files by a pattern of their path. Files that .gitignore names are left out.',
  input,
  effects: READ_ONLY,
  paths: ({ path }) => (path === undefined ? [] : [path]),
  card: ({ pattern, path }, cwd) => ({
    title: `Find ${pattern}${path === undefined ? '' : ` in ${path}`}`,
    kind: 'search',
    ...(path === undefined ? {} : { locations: [{ path: absolutePath(cwd, path) }] }),
  }),
  async run({ pattern, path }, { workspace: { cwd }, signal }) {
    const root = await findSearchRoot(cwd, path);
    if ('problem' in root) return errorOutcome(root.problem);
    if (!root.isDirectory) {
      return errorOutcome(
        `${root.path} is a file; glob searches directories. Use read for a file.`,
      );
    }
    const found: string[] = [];
    let more = 0;
    const wanted = { root: root.path, pattern, nameAlone: false };
    for await (const file of filterByGlob(walkFiles(root.path, signal), wanted)) {
      if (found.length < PATHS_MAX) found.push(shownPath(cwd, file));
      else more++;
    }
    if (signal.aborted) return errorOutcome('The search was cancelled before it was through.');
    if (found.length === 0) return textOutcome(`No files match ${pattern} in ${root.path}.`);
    const rest = more > 0 ? `\n(and ${more} more; narrow the pattern)` : '';
    return textOutcome(`${found.join('\n')}${rest}`);
  },
});
