import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { startCommand } from '../../fixtures/command.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { clientOf, ERAS } from './mcp-client.ts';

test.each(ERAS)('over stdio, too, a call that is cancelled stops its run: %j', async (era) => {
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "scripted/script.toml"\n',
    'script.toml': '[[conversations]]\n[[conversations.turns]]\ndelay_ms = 60000\ntext = "late"\n',
  });
  const client = await clientOf({ cwd }, era);
  const leaving = new AbortController();
  const calling = client.callTool(
    { name: 'top', arguments: { prompt: 'go' } },
    { signal: leaving.signal, onprogress: () => leaving.abort() },
  );
  await expect(calling).rejects.toThrow(/abort/i);
  const show = async () => (await startCommand(['show', 'last', '--json'], cwd).ended()).out;
  await expect.poll(show).toContain('its client cancelled the call');
});

test.each(ERAS)('a wrong answer to an approval is asked for again: %j', async (era) => {
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "scripted/script.toml"\ntools = ["files"]\nmode = "ask"\n',
    'script.toml': `[[conversations]]
[[conversations.turns]]
calls = [{ name = "write_file", arguments = { path = "a.txt", content = "x" } }]
[[conversations.turns]]
text = "done"
`,
  });
  let asked = 0;
  const client = await clientOf({ cwd }, era, () => ({
    content: { choice: (asked += 1) === 1 ? 'perhaps' : 'approve' },
  }));
  const { content } = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
  expect(content).toEqual([{ type: 'text', text: 'done' }]);
  expect(asked).toBe(2);
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('x');
});

const SCRIPT = `
[[conversations]]
[[conversations.turns]]
calls = [{ name = "ask_user", arguments = { question = "Sure?" } }]
[[conversations.turns]]
text = "done"
`;

test.each(ERAS)('cadre mcp serves the agents of a folder over stdio: %j', async (era) => {
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "scripted/script.toml"\ntools = ["ask_user"]\n',
    'script.toml': SCRIPT,
  });
  const messages: string[] = [];
  const client = await clientOf({ cwd }, era, ({ message }) => {
    messages.push(message);
    return { content: { text: 'yes' } };
  });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['top', 'run_result']);
  const { content } = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
  expect(content).toEqual([{ type: 'text', text: 'done' }]);
  expect(messages).toEqual(['top: Sure?']);
});

test('cadre mcp goes to the folder that it is given, wherever its client starts it', async () => {
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "scripted/script.toml"\n',
    'script.toml': '[[conversations]]\n[[conversations.turns]]\ntext = "done"\n',
  });
  const elsewhere = await tempFolder({});
  const client = await clientOf({ cwd: elsewhere, args: [cwd] });
  const { content } = await client.callTool({ name: 'top', arguments: { prompt: 'go' } });
  expect(content).toEqual([{ type: 'text', text: 'done' }]);
  expect(await readdir(elsewhere)).toEqual([]);
  const { code, err } = await startCommand(['mcp', join(cwd, 'gone')], elsewhere).ended();
  expect(code).toBe(2);
  expect(err).toMatch(/^Error: cannot serve the agents of .*gone: there is no such file or folder/);
});

test('cadre mcp tells of an agent that it does not serve', async () => {
  const command = startCommand(
    ['mcp'],
    await tempFolder({ 'agents/a.toml': 'name = "a"\nmodel = "x/y"\n[permission]\ndeny = ["write_file"]\n' }),
  );
  await command.says('"permissions"?\n');
  command.process.kill('SIGINT');
  const { err } = await command.ended();
  expect(err).toBe('Warning: agents/a.toml:3:2: unknown key "permission", did you mean "permissions"?\n');
});

test('every line that a client sends over stdio is answered, if it is no message, too', async () => {
  const cwd = await tempFolder({ 'agents/top.toml': 'name = "top"\nmodel = "offline/extractive"\n' });
  const command = join(import.meta.dirname, '../../../bin/cadre.js');
  const env = { PATH: process.env['PATH'], HOME: cwd };
  const served = spawn(process.execPath, [command, 'mcp'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void served.kill('SIGKILL'));
  const ended = once(served, 'exit');
  const lines = createInterface({ input: served.stdout })[Symbol.asyncIterator]();
  const answered = async () => JSON.parse((await lines.next()).value);
  served.stdin.write(
    'no JSON\n\n{"jsonrpc":"2.0","id":1,"method":"initialize"}\r\n{"jsonrpc":"2.0","id":2,"meth',
  );
  expect([await answered(), await answered()]).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the line is not JSON' } },
    { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'params is missing' } },
  ]);
  served.stdin.write('od":"ping"}\n');
  expect(await answered()).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  served.stdin.write('[{"jsonrpc":"2.0","id":3,"method":"ping"}]\n7\n{"id":4,"method":"ping"}\n');
  const noMessage = (id: number | null) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32600, message: 'the line is no message of JSON-RPC 2.0' },
  });
  expect([await answered(), await answered(), await answered()]).toEqual([
    noMessage(null),
    noMessage(null),
    noMessage(4),
  ]);
  // At once, and in pieces.
  const long = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'x'.repeat(10 * 1024 ** 2) });
  served.stdin.write(`${long}\n${long.repeat(2)}\n`);
  const error = { code: -32600, message: 'the line is longer than 10485759 bytes' };
  expect([await answered(), await answered()]).toEqual([
    { jsonrpc: '2.0', id: null, error },
    { jsonrpc: '2.0', id: null, error },
  ]);
  served.stdin.write('{"jsonrpc":"2.0","id":6,"method":"ping"}\n');
  expect(await answered()).toEqual({ jsonrpc: '2.0', id: 6, result: {} });
  served.kill('SIGTERM');
  expect(await ended).toEqual([expect.any(Number), null]);
});
