import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '../../src/config/schema.ts';
import { EMPTY_STATE } from '../../src/log/state.ts';
import { createRunCommand } from '../../src/sandbox/run.ts';
import { openDiskFiles } from '../../src/tools/disk.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../src/tools/tool.ts';

/** A context in a new directory: real files, real commands, and what the tools left is remembered. */
export interface TestContext {
  cwd: string;
  context: ToolContext;
  /** Runs a call as a model writes it. Throws when the arguments do not fit. */
  run: (tool: Tool, args: object) => Promise<ToolOutcome>;
}

/** See `TestContext`. `toolOutputBytesMax` bounds the results. */
export function createTestContext({ toolOutputBytesMax = 49_152 } = {}): TestContext {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'planfold-tool-')));
  const filesSeen: Record<string, string> = {};
  const context: ToolContext = {
    callId: 'call',
    signal: new AbortController().signal,
    workspace: {
      cwd: home,
      roots: [home],
      spillDirectory: join(home, '.spill'),
      files: openDiskFiles(() => true, new AbortController().signal),
      images: true,
      runCommand: createRunCommand({ env: process.env }),
      limits: { ...DEFAULT_LIMITS, toolOutputBytesMax },
    },
    state: () => ({ ...EMPTY_STATE, filesSeen }),
    ask: async () => ({ outcome: 'cancel' }),
    progress() {},
  };
  return {
    cwd: home,
    context,
    async run(tool, args) {
      const parsed = tool.parse(JSON.stringify(args));
      if (!parsed.ok) throw new Error(parsed.problem);
      const outcome = await tool.run(parsed.input, context);
      for (const fact of outcome.facts ?? []) {
        if (fact.type === 'file/seen') filesSeen[fact.path] = fact.sha256;
      }
      return outcome;
    },
  };
}

/** The text blocks of a result. */
export function textOf({ content }: ToolOutcome): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
