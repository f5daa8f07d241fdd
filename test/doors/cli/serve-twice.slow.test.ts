import { expect, test } from 'vitest';
import { startCommand } from '../../fixtures/command.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

test('a second server of a folder says that there is another one, and what that means; one after it says nothing', async () => {
  const cwd = await tempFolder({ 'agents/top.toml': 'name = "top"\nmodel = "offline/extractive"\n' });
  const serve = async () => {
    const server = startCommand(['serve', '--port', '0'], cwd);
    await server.says('stop with Ctrl-C');
    return server;
  };
  const first = await serve();
  const [, url] = /on (http:\S+):\n/.exec(first.err) ?? [];
  const second = await serve();
  expect(second.err.split('\n')[0]).toBe(
    `process ${first.process.pid} serves this folder, too, at ${url}: both show all runs, each stops its own alone with Ctrl-C, and schedules start agents once`,
  );
  for (const server of [first, second]) {
    server.process.kill('SIGINT');
    await server.ended();
  }
  expect((await serve()).err).toMatch(/^Serving this folder on /);
});
