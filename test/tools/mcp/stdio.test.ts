import { expect, test } from 'vitest';
import { StdioTransport } from '../../../src/tools/mcp/client/stdio-transport.ts';
import { ownSleep, running } from '../../fixtures/running-processes.ts';

/** A server that is a script of the shell, and what is heard of it until it has ended. */
function startScript(script: string) {
  const transport = new StdioTransport('/bin/sh', ['-c', script], {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const heard: unknown[] = [];
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      heard.push('closed');
      resolve();
    };
  });
  transport.onerror = ({ name }) => heard.push(name);
  transport.onmessage = (message) => heard.push(message);
  return { transport, heard, closed };
}

const said = (id: number) => ({ jsonrpc: '2.0' as const, id, result: { of: id } });
const print = (...lines: string[]) => `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')}`;

test('messages of a command come one by one, and a line that only looks like one is an error', async () => {
  const lines = ['listening', '{"odd": "and no message"}', JSON.stringify(said(1)), '{"jsonrpc": "2.0", odd'];
  const { transport, heard, closed } = startScript(
    `${print(...lines, JSON.stringify(said(2)))}; echo trouble >&2; read line; echo "$line"`,
  );
  await transport.start();
  await transport.send(said(3));
  await closed;
  expect(heard).toEqual(['ZodError', said(1), 'SyntaxError', said(2), said(3), 'closed']);
  expect(transport.stderr).toBe('trouble\n');
  await expect(transport.send(said(4))).rejects.toThrow('the server has exited');
  await transport.close();
  expect(heard.filter((each) => each === 'closed')).toHaveLength(1);
});

test('of what a command says on stderr the end is kept, and one that prints no messages without end is ended', async () => {
  const { transport, heard, closed } = startScript(
    `printf '%012000d' 7 >&2; yes '{"odd": "and no message"}' | head -n 1001; cat`,
  );
  await transport.start();
  await closed;
  expect([heard.length, heard.at(-2), heard.at(-1)]).toEqual([1_002, 'Error', 'closed']);
  expect(transport.stderr).toMatch(/^0{9999}7$/);
});

test('what a command leaves when it ends is read in order, a message that comes in several pieces among it', async () => {
  const many = Array.from({ length: 400 }, (_, id) => said(id));
  const long = { jsonrpc: '2.0' as const, id: 400, result: { of: 'x'.repeat(90_000) } };
  const { transport, heard, closed } = startScript(
    `${print(...many.map((each) => JSON.stringify(each)))}; printf '{"jsonrpc":"2.0","id":400,"result":{"of":"'; printf '%090000d' 0 | tr 0 x; echo '"}}'`,
  );
  await transport.start();
  await closed;
  expect(heard).toEqual([...many, long, 'closed']);
});

test('what a command has started ends with it, also where it ends by itself', async () => {
  const long = ownSleep();
  const { transport, closed } = startScript(`sleep ${long} > /dev/null 2>&1 & exit 1`);
  await transport.start();
  await closed;
  await expect.poll(() => running(long)).toEqual([]);
});
