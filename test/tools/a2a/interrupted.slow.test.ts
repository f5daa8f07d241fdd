import { expect, onTestFinished, test } from 'vitest';
import type { Run } from '../../../src/core/records/run.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { serveAgentOfOthers } from '../../fixtures/agent-of-others.ts';
import { startCommand } from '../../fixtures/command.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

test('stopping a tree whose process died has the remote agent give its task up', async () => {
  const others = await serveAgentOfOthers(() => new Promise(() => {}));
  onTestFinished(others.close);
  const cwd = await tempFolder({
    'agents/top.toml': `name = "top"
model = "scripted/script.json"

[[remote_agents]]
name = "booking"
url = "${others.endpoint}"
`,
    'script.json': JSON.stringify({
      conversations: [
        { turns: [{ calls: [{ name: 'call_agent', arguments: { agent: 'booking', task: 'a room' } }] }] },
      ],
    }),
  });
  const records = async () => {
    const { runs, close } = await openLocalStore(cwd);
    const tree: Run[] = [];
    for await (const top of runs.roots(1)) tree.push(...(await runs.tree(top.id)));
    const task = tree[1] && (await runs.callResult({ run: tree[1].id, turn: 1, call: 1 }));
    await close();
    return { tree, task };
  };
  const running = startCommand(['run', 'top', '-p', 'go'], cwd);
  await expect.poll(async () => (await records()).task).toBeDefined();
  running.process.kill('SIGKILL');
  await running.ended();

  expect(await startCommand(['stop', 'last'], cwd).ended()).toMatchObject({ code: 0 });
  expect(others.canceled).toHaveLength(1);
  const { tree } = await records();
  expect(tree.map(({ agent, status, isToGiveUp }) => ({ agent, status, isToGiveUp }))).toEqual([
    { agent: 'top', status: 'stopped', isToGiveUp: undefined },
    { agent: 'booking', status: 'stopped', isToGiveUp: undefined },
  ]);
});
