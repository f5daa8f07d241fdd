import { describe, expect, test, vi } from 'vitest';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { CarriedError } from '../../../src/places/local/run-lock.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { wakeForPerson } from '../../../src/core/lifecycle/wake-agents.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { nameOf, type Run } from '../../../src/core/records/run.ts';
import {
  latch,
  openStage,
  openStageIn,
  use,
  type Asked,
  type Role,
  type Stage,
} from '../../fixtures/stage.ts';

// A process died in the midst of a tree, with agents at work, and a person acts on the tree from another one.

const TOML = 'tools = ["fork"]\ntimeout = 600\n';

/** The state of the tree's top, beside a fork `a` at work and a fork `b` that is idle. */
const SCENES = ['works', 'waits', 'is idle', 'has its answer'] as const;
type Scene = (typeof SCENES)[number];

function nameIn({ request }: Asked): string {
  const texts = request.messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
  return texts.findLast((text) => text.startsWith('[You are agent'))?.split('"')[1] ?? 'top';
}

const named = async ({ pipeline }: Stage, root: string, name: string) =>
  (await pipeline.store.tree(root)).find((run) => nameOf(run) === name);

/** A tree that a process left behind; the stage is of another process, in which every agent answers. */
async function left(scene: Scene): Promise<{ stage: Stage; root: string }> {
  const isAtWork = latch();
  const dead = () => new Promise<never>(() => {});
  const top: Role = async (asked) => {
    const who = nameIn(asked);
    if (who === 'b') return 'b is done';
    if (who === 'a') {
      if (scene === 'has its answer' && asked.told.startsWith('[You are agent')) return 'a is done';
      isAtWork.open();
      return dead();
    }
    if (asked.turn === 1) return ['a', 'b'].map((name) => use('fork', { prompt: 'go', name }));
    if (scene === 'works') return dead();
    return scene === 'waits' ? [use('wait', { timeout: 500, from_agents: ['a'] })] : 'ready';
  };
  const { cwd, pipeline } = await openStage({ top }, { top: TOML });
  const root = newRunId('top', Date.now());
  // It has no holder: its process has died.
  const execution = await startRun(root, { agent: 'top', prompt: 'go' }, pipeline);
  const stage = await openStageIn(cwd, { top: () => 'done' });
  if (scene === 'has its answer') {
    await pipeline.executions.wait(execution);
    for (const run of await pipeline.store.tree(root)) await pipeline.executions.wait(run.execution);
    const run = (await named(stage, root, 'a'))?.id ?? '';
    const ports = { ...pipeline, now: Date.now };
    await leaveMessage({ run, text: 'go on' }, ports);
    await wakeForPerson(run, ports);
  }
  await isAtWork.opened;
  const status = { works: 'running', waits: 'running', 'is idle': 'idle', 'has its answer': 'succeeded' };
  await expect
    .poll(async () => {
      const tree = await stage.pipeline.store.tree(root);
      const waits = await stage.pipeline.store.mailWaits(root);
      return [...tree.map((run) => `${nameOf(run)} ${run.status}`), waits.length];
    })
    .toEqual([`top ${status[scene]}`, 'a running', 'b idle', ['waits', 'is idle'].includes(scene) ? 1 : 0]);
  return { stage, root };
}

async function write({ environment }: Stage, { id }: Run): Promise<void> {
  await environment.send({ run: id, text: 'p1' });
  await environment.ended(id, { wholeTree: true });
}

async function kill({ environment }: Stage, run: Run | undefined): Promise<void> {
  if (run === undefined) expect.fail('there is no such run');
  await environment.kill(run);
  await environment.ended(run.root, { wholeTree: true });
}

async function restOf({ pipeline }: Stage, root: string) {
  const tree = await pipeline.store.tree(root);
  return { statuses: tree.map((run) => run.status), isHeld: await pipeline.local.locks.isTaken(root) };
}

describe.each(SCENES)('a tree whose process died while its top %s', (scene) => {
  test.each(['top', 'a', 'b'])('goes on when a person writes to %s', async (name) => {
    const { stage, root } = await left(scene);
    const run = await named(stage, root, name);
    if (run !== undefined) await write(stage, run);
    expect(await restOf(stage, root)).toEqual({ statuses: ['succeeded', 'idle', 'idle'], isHeld: false });
  });

  test.each(['top', 'b'])('goes on when a person kills a, after a message was left for %s', async (name) => {
    const { stage, root } = await left(scene);
    const { store } = stage.pipeline;
    const [to, a] = [await named(stage, root, name), await named(stage, root, 'a')];
    await leaveMessage({ run: to?.id ?? '', text: 'p1' }, { store, now: Date.now });
    await kill(stage, a);
    expect(await restOf(stage, root)).toEqual({ statuses: ['succeeded', 'stopped', 'idle'], isHeld: false });
  });

  test('goes on when a person kills a while another process carries it on, and dies', async () => {
    const { stage, root } = await left(scene);
    const { locks } = stage.pipeline.local;
    const a = await named(stage, root, 'a');
    // As the lock of the other process, which is gone once a is closed.
    await locks.take(root);
    stage.onEvent((event) => void (event.type === 'run_closed' && locks.release(root)));
    await kill(stage, a);
    expect(await restOf(stage, root)).toEqual({ statuses: ['succeeded', 'stopped', 'idle'], isHeld: false });
  });

  test('goes on when a person kills b, after a message was left', async () => {
    const { stage, root } = await left(scene);
    const { store } = stage.pipeline;
    await leaveMessage({ run: root, text: 'p1' }, { store, now: Date.now });
    await kill(stage, await named(stage, root, 'b'));
    expect(await restOf(stage, root)).toEqual({ statuses: ['succeeded', 'idle', 'stopped'], isHeld: false });
  });
});

test('a tree goes on as a whole if its carrier dies before a kill wakes the agent that is told of it', async () => {
  const isAtWork = latch();
  const { cwd, pipeline } = await openStage(
    {
      top(asked) {
        const who = nameIn(asked);
        if (who === 'top' && asked.turn === 1) return [use('fork', { prompt: 'go', name: 'b' })];
        if (who === 'b' && asked.told.startsWith('[You are agent'))
          return [use('fork', { prompt: 'go', name: 'c' })];
        if (who === 'b') return 'b is done';
        if (who === 'c') isAtWork.open();
        return new Promise(() => {});
      },
    },
    { top: TOML },
  );
  const root = newRunId('top', Date.now());
  await startRun(root, { agent: 'top', prompt: 'go' }, pipeline);
  await isAtWork.opened;
  const stage = await openStageIn(cwd, { top: () => 'done' });
  const statuses = async () => (await stage.pipeline.store.tree(root)).map((run) => run.status);
  await expect.poll(statuses).toEqual(['running', 'idle', 'running']);
  const { locks } = stage.pipeline.local;
  // Another process had the tree then, and has died since.
  vi.spyOn(locks, 'take').mockRejectedValueOnce(new CarriedError('running in another process'));
  const c = await named(stage, root, 'c');
  await kill(stage, c);
  expect(await restOf(stage, root)).toEqual({ statuses: ['succeeded', 'idle', 'stopped'], isHeld: false });
});
