import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UnansweredQuestion } from '../../../src/core/records/question.ts';
import { answer, openQuestions, unanswered } from '../../fixtures/questions.ts';
import { call, openStage, openStageIn, use, type Role, type Stage } from '../../fixtures/stage.ts';

const ASKS = 'tools = ["files"]\nmode = "ask"\n';

const write = (path: string, content: string) => use('write_file', { path, content });

/** Makes these calls in its first turns, one list a turn, and answers with what it was told last. */
const making =
  (...turns: ReturnType<typeof use>[][]): Role =>
  ({ turn, results }) =>
    turns[turn - 1] ?? results.join('|');

async function onlyQuestion({ pipeline }: Stage): Promise<UnansweredQuestion> {
  const [open] = await openQuestions(pipeline.store, 1);
  if (open === undefined) throw new Error('nothing is asked');
  return open;
}

const content = (stage: Stage, path: string) =>
  readFile(join(stage.cwd, path), 'utf8').catch(() => 'no such file');

describe('a call that needs approval', () => {
  test('waits for it, and is made once it is there', async () => {
    const stage = await openStage({ top: making([write('a', 'one')]) }, { top: ASKS });
    const ended = stage.run();
    const open = await onlyQuestion(stage);
    expect(open.question).toEqual({
      run: open.question.run,
      root: open.question.run,
      turn: 1,
      call: 1,
      agent: 'top',
      question: 'Allow write_file: a?',
      choices: ['approve', 'deny', 'always'],
      approval: { tool: 'write_file', arguments: { path: 'a', content: 'one' } },
      askedAt: expect.any(String),
    });
    expect(await content(stage, 'a')).toBe('no such file');
    await answer(stage.cwd, open, 'approve', 'ann');
    expect(await ended).toMatchObject({ code: 0, out: 'created "a" (3 bytes)' });
    expect(await content(stage, 'a')).toBe('one');
    expect(await stage.pipeline.store.answer(open.question)).toEqual({
      text: 'approve',
      decision: 'approve',
      by: 'ann',
      at: expect.any(String),
    });
  });

  test.each([
    ['deny', 'Permission denied: "write_file" was denied by the user.'],
    ['deny: not this file', 'Permission denied: "write_file" was denied by the user: not this file'],
  ])('is not made after %j, and the model reads why', async (words, told) => {
    const stage = await openStage({ top: making([write('a', 'one')]) }, { top: ASKS });
    const ended = stage.run();
    await answer(stage.cwd, await onlyQuestion(stage), words);
    expect((await ended).out).toBe(told);
    expect(await content(stage, 'a')).toBe('no such file');
    const [, second] = stage.asked;
    expect(second?.request.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ isError: true }] });
  });

  test('is denied where no person approves it in time', async () => {
    const stage = await openStage({ top: making([write('a', 'one')]) }, { top: ASKS });
    const { out, run } = await unanswered(() => stage.run(), stage.pipeline.store);
    expect(out).toBe('Permission denied: "write_file" needs approval and nobody gave it in time.');
    const question = await stage.pipeline.store.question({ run: run.id, turn: 1, call: 1 });
    if (question === undefined) throw new Error('it was not asked');
    await expect(answer(stage.cwd, { question }, 'approve')).rejects.toThrow('is over');
    expect(await content(stage, 'a')).toBe('no such file');
  });

  test('is made with the arguments of the person who approves it, and says so', async () => {
    const stage = await openStage({ top: making([write('a', 'one')]) }, { top: ASKS });
    const ended = stage.run();
    const open = await onlyQuestion(stage);
    await answer(stage.cwd, open, 'approve', undefined, { path: 'b', content: 'one' });
    expect((await ended).out).toBe(
      '[arguments changed by the user: path: "a" → "b"]\n\ncreated "b" (3 bytes)',
    );
    expect([await content(stage, 'a'), await content(stage, 'b')]).toEqual(['no such file', 'one']);
    const turn = await stage.pipeline.store.turn(open.question.run, 1);
    expect(turn?.answer.calls[0]?.arguments).toEqual({ path: 'a', content: 'one' });
  });

  test('names where its path leads, and is made there', async () => {
    const stage = await openStage({ top: making([write('notes', 'one')]) }, { top: ASKS });
    await symlink('other', join(stage.cwd, 'notes'));
    const ended = stage.run();
    const open = await onlyQuestion(stage);
    expect(open.question).toMatchObject({
      question: 'Allow write_file: notes, which leads to other?',
      leadsTo: 'other',
    });
    await answer(stage.cwd, open, 'approve');
    expect((await ended).out).toBe('created "other" (3 bytes)');
    expect(await content(stage, 'other')).toBe('one');
  });

  test.each([
    ['a link that leads elsewhere by then', 'notes', ['notes', 'other'], ['notes', 'third']],
    ['a link that was a file', 'notes', undefined, ['notes', 'third']],
    ['a folder that was none', 'docs/notes', ['docs', 'old'], ['docs', 'new']],
    ['a link that is another by then', './notes', ['notes', 'other'], ['other', 'third']],
  ] as const)('is not made through %s', async (_, path, before, after) => {
    const stage = await openStage({ top: making([write(path, 'one')]) }, { top: ASKS });
    const at = (name: string) => join(stage.cwd, name);
    await Promise.all(['old', 'new'].map((name) => mkdir(at(name))));
    if (before !== undefined) await symlink(before[1], at(before[0]));
    const ended = stage.run();
    const open = await onlyQuestion(stage);
    await rm(at(after[0]), { force: true });
    await symlink(after[1], at(after[0]));
    await answer(stage.cwd, open, 'approve');
    expect((await ended).out).toBe(`Error: "${path}" does not lead where it led when it was approved`);
    const targets = ['other', 'third', 'old/notes', 'new/notes'];
    expect(await Promise.all(targets.map((name) => content(stage, name)))).toEqual(
      targets.map(() => 'no such file'),
    );
  });

  test('is made with another path only where that leads where it reads', async () => {
    const stage = await openStage({ top: making([write('a', 'one'), write('a', 'one')]) }, { top: ASKS });
    await symlink('third', join(stage.cwd, 'link'));
    const ended = stage.run();
    for (const path of ['link', join(stage.cwd, 'b')]) {
      await answer(stage.cwd, await onlyQuestion(stage), 'approve', undefined, { path, content: 'one' });
    }
    const { out } = await ended;
    expect(out).toContain('Error: "link" does not lead where it led when it was approved');
    expect([await content(stage, 'third'), await content(stage, 'b')]).toEqual(['no such file', 'one']);
  });

  test('is not approved with arguments that a rule denies, on any way', async () => {
    const toml = `${ASKS}permissions = { deny = ["write_file(secret*)"] }\n`;
    const stage = await openStage({ top: making([write('a', 'one')]) }, { top: toml });
    const ended = stage.run();
    const open = await onlyQuestion(stage);
    const secret = { path: 'secret.txt', content: 'one' };
    const refusal = 'Permission denied: "write_file" is denied by the rule write_file(secret*).';
    await expect(answer(stage.cwd, open, 'approve', undefined, secret)).rejects.toThrow(
      `the call would be refused with these arguments: ${refusal}`,
    );
    const { store } = stage.pipeline;
    const at = new Date().toISOString();
    await store.saveAnswer(open.question, { text: 'approve', decision: 'approve', arguments: secret, at });
    expect((await ended).out).toContain(refusal);
    expect(await content(stage, 'secret.txt')).toBe('no such file');
  });

  test.each([
    [{ path: 5, content: 'one' }, 'argument "path" must be text, not 5'],
    [
      { content: ['a'] },
      'argument "path" is missing: it must be text; argument "content" must be text, not ["a"]',
    ],
    [{ path: undefined, content: 'one' }, 'argument "path" is missing: it must be text'],
    [{ path: null, content: 'one' }, 'argument "path" is missing: it must be text'],
    [{ path: 'a', content: 'two', pth: 'b' }, 'there is no argument "pth", only path, content'],
  ])(
    'is not approved with %j, in words that name what is wrong, and may be approved after that',
    async (given, words) => {
      // A rule cannot read a path that is none, and denies what it cannot read.
      const toml = `${ASKS}permissions = { deny = ["write_file(secret*)"] }\n`;
      const stage = await openStage({ top: making([write('a', 'one')]) }, { top: toml });
      const ended = stage.run();
      const open = await onlyQuestion(stage);
      await expect(answer(stage.cwd, open, 'approve', undefined, given)).rejects.toThrow(
        `the arguments do not fit the parameters of write_file: ${words}; the question is still open`,
      );
      expect((await onlyQuestion(stage)).question).toEqual(open.question);
      await answer(stage.cwd, open, 'approve', undefined, { path: 'b', content: 'one' });
      await ended;
      expect(await content(stage, 'b')).toBe('one');
    },
  );

  test('is approved with what the model wrote in its own way, if the person leaves that as it is', async () => {
    const own = use('write_file', { file_path: 'a', content: 'one' });
    const stage = await openStage({ top: making([own]) }, { top: ASKS });
    const ended = stage.run();
    await answer(stage.cwd, await onlyQuestion(stage), 'approve', undefined, {
      file_path: 'a',
      content: 'two',
    });
    await ended;
    expect(await content(stage, 'a')).toBe('two');
  });

  test('takes no other answer than a decision', async () => {
    const stage = await openStage({ top: making([write('a', 'one')]) }, { top: ASKS });
    const ended = stage.run();
    const open = await onlyQuestion(stage);
    await expect(answer(stage.cwd, open, 'approve it')).rejects.toThrow(
      'the answer to an approval is approve, always, or deny with a reason, not "approve it"',
    );
    await expect(answer(stage.cwd, open, 'deny', undefined, {})).rejects.toThrow(
      'a call that is denied takes no arguments',
    );
    const long = { path: 'a', content: 'x'.repeat(100_001) };
    await expect(answer(stage.cwd, open, 'approve', undefined, long)).rejects.toThrow(
      'at most 100000 are allowed',
    );
    await answer(stage.cwd, open, 'DENY');
    await ended;
  });
});

