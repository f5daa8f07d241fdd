import { expect, test } from 'vitest';
import { serve } from '../../src/cli/commands/serve.ts';
import { startCommand } from '../fixtures/command.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

test.each([
  ['serve', 404],
  ['states', 400],
])('%s listens on any free port where it is given 0', async (name, ofNothing) => {
  const command = startCommand([name, '--port', '0'], await tempFolder());
  await command.says('stop with Ctrl-C\n');
  const url = /http:\/\/127\.0\.0\.1:[1-9]\d+/.exec(command.err)?.[0];
  expect((await fetch(`${url}/`)).status).toBe(ofNothing);
  command.process.kill('SIGINT');
  await command.ended();
});

test.each([
  ['serve', '99999'],
  ['states', '65536'],
  ['serve', 'http'],
  ['serve', '-1'],
])('%s refuses %s as a port', async (name, port) => {
  const { code, err } = await startCommand([name, `--port=${port}`], await tempFolder()).ended();
  expect(code).toBe(2);
  expect(err).toContain(
    `error: option '--port <number>' argument '${port}' is invalid. it must be a whole number from 0 (any free port) to 65535\n`,
  );
});

test('serve fails where the folder of --agents-dir cannot be read', async () => {
  const io = recordedIo(await tempFolder());
  const serving = serve({ host: '127.0.0.1', port: 0, agentsDir: 'nowhere' }, io);
  await expect(serving).rejects.toThrow('failed to read agents folder nowhere: ');
});
