// Loaded before the agent (`node --import`): ends the process, as a power cut would, right after line
// number KILL_AFTER of a session log has been written.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const after = Number(process.env['KILL_AFTER']);
const logs = new Set();
let lines = 0;

const { openSync, writeSync } = fs;
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  if (String(path).endsWith('.jsonl')) logs.add(fd);
  return fd;
};
fs.writeSync = (fd, ...rest) => {
  const written = writeSync(fd, ...rest);
  if (logs.has(fd) && ++lines === after) process.kill(process.pid, 'SIGKILL');
  return written;
};
syncBuiltinESMExports();
