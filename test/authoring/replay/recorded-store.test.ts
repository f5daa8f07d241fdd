import { expect, test } from 'vitest';
import type { RecordedRun } from '../../../src/authoring/replay/recording.ts';
import { createRecordedStore } from '../../../src/authoring/replay/recorded-store.ts';
import { anOpened, aRun, aSubAgent, aTurn } from '../../fixtures/records.ts';

const TOP = aRun({ status: 'failed', endedAt: '2026-01-01T00:09:00.000Z', exceeded: 'max_usd' });
const KID = aSubAgent(TOP, { name: 'scout', status: 'succeeded' });
const NOTHING = { turns: [], results: {}, answers: {}, ofPeople: [] };
const ALSO = { at: '2026-01-01T00:00:00.000Z', text: 'kept', isError: false, startedAt: '', durationMs: 3 };

const YES = { text: 'yes', at: '2026-01-01T00:01:00.000Z' };
const decided = (decision: 'allow' | 'deny' | 'ask') => ({
  decision,
  hook: 'check.mjs',
  on: 'before_call' as const,
  at: '2026-01-01T00:01:00.000Z',
  durationMs: 1,
});

const top: RecordedRun = {
  ...NOTHING,
  run: TOP,
  opened: anOpened({
    message: 'go\n\nContext:\nlake',
    inputAt: 'go\n\nContext:\n'.length,
    folder: '/theirs',
  }),
  turns: [
    aTurn({ number: 1, told: ['m1'], received: [{ role: 'user', text: 'first' }] }),
    aTurn({
      number: 2,
      told: ['m2', 'm3'],
      isNoticed: true,
      received: [
        { role: 'tool', results: [{ callId: 'c', name: 'grep', text: 'found', isError: true }] },
        { role: 'user', text: 'before' },
        { role: 'user', text: 'two' },
        { role: 'user', text: 'three' },
        { role: 'user', text: 'turns end' },
      ],
    }),
  ],
  results: { t1c2: ALSO },
  answers: { t1c1: YES },
  decisions: [
    { turn: 1, call: 1, hook: 0, decided: decided('allow') },
    { turn: 1, call: 1, hook: 0, isEdited: true, decided: decided('deny') },
    { turn: 2, call: 1, hook: 0, decided: decided('ask') },
  ],
  ofPeople: ['m1'],
};
const kid: RecordedRun = { ...NOTHING, run: KID };
const mail = (id: string, body: string) => ({ id, body, sentAt: '' });

test('a run that is repeated finds what it found at its moment', async () => {
  const { store, goTo, run, recorded } = createRecordedStore({ runs: [top, kid] });
  expect([run(TOP.id), run('gone')]).toEqual([top, undefined]);
  expect(await store.run(TOP.id)).toEqual(TOP);
  goTo({ recorded: top, turn: 2 });
  const { endedAt: _endedAt, exceeded: _exceeded, ...rest } = TOP;
  expect(await store.run(TOP.id)).toEqual({ ...rest, status: 'running', hasMail: true });
  expect(await store.run(KID.id)).toEqual(KID);
  expect(await store.mails(TOP.id)).toEqual([
    mail('m1', ''),
    mail('m2', 'two'),
    mail('m3', 'three'),
    mail('notice', 'turns end'),
  ]);
  expect(await store.mails(KID.id)).toEqual([]);
  expect([await store.turns(TOP.id), (await store.turns(KID.id)).length]).toEqual([top.turns.slice(0, 1), 0]);
  expect([await store.turn(TOP.id, 1), await store.turn(TOP.id, 2), await store.newestTurn(TOP.id)]).toEqual([
    top.turns[0],
    undefined,
    top.turns[0],
  ]);
  expect([await recorded.turns(TOP.id), await recorded.opened(TOP.id)]).toEqual([top.turns, top.opened]);
  goTo({ recorded: top, turn: 3 });
  expect(await store.mails(TOP.id)).toEqual([mail('m1', '')]);
});

test('results, answers and decisions are those that were recorded', async () => {
  const { store, goTo } = createRecordedStore({ runs: [top, kid] });
  goTo({ recorded: top, turn: 2 });
  const at = (turn: number, call: number, run = TOP.id) => ({ run, root: TOP.id, turn, call });
  expect(
    await Promise.all([at(1, 2), at(1, 1), at(1, 3), at(2, 1), at(1, 1, KID.id)].map(store.callResult)),
  ).toEqual([
    ALSO,
    { text: 'found', isError: true, startedAt: '', durationMs: 0 },
    undefined,
    undefined,
    undefined,
  ]);
  expect([
    await store.answer(at(1, 1)),
    await store.answer(at(1, 2)),
    await store.saveAnswer(at(1, 1), { ...YES, text: 'no' }),
  ]).toEqual([YES, undefined, YES]);
  expect((await store.decisions(TOP.id, 1)).length).toBe(2);
  const asked = { run: TOP.id, turn: 1, call: 1, hook: 0 };
  expect([
    await store.decision(asked),
    await store.decision({ ...asked, isEdited: true }),
    await store.decision({ ...asked, hook: 1 }),
    await store.decision({ ...asked, call: 2 }),
    await store.decision({ ...asked, run: KID.id }),
  ]).toEqual([decided('allow'), decided('deny'), undefined, undefined, undefined]);
  expect([await store.claimName(KID, 'other'), await store.claimName(TOP, 'other')]).toEqual([
    'scout',
    'other',
  ]);
});

test('what a schedule has started is asked what its conversation begins with', async () => {
  const requestOf = async (recorded: RecordedRun) =>
    createRecordedStore({ runs: [recorded] }).store.request(recorded.run.id);
  const request = { agent: 'top', prompt: 'as it was asked' };
  expect([
    await requestOf(top),
    await requestOf({ ...top, opened: anOpened({ message: 'go' }) }),
    await requestOf({ ...top, request }),
    await requestOf({ ...NOTHING, run: TOP }),
    await requestOf({ ...kid, opened: anOpened({ message: 'go' }) }),
  ]).toEqual([
    { agent: 'top', prompt: 'go', context: 'lake' },
    { agent: 'top', prompt: 'go' },
    request,
    undefined,
    undefined,
  ]);
});

test('what a run makes at a moment is told apart from what was recorded', async () => {
  const { store, goTo } = createRecordedStore({ runs: [top, kid] });
  const made = goTo({ recorded: top, turn: 2 });
  const opened = anOpened({ message: 'again', folder: '/ours' });
  const { budget: _budget, ...kept } = opened;
  expect(await store.saveOpened(TOP.id, opened)).toEqual({ ...kept, folder: '/theirs' });
  expect(await store.opened(TOP.id)).toEqual({ ...kept, folder: '/theirs' });
  const turn = aTurn({ number: 2 });
  const later = aTurn({ number: 9 });
  expect([await store.saveTurn(TOP.id, turn), await store.saveTurn(TOP.id, later)]).toEqual([
    top.turns[1],
    later,
  ]);
  await store.updateRun(TOP.id, (run) => ({ ...run, exceeded: 'max_turns' }));
  expect(made).toEqual({ opened, turn: later, exceeded: 'max_turns' });
  expect(goTo({ recorded: top, turn: 2 })).toEqual({});
});
