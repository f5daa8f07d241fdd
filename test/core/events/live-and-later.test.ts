import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/errors.ts';
import { cases } from '../../fixtures/cases.ts';
import { call, latch, openStage, silence, type Asked, type Line } from '../../fixtures/stage.ts';
import { cutsOf, expectNested, follow, joined, listed, listedLive, openRun } from './harness.ts';
import { inOrder } from './in-order.ts';

/** An agent's part: in each turn its calls, and at last an answer or a failure. */
interface Part {
  turns: ('read' | 'refused' | Part)[][];
  fails: boolean;
}

function partOf(levels: number): fc.Arbitrary<Part> {
  const leaf = fc.constantFrom('read' as const, 'refused' as const);
  const item = levels === 0 ? leaf : fc.oneof({ weight: 2, arbitrary: partOf(levels - 1) }, leaf);
  const calls = fc.array(item, { minLength: 1, maxLength: 3 });
  return fc.record({
    turns: fc.array(calls, { maxLength: levels === 0 ? 1 : 2 }),
    fails: fc.boolean().map((fails) => fails && levels < 2),
  });
}

/** Parts are known by their place: `top.1-2` is what the first turn of the top calls second. */
function partAt(top: Part, place: string): Part {
  const [, ...steps] = place.split('.');
  return steps.reduce((part, step) => {
    const [turn = 0, index = 0] = step.split('-').map(Number);
    const found = part.turns[turn - 1]?.[index - 1];
    if (found === undefined || typeof found === 'string') throw new Error(`there is no ${place}`);
    return found;
  }, top);
}

function play(top: Part): (asked: Asked) => Line {
  return ({ message, turn, onDelta }) => {
    const place = /top[.\d-]*/.exec(message)?.[0] ?? '';
    const { turns, fails } = partAt(top, place);
    const calls = turns[turn - 1];
    if (calls === undefined) {
      if (fails) throw new ModelError('bad_request', `${place} fails`);
      onDelta?.({ type: 'text', text: `${place} has ` });
      return `${place} has answered`;
    }
    return calls.map((item, index) => {
      if (item === 'read') return { id: `r${index}`, name: 'read_file', arguments: { path: 'f' } };
      if (item === 'refused') return { id: `n${index}`, name: 'no_such_tool', arguments: {} };
      return call('top', `${place}.${turn}-${index + 1}`);
    });
  };
}

const openTree = (top: Part) =>
  openStage(
    { top: play(top) },
    { top: 'sub_agents = ["top"]\ntools = ["read_file"]\n[sub_agents_config]\nmax_depth = 5\n' },
    { f: 'a line\n' },
  );

test('of any tree, who watches live and who reads later gets the same events, in the same order within a run, nested', async () => {
  const property = fc.asyncProperty(partOf(2), async (part) => {
    const { top, store, run } = await openRun(await openTree(part), { prompt: 'top' });
    const watching = listedLive(top, store);
    await run();
    const live = await watching;
    const later = await listed(top, store);
    expect(inOrder(live)).toEqual(inOrder(later));
    expectNested(live);
    expectNested(later);
    expect(later[0]?.event.type).toBe('run_opened');
    expect(later.at(-1)?.event).toMatchObject({ type: 'run_closed', run: top.id });
  });
  await fc.assert(property, { numRuns: cases(8) });
});

test('a client that is cut off anywhere goes on behind it: nothing is lost and nothing comes twice', async () => {
  const property = fc.asyncProperty(
    partOf(2),
    fc.double({ min: 0, max: 1, noNaN: true }),
    async (part, where) => {
      const { top, store, run } = await openRun(await openTree(part), { prompt: 'top' });
      const watching = cutsOf(top, store);
      await run();
      const live = await watching;
      const later = await cutsOf(top, store);
      for (const cuts of [live, later]) {
        const at = Math.floor(where * (cuts.length - 2));
        const rest = await cutsOf(top, store, cuts[at]?.cursor);
        const union = [...cuts.slice(0, at + 1), ...rest].map(({ event }) => event);
        expect(joined(union)).toEqual(joined(later.map(({ event }) => event)));
      }
    },
  );
  await fc.assert(property, { numRuns: cases(8) });
});

test('a client that is cut off at any event of one tree goes on behind it', async () => {
  const part: Part = {
    fails: false,
    turns: [['read', { turns: [['read', 'refused']], fails: false }, { turns: [], fails: true }], ['read']],
  };
  const { top, store, run } = await openRun(await openTree(part), { prompt: 'top' });
  await run();
  const all = await cutsOf(top, store);
  const events = all.map(({ event }) => event);
  expect(events.length).toBeGreaterThan(50);
  for (const [index, { cursor }] of all.slice(0, -1).entries()) {
    const rest = await cutsOf(top, store, cursor);
    expect(rest.map(({ event }) => event)).toEqual(events.slice(index + 1));
  }
});

