// A server of the kind that one meets: it prints where it should not, names tools as it likes, and
// ends when it is told to. `ODD_MODE` says what else is wrong with it.
import { createInterface } from 'node:readline';

const mode = process.env.ODD_MODE ?? '';
const object = { type: 'object', properties: {} };
const TOOLS = [
  { name: 'plain', description: 'Says it.', inputSchema: object },
  { name: 'with space', inputSchema: object },
  { name: 'with_space', inputSchema: object },
  { name: 'größe', inputSchema: object },
  { name: 'n'.repeat(90), inputSchema: object },
  { name: 'plain', description: 'Again.', inputSchema: object },
  { name: 'long', description: 'd'.repeat(1_000_000), inputSchema: object },
  { name: 'looks', inputSchema: object, annotations: { readOnlyHint: true, title: 'Just looks' } },
  { name: 'huge', inputSchema: object },
  { name: 'env', inputSchema: object },
  { name: 'dies', inputSchema: object },
  { name: 'more', inputSchema: object },
];
let extra = 0;

const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (words) => ({ content: [{ type: 'text', text: words }] });

if (mode === 'fails') {
  process.stderr.write('the database is missing\n');
  process.exit(3);
}
process.stdout.write('Listening on nothing!\n{"half": \n');

function call(name) {
  switch (name) {
    case 'huge':
      return text('x'.repeat(3_000_000));
    case 'env':
      return text(JSON.stringify(process.env));
    case 'dies':
      process.exit(1);
    case 'more':
      extra += 1;
      send({ method: 'notifications/tools/list_changed' });
      return text('There is one more.');
    default:
      return text(`called ${name} in ${process.cwd()}`);
  }
}

function answer({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'odd', version: '1' },
      };
    case 'tools/list': {
      if (mode === 'endless') return { tools: [], nextCursor: 'again' };
      const more = Array.from({ length: extra }, (_, n) => ({
        name: `extra${n}`,
        inputSchema: object,
      }));
      const many = Array.from({ length: 500 }, (_, n) => ({ name: `t${n}`, inputSchema: object }));
      if (mode === 'many') return { tools: many };
      return params?.cursor === '2'
        ? { tools: [...TOOLS.slice(6), ...more] }
        : { tools: TOOLS.slice(0, 6), nextCursor: '2' };
    }
    case 'tools/call':
      return call(params.name);
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  // It never answers, and ignores that its stdin closes.
  if (mode === 'silent') return;
  send({ id: message.id, result: answer(message) });
});
if (mode === 'silent') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
