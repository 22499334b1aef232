import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

/** Whether there is a browser to look at pages with. */
export const HAS_BROWSER = spawnSync('chromium', ['--version']).status === 0;

/** How a page is looked at. */
export interface Look {
  width: number;
  dark?: boolean;
  /** An expression whose value is taken once the page stands. */
  probe: string;
  /** Where a picture of it goes. */
  screenshot?: string;
}

/** What was seen: the probe's value, and everything that was loaded, written or asked. */
export interface Seen {
  value: unknown;
  events: string[];
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  '--remote-debugging-pipe',
];

// What a page that runs and loads nothing does not cause: each is noted with what it was about.
const NOTED: Record<string, (params: Answer) => string> = {
  'Network.requestWillBeSent': ({ request }) => `loads ${request?.url.slice(0, 40)}`,
  'Runtime.consoleAPICalled': () => 'writes to the console',
  'Runtime.exceptionThrown': () => 'throws',
  'Log.entryAdded': ({ entry }) => `is told: ${entry?.text.slice(0, 80)}`,
  'Page.javascriptDialogOpening': () => 'opens a dialog',
  'Page.windowOpen': () => 'opens a window',
};

/** Looks at the page in the file at `path` in a real browser of its own. */
export async function lookAt(path: string, look: Look): Promise<Seen> {
  const profile = mkdtempSync(join(tmpdir(), 'planfold-browser-'));
  const browser = spawn('chromium', [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise((resolve) => browser.once('close', resolve));
  const [, , , into, from] = browser.stdio as unknown as [0, 0, 0, Writable, Readable];
  const wire = createWire(into, from);
  try {
    return await drive(wire, pathToFileURL(path).href, look);
  } finally {
    // Closed, and not killed: all of its processes end with it.
    void wire.send('Browser.close');
    await closed;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

// Of all that the protocol has, what is read here.
interface Answer {
  targetId?: string;
  sessionId?: string;
  data?: string;
  result?: { value: unknown };
  request?: { url: string };
  entry?: { text: string };
}

interface Wire {
  send: (method: string, params?: object, sessionId?: string | undefined) => Promise<Answer>;
  onEvent: (method: string, params: Answer) => void;
}

// The DevTools protocol on a pipe: JSON, each message ended by a zero byte.
function createWire(into: Writable, from: Readable): Wire {
  const waiting = new Map<number, (answer: Answer) => void>();
  let held = '';
  from.setEncoding('utf8').on('data', (text: string) => {
    const messages = (held + text).split('\0');
    held = messages.pop() ?? '';
    for (const message of messages) {
      const { id, method, params, result, error } = JSON.parse(message);
      if (id === undefined) wire.onEvent(method, params);
      else waiting.get(id)?.(result ?? { error });
    }
  });
  const wire: Wire = {
    onEvent: () => {},
    send(method, params = {}, sessionId) {
      const id = waiting.size + 1;
      into.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      return new Promise((resolve) => waiting.set(id, resolve));
    },
  };
  return wire;
}

async function drive(wire: Wire, url: string, look: Look): Promise<Seen> {
  const events: string[] = [];
  const { targetId } = await wire.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await wire.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, params?: object) => wire.send(method, params, sessionId);
  const loaded = new Promise<void>((resolve) => {
    wire.onEvent = (method, params) => {
      const note = NOTED[method]?.(params);
      if (note !== undefined) events.push(note);
      if (method === 'Page.loadEventFired') resolve();
    };
  });
  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await send(`${domain}.enable`);
  const { width, dark = false, probe, screenshot } = look;
  const metrics = { width, height: 800, deviceScaleFactor: 1, mobile: width < 600 };
  await send('Emulation.setDeviceMetricsOverride', metrics);
  const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }];
  await send('Emulation.setEmulatedMedia', { features });
  await send('Page.navigate', { url });
  await loaded;
  const answer = await send('Runtime.evaluate', {
    expression: probe,
    returnByValue: true,
    awaitPromise: true,
  });
  if (screenshot !== undefined) {
    const picture = await send('Page.captureScreenshot', { captureBeyondViewport: true });
    writeFileSync(screenshot, picture.data ?? '', 'base64');
  }
  return { value: answer.result?.value, events };
}