describe('standing approvals', () => {
  test('is not asked for again in the same run, in the same turn or later, and is in others', async () => {
    const top: Role = ({ turn, results }) => {
      if (turn === 1) return [write('a', '1'), write('b', '2'), use('delete_file', { path: 'a' })];
      if (turn === 2) return [write('c', '3'), call('kid', 'x')];
      return results.join('|');
    };
    const stage = await openStage(
      { top, kid: making([write('d', '4')]) },
      { top: `${ASKS}sub_agents = ["kid"]\n`, kid: ASKS },
    );
    const ended = stage.run();
    await answer(stage.cwd, await onlyQuestion(stage), 'always', 'ann');
    const second = await onlyQuestion(stage);
    expect(second.question).toMatchObject({ call: 3, question: 'Allow delete_file: a?' });
    await answer(stage.cwd, second, 'deny');
    const third = await onlyQuestion(stage);
    expect(third.question).toMatchObject({ agent: 'kid', question: 'Allow write_file: d?' });
    await answer(stage.cwd, third, 'deny');
    const { out, run } = await ended;
    expect(out).toBe('created "c" (1 bytes)|Permission denied: "write_file" was denied by the user.');
    const { store } = stage.pipeline;
    const decisions = await Promise.all(
      [
        [1, 1],
        [1, 2],
        [1, 3],
        [2, 1],
      ].map(([turn = 0, of = 0]) => store.answer({ run: run.id, turn, call: of })),
    );
    expect(decisions.map((each) => [each?.decision, each?.by])).toEqual([
      ['always', 'ann'],
      ['always', 'ann'],
      ['deny', undefined],
      ['always', 'ann'],
    ]);
  });
});