describe('a turn that is under way', () => {
  test('is told when it begins, with the words of its answer as they are written', async () => {
    const goesOn = latch();
    let answer = '';
    const stage = await openStage({
      async top({ onDelta }) {
        const say = (text: string) => {
          answer += text;
          onDelta?.({ type: 'text', text });
        };
        for (let isOver = false; !isOver;) {
          say('word ');
          isOver = await Promise.race([goesOn.opened.then(() => true), delay(20, false)]);
        }
        return answer;
      },
    });
    const { top, store, run } = await openRun(stage);
    // A client watches before the run begins.
    await store.watch(top.id, Date.now() + 60_000);
    const running = run();
    const types: string[] = [];
    let told = '';
    for await (const { event } of follow(top, store)) {
      types.push(event.type);
      if (event.type !== 'message_delta') continue;
      told += event.text;
      goesOn.open();
    }
    await running;
    expect(types).toEqual(['run_opened', 'turn_started', 'message_delta', 'turn_finished', 'run_closed']);
    expect(told).toMatch(/^(word )+$/);
    expect(answer.startsWith(told)).toBe(true);
  });

  test('leaves nothing in the store where no client watches', async () => {
    const stage = await openStage({
      top: ({ onDelta }) => {
        onDelta?.({ type: 'text', text: 'so' });
        return 'so';
      },
    });
    const { top, store, run } = await openRun(stage);
    await run();
    expect([await store.draft(top.id), await store.watchedUntil(top.id)]).toEqual([undefined, 0]);
  });

  test('is told later too if the run failed in it', async () => {
    const stage = await openStage({
      top: () => {
        throw new ModelError('auth', 'no such key');
      },
    });
    const { top, store, run } = await openRun(stage);
    const watching = listedLive(top, store);
    await run();
    const types = ['run_opened', 'turn_started', 'run_closed'];
    expect((await watching).map(({ event }) => event.type)).toEqual(types);
    expect((await listed(top, store)).map(({ event }) => event.type)).toEqual(types);
  });

  test('is told later too if the run was stopped while its model took no more', async () => {
    const stage = await openStage(
      {
        top: () => {
          throw new ModelError('rate_limit', 'slow down');
        },
      },
      { top: '[retry]\nmax_retries = 2\n' },
    );
    const { top, store, run } = await openRun(stage);
    stage.onEvent(({ type }) => type === 'turn_waiting' && stage.pipeline.machines.stopAll('enough'));
    const watching = listedLive(top, store);
    await run();
    const types = ['run_opened', 'turn_started', 'run_closed'];
    expect((await watching).map(({ event }) => event.type)).toEqual(types);
    expect((await listed(top, store)).map(({ event }) => event.type)).toEqual(types);
  });
});

test('a tree that is stopped in the middle is told to its end, live and later', async () => {
  const [isAsked, hasAnswered] = [latch(), latch()];
  const stage = await openStage(
    {
      top: () => [call('quick', 'x'), call('slow', 'x'), call('quick', 'y')],
      slow(asked) {
        isAsked.open();
        return silence(asked);
      },
      quick({ message }) {
        if (message.includes('y')) hasAnswered.open();
        return 'so';
      },
    },
    { top: 'sub_agents = ["quick", "slow"]\n' },
  );
  const { top, store, run } = await openRun(stage);
  const watching = listedLive(top, store);
  const running = run();
  await Promise.all([isAsked.opened, hasAnswered.opened]);
  const { execution = '' } = (await store.run(top.id)) ?? {};
  await stage.pipeline.executions.stop(execution, 'enough');
  await running;
  const live = await watching;
  expect(inOrder(live)).toEqual(inOrder(await listed(top, store)));
  const slow = live.filter(({ event }) => event.agent === 'slow').map(({ event }) => event.type);
  expect(slow).toEqual(['run_opened', 'turn_started', 'run_closed']);
  expect(live.at(-1)?.event).toMatchObject({ type: 'run_closed', run: top.id, status: 'stopped' });
  const finished = live.flatMap(({ event }) => (event.type === 'call_finished' ? [event.call] : []));
  expect(finished).not.toContain(2);
});

test('the context of a conversation is told by name, without being read', async () => {
  const stage = await openStage(
    { top: () => 'done' },
    { top: 'skill = "digging"\nfiles = ["notes/*.md"]\n' },
    { 'skills/digging/SKILL.md': 'Dig deep.', 'notes/b.md': 'secret b', 'notes/a.md': 'secret a' },
  );
  const { top, store, run } = await openRun(stage);
  await run();
  const events = (await listed(top, store)).map(({ event }) => event);
  expect(events.slice(1, 3)).toMatchObject([
    { type: 'skill_loaded', skill: 'digging' },
    { type: 'context_discovered', files: ['notes/a.md', 'notes/b.md'] },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/secret|Dig deep/);
});
