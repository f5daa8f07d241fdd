import { describe, expect, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import type { ForkPoint } from '../../../src/core/lifecycle/fork-from-turn.ts';
import type { Message } from '../../../src/core/records/message.ts';
import { openStage, use, type Role, type Stage } from '../../fixtures/stage.ts';

const user = (text: string): Message => ({ role: 'user', text });

/** Makes a copy, and waits until it rests. */
async function fork(stage: Stage, id: string, point: ForkPoint) {
  const origin = await stage.pipeline.store.run(id);
  if (origin === undefined) throw new Error(`no run ${id}`);
  const copy = newRunId(origin.agent, Date.now());
  await stage.environment.fork(origin, { id: copy, ...point });
  await stage.environment.ended(copy, { wholeTree: true });
  const [run] = await stage.pipeline.store.tree(copy);
  return { copy, run };
}

/** Notes a word with each of its first two turns, and answers with all that it was told. */
const notes: Role = ({ turn, request, told }) => {
  if (turn <= 2) return [use('write_file', { path: `note-${turn}.txt`, content: 'x' })];
  return `${request.messages.length} messages, the last: ${told}`;
};

const WRITES = { top: 'tools = ["files"]\nmode = "auto"\n' };

const said = (stage: Stage) => stage.asked.at(-1)?.request.messages ?? [];
const roles = (messages: readonly Message[]) => messages.map(({ role }) => role);

describe('a fork from a turn', () => {
  test('knows the conversation before that turn, and is told other words', async () => {
    const stage = await openStage({ top: ({ told }) => `heard ${told}` });
    const { run } = await stage.run({ prompt: 'one' });
    await stage.environment.send({ run: run.id, text: 'two' });
    await stage.environment.ended(run.id, { wholeTree: true });
    const { run: copy } = await fork(stage, run.id, { turn: 2, text: 'three' });
    expect(said(stage)).toEqual([
      user('one'),
      { role: 'assistant', text: 'heard one', calls: [] },
      user('three'),
    ]);
    expect(copy).toMatchObject({
      status: 'succeeded',
      forkedFrom: { root: run.id, run: run.id, turn: 2 },
      task: 'three',
      path: '',
    });
    expect(await stage.pipeline.store.tree(run.id)).toHaveLength(1);
  });

  test('goes on after the newest answer where no turn is named', async () => {
    const stage = await openStage({ top: ({ told }) => `heard ${told}` });
    const { run } = await stage.run({ prompt: 'one' });
    const { run: copy } = await fork(stage, run.id, { text: 'two' });
    expect(roles(said(stage))).toEqual(['user', 'assistant', 'user']);
    expect(copy?.forkedFrom).toEqual({ root: run.id, run: run.id, turn: 2 });
  });

  test('makes no call again, and hears an added instruction after the results', async () => {
    const stage = await openStage({ top: notes }, WRITES);
    const { run } = await stage.run();
    const before = stage.asked.length;
    const { run: copy } = await fork(stage, run.id, { turn: 3, text: 'be brief' });
    expect(stage.asked.length - before).toBe(1);
    expect(roles(said(stage))).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'user']);
    expect(said(stage).at(-1)).toEqual(user('be brief'));
    expect(copy?.usage).toMatchObject({ turns: 1, toolCalls: 0 });
  });

  test('sends the same bytes as the turn itself where nothing is changed', async () => {
    const stage = await openStage({ top: notes }, WRITES);
    const { run } = await stage.run();
    const [, , third] = stage.asked;
    const { run: copy } = await fork(stage, run.id, { turn: 3 });
    expect({ ...stage.asked.at(-1)?.request, signal: 0 }).toEqual({ ...third?.request, signal: 0 });
    expect(copy?.task).toBe('go');
  });

  test('is given another task with the input that the first one had', async () => {
    const stage = await openStage({ top: ({ message }) => message });
    const { run } = await stage.run({ prompt: 'sum up', context: 'a long text' });
    await fork(stage, run.id, { turn: 1, text: 'translate' });
    expect(said(stage)).toEqual([user('translate\n\nContext:\na long text')]);
    const { copy } = await fork(stage, run.id, { turn: 1 });
    expect(said(stage)).toEqual([user('sum up\n\nContext:\na long text')]);
    await fork(stage, copy, { turn: 1, text: 'again' });
    expect(said(stage)).toEqual([user('again\n\nContext:\na long text')]);
  });

  test('of a fork has the words of that fork to change', async () => {
    const stage = await openStage({ top: ({ told }) => `heard ${told}` });
    const { run } = await stage.run({ prompt: 'one' });
    const { copy } = await fork(stage, run.id, { text: 'two' });
    await fork(stage, copy, { turn: 1, text: 'other' });
    expect(said(stage)).toEqual([
      user('one'),
      { role: 'assistant', text: 'heard one', calls: [] },
      user('other'),
    ]);
  });

  test('of a sub-agent is a tree of its own, which may delegate no deeper than that one', async () => {
    const kid: Role = ({ told }) => `kid: ${told}`;
    const top: Role = ({ turn, results }) =>
      turn === 1 ? [use('call_agent', { agent: 'kid', task: 'look' })] : results.join();
    const stage = await openStage({ top, kid }, { top: 'sub_agents = ["kid"]\n' });
    const { tree } = await stage.run();
    const { run: copy } = await fork(stage, tree[1]?.id ?? '', { turn: 1, text: 'Task: look again' });
    expect(said(stage)).toEqual([user('Task: look again')]);
    expect(copy).toMatchObject({ agent: 'kid', depth: 0, status: 'succeeded' });
    const opened = await stage.pipeline.store.opened(copy?.id ?? '');
    expect([opened?.root, opened?.delegation.depth]).toEqual([copy?.id, 1]);
  });

  test('has another model, and the time that its tree was given', async () => {
    const stage = await openStage({ top: () => 'one', other: () => 'two' });
    const { run } = await stage.run();
    const { run: copy } = await fork(stage, run.id, { turn: 1, model: 'stage/other' });
    expect(copy).toMatchObject({ model: 'stage/other', timeout: run.timeout, status: 'succeeded' });
  });

  test('lives on without the tree that it was made from', async () => {
    const stage = await openStage({ top: ({ told }) => `heard ${told}` });
    const { run } = await stage.run({ prompt: 'one' });
    const { copy } = await fork(stage, run.id, { text: 'two' });
    await stage.pipeline.store.deleteTrees([run.id]);
    await stage.environment.send({ run: copy, text: 'three' });
    await stage.environment.ended(copy, { wholeTree: true });
    expect(said(stage).flatMap((message) => ('text' in message ? message.text : []))).toEqual([
      'one',
      'heard one',
      'two',
      'heard two',
      'three',
    ]);
  });

  test('starts once, however often it is asked for with one key', async () => {
    const stage = await openStage({ top: () => 'done' });
    const { run } = await stage.run();
    const ask = () => stage.environment.fork(run, { id: newRunId('top', Date.now()), turn: 1, once: 'mine' });
    expect((await ask()).id).toBe((await ask()).id);
    await stage.environment.stopAll('over');
  });

  test.each<[string, ForkPoint, RegExp]>([
    [
      'a turn that is not there',
      { turn: 3 },
      /^run "top-\w+" has no turn 3 to fork from: it has made one turn$/,
    ],
    [
      'nothing to say',
      { turn: 2 },
      /^run "top-\w+" has not made turn 2: write the words that the copy goes on with$/,
    ],
    ['neither', {}, /^name the turn to fork from, or the words that the copy goes on with$/],
    [
      'a blank text',
      { turn: 1, text: ' ' },
      /^the text is blank; leave it out to keep the words as they were$/,
    ],
    [
      'too long a text',
      { text: 'x'.repeat(100_001) },
      /^the text has 100001 characters; at most 100000 are allowed$/,
    ],
    ['no model', { turn: 1, model: 'x' }, /^invalid model format "x": expected provider\/model-name$/],
  ])('is refused for %s', async (_, point, reason) => {
    const stage = await openStage({ top: () => 'done' });
    const { run } = await stage.run();
    await expect(fork(stage, run.id, point)).rejects.toThrow(reason);
  });
});