describe('every kind of call that acts', () => {
  test.each([
    ['sub_agent', use('sub_agent', { prompt: 'sub' }), 'Allow sub_agent: sub?'],
    ['spawn_agent', use('spawn_agent', { task: 'sub' }), 'Allow spawn_agent: sub?'],
    [
      'delegate_task',
      use('delegate_task', { plan: 'p', subtasks: [{ task: 'sub' }] }),
      'Allow delegate_task: p?',
    ],
    ['read_file', use('read_file', { path: 'top.txt' }), 'Allow read_file: top.txt?'],
    ['run_command', use('run_command', { command: 'echo hi' }), 'Allow run_command: echo hi?'],
  ])('waits for approval where a rule says so: %s', async (tool, made, question) => {
    const toml = `tools = ["files", "run_command", "sub_agent", "spawn_agent", "delegate_task"]\npermissions = { ask = ["${tool}"] }\n`;
    const top: Role = ({ turn, results, message }) =>
      message !== 'go' ? 'below' : turn === 1 ? [made] : results.join('|');
    for (const decision of ['deny', 'approve']) {
      const stage = await openStage({ top }, { top: toml }, { 'top.txt': 'text' });
      const ended = stage.run();
      const open = await onlyQuestion(stage);
      expect(open.question.question).toBe(question);
      expect(stage.asked).toHaveLength(1);
      await answer(stage.cwd, open, decision);
      const { out, tree } = await ended;
      const isDenied = out === `Permission denied: "${tool}" was denied by the user.`;
      expect({ isDenied, runs: tree.length > 1 }).toEqual({
        isDenied: decision === 'deny',
        runs: decision === 'approve' && 'prompt task plan'.includes(Object.keys(made.arguments)[0] ?? ''),
      });
    }
  });

  test('delegates with the arguments of the person who approves it', async () => {
    const top: Role = ({ turn, results, message }) =>
      message !== 'go'
        ? `heard ${message}`
        : turn === 1
          ? [use('sub_agent', { prompt: 'one' })]
          : results.join();
    const toml = 'tools = ["sub_agent"]\npermissions = { ask = ["sub_agent"] }\n';
    const stage = await openStage({ top }, { top: toml });
    const ended = stage.run();
    await answer(stage.cwd, await onlyQuestion(stage), 'approve', undefined, { prompt: 'two' });
    expect((await ended).out).toBe('[arguments changed by the user: prompt: "one" → "two"]\n\nheard two');
  });
});

test('an approval that was given is not asked for again when the run is resumed', async () => {
  const role = making([write('a', '1'), use('delete_file', { path: 'b' })]);
  const stage = await openStage({ top: role }, { top: ASKS }, { b: 'x' });
  const io = stage.io();
  const ended = stage.run({}, io);
  const open = await onlyQuestion(stage);
  io.interrupt();
  const { run } = await ended;
  expect(run.status).toBe('stopped');
  await answer(stage.cwd, open, 'approve');
  const later = await openStageIn(stage.cwd, { top: role });
  const resumed = later.resume(run.id);
  const next = await onlyQuestion(later);
  expect(next.question.question).toBe('Allow delete_file: b?');
  await answer(stage.cwd, next, 'deny');
  expect((await resumed).out).toBe(
    'created "a" (1 bytes)|Permission denied: "delete_file" was denied by the user.',
  );
});
