import { expect, onTestFinished, test } from 'vitest';
import { withoutClosingLine } from '../../fixtures/closing-line.ts';
import { startCommand } from '../../fixtures/command.ts';
import { serveOnLoopback } from '../../fixtures/loopback.ts';
import { ownSleep, running } from '../../fixtures/running-processes.ts';
import { latch } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** A greeting is given up after 60 seconds anyway. */
const timeout = 40_000;

test(
  'Ctrl-C ends a run whose server does not answer its greeting, and the server with it',
  { timeout },
  async () => {
    const isGreeted = latch();
    const { endpoint, close } = await serveOnLoopback((_, response) => {
      isGreeted.open();
      response.end();
    });
    onTestFinished(close);
    const sleep = ownSleep();
    const silent = `
    require('node:child_process').spawn('sleep', ['${sleep}']);
    process.stdin.once('data', () => fetch('${endpoint}'));`;
    const server = { name: 'silent', command: process.execPath, args: ['-e', silent] };
    const cwd = await tempFolder({
      'agents/top.toml': `name = "top"\nmodel = "scripted/s.json"\n[[mcp_servers]]\n${tomlOf(server)}`,
      's.json': JSON.stringify({ conversations: [{ turns: [{ text: 'never' }] }] }),
    });
    const command = startCommand(['run', 'top', '-p', 'go'], cwd);
    await isGreeted.opened;
    command.process.kill('SIGINT');
    const { code, out, err } = await command.ended();
    expect({ code, out, err: withoutClosingLine(err), left: running(sleep) }).toEqual({
      code: 130,
      out: '',
      err: 'Error: interrupted by the user\n',
      left: [],
    });
  },
);

const tomlOf = (table: object) =>
  Object.entries(table)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('');
