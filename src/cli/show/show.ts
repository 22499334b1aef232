import { renameSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { messageOf, UserError } from '../../base/errors.ts';
import { loadConfig } from '../../config/load.ts';
import { readLog } from '../../log/read.ts';
import { exitPlanModeTool } from '../../modes/exit_plan_mode.ts';
import { readLineOne } from '../../session/library.ts';
import { baseTools } from '../../session/open.ts';
import { pathOf } from '../sessions.ts';
import { isStyled } from '../terminal.ts';
import { createPriceOf, type PriceOf } from './cost.ts';
import { foldTimeline } from './timeline.ts';

/** What `planfold show` was asked for. */
export interface ShowOptions {
  /** Write a page to this file, or to stdout for `-`. */
  html?: string;
}

/** `planfold show`: a session as people read it, in the terminal or as a page of HTML. */
export async function runShow(
  write: (text: string) => void,
  idOrFile: string,
  { html }: ShowOptions,
): Promise<void> {
  const path = pathOf(idOrFile);
  const { cwd } = readLineOne(path);
  const timeline = foldTimeline(readLog(path), [...baseTools({ shell: '' }), exitPlanModeTool]);
  const priceOf = findPrices(cwd);
  if (html === undefined) {
    const { renderText } = await import('./terminal.ts');
    const colours = isStyled(process.stdout);
    for (const text of renderText(timeline, { colours, priceOf })) write(text);
    return;
  }
  const { renderPage } = await import('./page.ts');
  const page = renderPage(timeline, priceOf);
  if (html === '-') write(page);
  else write(`Wrote ${writeWhole(html, page)}\n`);
}

// What was done can be read whatever is configured now; then no price is known.
function findPrices(cwd: string): PriceOf {
  try {
    return createPriceOf(process.env, loadConfig({ env: process.env, cwd }));
  } catch (error) {
    if (error instanceof UserError) return () => undefined;
    throw error;
  }
}

// All or nothing, and for nobody else to read: a session holds what its files and commands hold.
function writeWhole(path: string, text: string): string {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) {
    throw new UserError(`${path} is no file; give --html the name of one, or - for stdout.`);
  }
  const target = there ? realpathSync(path) : path;
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new UserError(`${path} cannot be written: ${messageOf(error)}`);
  }
  return path;
}
