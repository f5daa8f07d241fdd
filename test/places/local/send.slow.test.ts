import { seconds } from '../../../src/core/records/times.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { followRun } from '../../../src/doors/cli/commands/follow-run.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import type { RecordedIo } from '../../fixtures/recorded-io.ts';
import {
  latch,
  openStage,
  openStageIn,
  silence,
  use,
  type Asked,
  type Ended,
  type Role,
  type Stage,
} from '../../fixtures/stage.ts';

/** Writes to a run whose tree has no carrier, and carries it to its next end. */
async function send({ environment }: Stage, run: string, text: string) {
  await environment.send({ run, text });
  return environment.ended(run, { wholeTree: true });
}

/** The same with what `cadre send` says. @returns the exit code */
function follow({ environment }: Stage, run: string, text: string, io: RecordedIo) {
  const options = { verbose: false, json: false };
  return followRun(run, () => environment.send({ run, text }), environment, options, io);
}

describe('a message to an agent', () => {
  test('that has ended goes on with all that it knew, and counts its turns from there', async () => {
    const top: Role = (asked) => `${asked.request.messages.length}: ${asked.told}`;
    const stage = await openStage({ top });
    const { run } = await stage.run();
    expect(await send(stage, run.id, 'and now?')).toMatchObject({ status: 'succeeded', holder: 2 });
    expect(await send(stage, run.id, 'again')).toMatchObject({ status: 'succeeded', holder: 3 });
    const turns = await stage.pipeline.store.turns(run.id);
    expect(turns.map(({ answer }) => answer.text)).toEqual(['1: go', '3: and now?', '5: again']);
    expect(stage.asked.at(-1)?.request.messages).toEqual([
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '1: go', calls: [] },
      { role: 'user', text: 'and now?' },
      { role: 'assistant', text: '3: and now?', calls: [] },
      { role: 'user', text: 'again' },
    ]);
  });

  test('that works is read with the results of its calls', async () => {
    const isSent = latch();
    const isAsked = latch();
    const top: Role = async ({ turn, request }) => {
      if (turn === 1) {
        isAsked.open();
        await isSent.opened;
        return [use('glob', { pattern: '*' })];
      }
      return JSON.stringify(request.messages.slice(2).map(({ role }) => role));
    };
    const stage = await openStage({ top }, { top: 'tools = ["files:read"]\n' });
    const ended = stage.run();
    await isAsked.opened;
    let id = '';
    for await (const run of stage.pipeline.store.roots(1)) id = run.id;
    await stage.environment.send({ run: id, text: 'one more thing' });
    isSent.open();
    expect((await ended).out).toBe('["tool","user"]');
    expect(stage.asked.at(-1)?.request.messages.at(-1)).toEqual({ role: 'user', text: 'one more thing' });
  });

  test('that comes with the last answer is answered, too', async () => {
    const isSent = latch();
    const isAsked = latch();
    const top: Role = async (asked) => {
      if (asked.turn > 1) return `then ${asked.told}`;
      isAsked.open();
      await isSent.opened;
      return 'first';
    };
    const stage = await openStage({ top });
    const ended = stage.run();
    await isAsked.opened;
    let id = '';
    for await (const run of stage.pipeline.store.roots(1)) id = run.id;
    await stage.environment.send({ run: id, text: 'more' });
    isSent.open();
    expect((await ended).out).toBe('then more');
  });

  test('that failed goes on from there', async () => {
    let isBroken = true;
    const top: Role = (asked) => {
      if (isBroken) throw new Error('broken');
      return asked.told;
    };
    const stage = await openStage({ top });
    const { run } = await stage.run();
    expect(run.status).toBe('failed');
    isBroken = false;
    expect(await send(stage, run.id, 'try again')).toMatchObject({ status: 'succeeded' });
    expect(stage.asked.at(-1)?.request.messages).toEqual([
      { role: 'user', text: 'go' },
      { role: 'user', text: 'try again' },
    ]);
  });

  test('is answered in an execution that has its history to itself', async () => {
    const top: Role = ({ turn, results }) =>
      turn === 3 ? [use('glob', { pattern: '*.txt' })] : (results[0] ?? 'done');
    const stage = await openStage({ top }, { top: 'tools = ["files:read"]\n' }, { 'a.txt': 'x' });
    const { run } = await stage.run();
    // As many calls as no execution has room for.
    const [first] = await stage.pipeline.store.turns(run.id);
    const plan = {
      kind: 'invoke',
      subject: '',
      writes: false,
      isRepeatable: true,
      seconds: seconds(1),
    } as const;
    const full = Array.from({ length: 2_000 }, () => plan);
    if (first !== undefined)
      await stage.pipeline.store.saveTurn(run.id, { ...first, number: 2, plans: full });
    expect(await send(stage, run.id, 'more')).toMatchObject({ status: 'succeeded' });
    const turns = await stage.pipeline.store.turns(run.id);
    expect(turns.at(-1)?.answer.text).toBe('a.txt');
  });

  test('that was started by another is answered to its sender', async () => {
    const kid: Role = (asked) => `kid: ${asked.told}`;
    const top: Role = ({ turn, results }) =>
      turn === 1 ? [use('call_agent', { agent: 'kid', task: 'x' })] : results.join();
    const stage = await openStage({ top, kid }, { top: 'sub_agents = ["kid"]\n' });
    const { tree, out } = await stage.run();
    expect(out).toBe('kid: Task: x');
    const [root, child] = tree;
    expect(await send(stage, child?.id ?? '', 'and y?')).toMatchObject({ status: 'succeeded', holder: 2 });
    const turns = await stage.pipeline.store.turns(child?.id ?? '');
    expect(turns.at(-1)?.answer.text).toBe('kid: and y?');
    expect(await stage.pipeline.store.run(root?.id ?? '')).toMatchObject({ status: 'succeeded', holder: 1 });
  });

  test('is carried out until those are at rest, too, who are told of what was stopped', async () => {
    const isAsked = latch();
    let isTold = false;
    const top: Role = async (asked) => {
      const texts = asked.request.messages.flatMap((message) =>
        message.role === 'user' ? [message.text] : [],
      );
      const who = texts.findLast((text) => text.startsWith('[You are agent'))?.split('"')[1] ?? 'top';
      if (who === 'b') {
        isAsked.open();
        return silence(asked);
      }
      if (who === 'top' && asked.turn === 1) return [use('fork', { prompt: 'go', name: 'a' })];
      if (asked.told === 'try it') return [use('fork', { prompt: 'go', name: 'b' })];
      if (who === 'a' && asked.told.startsWith('[Notification')) {
        await delay(50);
        isTold = true;
      }
      return 'done';
    };
    const stage = await openStage({ top }, { top: 'tools = ["fork"]\n' });
    const { tree, run } = await stage.run();
    const sent = send(stage, tree[1]?.id ?? '', 'try it');
    await isAsked.opened;
    const { executions, store } = stage.pipeline;
    await expect.poll(async () => (await store.tree(run.id))[1]?.status).toBe('idle');
    await executions.stop((await store.tree(run.id))[2]?.execution ?? '', 'enough');
    await sent;
    expect(isTold).toBe(true);
    const left = (await store.tree(run.id)).map(({ status }) => status);
    expect(left).toEqual(['succeeded', 'idle', 'stopped']);
    expect(await stage.pipeline.local.locks.isTaken(run.id)).toBe(false);
  });

  test('that was interrupted goes on when its tree is resumed, with what is below', async () => {
    const isAsked = latch();
    const isPersons = (asked: Asked) => asked.told === 'p1';
    const top: Role = (asked) => {
      if (!isPersons(asked)) return 'ready';
      if (stage.asked.filter(isPersons).length > 1) return 'heard p1';
      isAsked.open();
      return silence(asked);
    };
    const stage: Stage = await openStage({ top }, { top: 'tools = ["fork"]\n' });
    const { run } = await stage.run();
    const fork = await stage.environment.fork(run);
    await send(stage, fork.id, 'p0');
    const below = await stage.environment.fork(fork);
    const io = stage.io();
    const sent = follow(stage, fork.id, 'p1', io);
    await isAsked.opened;
    io.interrupt?.();
    expect(await sent).toBe(130);
    expect(io.err).toMatch(new RegExp(`; continue it with: cadre resume ${run.id}\n$`));
    const statuses = ({ tree }: Ended) => tree.map(({ status }) => status);
    expect(statuses(await stage.resume(run.id))).toEqual(['succeeded', 'idle', 'idle']);
    const turns = await stage.pipeline.store.turns(fork.id);
    expect(turns.map(({ answer }) => answer.text)).toEqual(['ready', 'heard p1']);
    expect(await stage.pipeline.store.turns(below.id)).toEqual([]);
    await expect(stage.resume(run.id)).rejects.toThrow(`run "${run.id}" already has an answer`);
  });

  test('to a fork that fails is followed by another', async () => {
    const top: Role = (asked) => {
      if (asked.turn === 1) return 'ready';
      throw new Error('no');
    };
    const stage = await openStage({ top }, { top: 'tools = ["fork"]\n' });
    const { run } = await stage.run();
    const fork = await stage.environment.fork(run);
    const io = stage.io();
    expect(await follow(stage, fork.id, 'p1', io)).toBe(1);
    expect(io.err).toMatch(new RegExp(`; continue it with: cadre send ${fork.id} "…"\n$`));
  });

  test.each(['its own process', 'another process'])(
    'that is idle gives it all of its time again, from %s',
    async (from) => {
      const [goesOn, isOpened] = [latch(), latch()];
      const top: Role = async (asked) => {
        if (asked.told.startsWith('[You are agent')) {
          await goesOn.opened;
          return 'done';
        }
        if (asked.turn === 1) return [use('fork', { prompt: 'go', name: 'a' })];
        if (asked.told === 'p1') goesOn.open();
        return 'ready';
      };
      const one = await openStage({ top }, { top: 'tools = ["fork"]\ntimeout = 600\n' });
      let id = '';
      one.onEvent((event) => {
        if (event.type !== 'turn_started' || id !== '') return;
        id = event.run;
        isOpened.open();
      });
      const ended = one.run();
      await isOpened.opened;
      for await (const { records } of one.environment.look({ id }, new AbortController().signal)) {
        if (records.runs.get(id)?.run.status === 'idle') break;
      }
      if (from === 'its own process') await one.environment.send({ run: id, text: 'p1' });
      else {
        const { store } = (await openStageIn(one.cwd, { top })).pipeline;
        await leaveMessage({ run: id, text: 'p1' }, { store, now: Date.now });
      }
      await ended;
      const history = JSON.stringify(one.histories(id).get(id));
      const deadlines = Array.from(history.matchAll(/deadline\W+(\d+)/g), ([, time]) => Number(time));
      expect(deadlines.at(-1)).toBeGreaterThan(deadlines[0] ?? 0);
      expect(deadlines.at(-1)).toBe(Math.max(...deadlines));
    },
  );

  test.each([
    ['', 'the message is empty'],
    ['x'.repeat(100_001), 'the message has 100001 characters; at most 100000 are allowed'],
  ])('is refused if it is %.5j', async (text, refusal) => {
    const stage = await openStage({ top: () => 'done' });
    const { run } = await stage.run();
    await expect(stage.environment.send({ run: run.id, text })).rejects.toThrow(refusal);
  });
});

test('a person adds to the budget of a tree that has used it up', async () => {
  const stage = await openStage({ top: (asked) => `${asked.turn}` }, { top: 'budget = { max_turns = 1 }\n' });
  const { run } = await stage.run();
  expect(await send(stage, run.id, 'and now?')).toMatchObject({ status: 'budget_exceeded' });
  await stage.environment.addBudget(run.id, { turns: 1 }, 'ann');
  const after = await send(stage, run.id, 'and now?');
  expect(after).toMatchObject({ status: 'succeeded', added: [{ amounts: { turns: 1 }, by: 'ann' }] });
  await expect(stage.environment.addBudget(run.id, { tokens: 1 })).rejects.toThrow(
    `run "${run.id}" has no limit of tokens, so there is nothing to add to`,
  );
  // What was added counts in what is said of the limit.
  expect(await send(stage, run.id, 'once more')).toMatchObject({
    status: 'budget_exceeded',
    exceeded: 'budget exceeded: used 2 of 2 turns',
  });
});
