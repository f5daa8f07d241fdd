import { expect, onTestFinished, test } from 'vitest';
import { answer } from '../../../src/doors/cli/commands/answer.ts';
import { listQuestions } from '../../../src/doors/cli/commands/questions.ts';
import { showRun } from '../../../src/doors/cli/commands/show.ts';
import type { Io } from '../../../src/doors/cli/terminal/io.ts';
import { AnsweredError } from '../../../src/core/lifecycle/answer-question.ts';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { openCadre } from '../../../src/doors/library/open-cadre.ts';
import type { Environment } from '../../../src/places/environment.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { answer as answerElsewhere, openQuestions } from '../../fixtures/questions.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { call, openStage, use, type Role, type Stage } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const asks: Role = ({ turn, results }) =>
  turn === 1
    ? [
        use('ask_user', { question: 'Which one?', choices: ['red', 'blue'] }),
        use('ask_user', { question: 'How\nmany?' }),
      ]
    : results.join('|');

async function look(cwd: string, command: (environment: Environment, io: Io) => Promise<number>) {
  const io = recordedIo(cwd);
  const code = await withEnvironment(io, {}, (environment) => command(environment, io));
  return { code, out: io.out, err: io.err };
}
const list = (cwd: string, json = false) =>
  look(cwd, (environment, io) => listQuestions(environment, { json }, io));
const show = (cwd: string, run: string, json = false) =>
  look(cwd, (environment, io) => showRun(run, environment, { json, messages: false }, io));
const reply = (cwd: string, run: string, ...words: string[]) =>
  look(cwd, (environment, io) => answer(run, words, environment, {}, io));
const approveWith = (cwd: string, run: string, written: string) =>
  look(cwd, (environment, io) => answer(run, ['approve'], environment, { arguments: written }, io));

/** A run whose two questions are open. */
async function asking(): Promise<{ stage: Stage; ended: ReturnType<Stage['run']>; run: string }> {
  const stage = await openStage({ top: asks }, { top: 'tools = ["ask_user"]\n' });
  const ended = stage.run();
  for (;;) {
    const runs: string[] = [];
    for await (const { question, wait } of stage.pipeline.store.openQuestions()) {
      if (wait !== undefined) runs.push(question.run);
    }
    if (runs.length === 2) return { stage, ended, run: runs[0] ?? '' };
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('questions are listed with how to answer them, and answered by any process', async () => {
  const { stage, ended, run } = await asking();
  const { out } = await list(stage.cwd);
  expect(out.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')).toBe(`top asks (until <time>): Which one?
  1. red
  2. blue
  cadre answer ${run} t1c1 "…"
top asks (until <time>): How many?
  cadre answer ${run} t1c2 "…"
`);
  await expect(reply(stage.cwd, run, 'blue')).rejects.toThrow(
    `2 questions are open: name one of ${run} t1c1, ${run} t1c2`,
  );
  await expect(reply(stage.cwd, run, 't1c9', 'blue')).rejects.toThrow(`run "${run}" has no question t1c9`);
  await expect(reply(stage.cwd, run, 't1c1', ' ')).rejects.toThrow('the answer is empty');
  await expect(reply(stage.cwd, run, 't1c1', '3')).rejects.toThrow(
    'there is no choice 3: 1. red, 2. blue; a text that is no number is an answer as it stands',
  );
  expect(await reply(stage.cwd, run, 't1c1', '2')).toEqual({ code: 0, out: '', err: expect.any(String) });
  expect(await reply(stage.cwd, run, 'two', 'of', 'them')).toMatchObject({ code: 0 });
  expect((await ended).out).toBe('blue|two of them');
  expect(await list(stage.cwd)).toEqual({ code: 0, out: '', err: 'no questions are open\n' });
  await expect(reply(stage.cwd, run, 'late')).rejects.toThrow(`run "${run}" waits for no answer`);
  await expect(reply(stage.cwd, run, 't1c1', 'late')).rejects.toThrow(
    `question t1c1 of run "${run}" was answered already`,
  );
  expect(await reply(stage.cwd, run, 't1c1', '2')).toEqual({ code: 0, out: '', err: '' });
});

test('where the choices are numbers, another number is an answer of its own', async () => {
  const question = { question: 'Which port?', choices: ['8080', '3000'] };
  const top: Role = ({ turn, results }) => (turn === 1 ? [use('ask_user', question)] : results.join());
  const stage = await openStage({ top }, { top: 'tools = ["ask_user"]\n' });
  const ended = stage.run();
  await openQuestions(stage.pipeline.store, 1);
  await reply(stage.cwd, 'last', '9000');
  expect((await ended).out).toBe('9000');
});

test('the answer to a run without a carrier tells how to resume it', async () => {
  const { stage, ended, run } = await asking();
  await stage.pipeline.executions.stop((await stage.pipeline.store.run(run))?.execution ?? '', 'enough');
  await ended;
  expect(await reply(stage.cwd, run, 't1c1', 'red')).toEqual({
    code: 0,
    out: '',
    err: `no process carries the run out now; continue it with: cadre resume ${run}\n`,
  });
});

test('a question of an agent that was killed takes no answer', async () => {
  const top: Role = ({ turn, results }) => (turn === 1 ? [call('kid', 'x')] : results.join());
  const stage = await openStage(
    { top, kid: asks },
    { top: 'sub_agents = ["kid"]\n', kid: 'tools = ["ask_user"]\n' },
  );
  const ended = stage.run();
  const [open] = await openQuestions(stage.pipeline.store, 2);
  const kid = await stage.pipeline.store.run(open?.question.run ?? '');
  if (kid === undefined) throw new Error('nobody asks');
  await stage.environment.kill(kid);
  await ended;
  const refusal = `run "${kid.id}" was killed; nothing reaches it any more`;
  await expect(reply(stage.cwd, kid.id, 't1c1', 'red')).rejects.toThrow(refusal);
  const cadre = await openCadre({ folder: stage.cwd });
  onTestFinished(() => cadre.close());
  await expect(cadre.answer({ run: kid.id, turn: 1, call: 1 }, 'red')).rejects.toThrow(
    new AnsweredError(refusal),
  );
  expect(await stage.pipeline.store.answer({ run: kid.id, turn: 1, call: 1 })).toBeUndefined();
});

test('a question of a run whose process died has no time that is over, and says what it waits for', async () => {
  const { cwd, pipeline } = await openStage({ top: asks }, { top: 'tools = ["ask_user"]\n' });
  const run = newRunId('top', Date.now());
  // It has no holder: its process has died.
  await startRun(run, { agent: 'top', prompt: 'go' }, pipeline);
  await openQuestions(pipeline.store, 2);
  const resume = `  its process is gone; the run waits for: cadre resume ${run}`;
  expect((await list(cwd)).out).toBe(`top asks: Which one?
  1. red
  2. blue
  cadre answer ${run} t1c1 "…"
${resume}
top asks: How many?
  cadre answer ${run} t1c2 "…"
${resume}
`);
  const expires = JSON.parse((await list(cwd, true)).out).map((each: object) => Object.entries(each).at(-1));
  expect(expires).toEqual([
    ['expires_at', null],
    ['expires_at', null],
  ]);
  await pipeline.local.locks.take(run);
  expect((await list(cwd)).out).toMatch(/^top asks \(until [^)]+\): Which one\?\n/);
});

test('show tells what was asked, what was answered and by whom', async () => {
  const { stage, ended, run } = await asking();
  const questions = async () => {
    const { out } = await show(stage.cwd, run);
    return out.slice(out.indexOf('\ntop asked') + 1);
  };
  expect(await questions()).toBe(`top asked (t1c1 of ${run}): Which one?
  not answered yet; answer with: cadre answer ${run} t1c1 "…"

top asked (t1c2 of ${run}): How many?
  not answered yet; answer with: cadre answer ${run} t1c2 "…"
`);
  await reply(stage.cwd, run, 't1c1', '2');
  const second = await stage.pipeline.store.question({ run, turn: 1, call: 2 });
  if (second !== undefined) await answerElsewhere(stage.cwd, { question: second }, 'ten\nor so', 'ann');
  await ended;
  expect(await questions()).toBe(`top asked (t1c1 of ${run}): Which one?
  answered by bob: blue

top asked (t1c2 of ${run}): How many?
  answered by ann: ten or so
`);
  expect(JSON.parse((await show(stage.cwd, run, true)).out).questions).toEqual([
    {
      run_id: run,
      agent: 'top',
      question_id: 't1c1',
      question: 'Which one?',
      choices: ['red', 'blue'],
      asked_at: expect.any(String),
      answer: 'blue',
      answered_by: 'bob',
      ended_at: expect.any(String),
    },
    expect.objectContaining({ question_id: 't1c2', answer: 'ten\nor so', answered_by: 'ann' }),
  ]);
});

test('there are none where nothing ever ran', async () => {
  expect(await list(await tempFolder(), true)).toEqual({ code: 0, out: '[]\n', err: '' });
});

test('calls are approved and denied by any process, and the run shows by whom', async () => {
  const top: Role = ({ turn, results }) =>
    turn > 1
      ? results.join('|')
      : [
          use('write_file', { path: 'a', content: 'a\u001b[2J\u202e' }),
          use('delete_file', { path: 'b' }),
          use('write_file', { path: 'c', content: 'c' }),
        ];
  const stage = await openStage({ top }, { top: 'tools = ["files"]\nmode = "ask"\n' });
  const { cwd } = stage;
  const ended = stage.run();
  const [first] = await openQuestions(stage.pipeline.store, 1);
  const run = first?.question.run ?? '';
  const { out } = await list(cwd);
  expect(out.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, '<time>'))
    .toBe(`top needs approval (until <time>): Allow write_file: a?
  write_file {"path":"a","content":"a\\u001b[2J\\u202e"}
  cadre answer ${run} t1c1 approve | deny [reason] | always
`);
  expect((await list(cwd, true)).out).toContain('"content":"a\\u001b[2J\\u202e"');
  const shown = async (json = false) =>
    (await look(cwd, (environment, io) => showRun(run, environment, { json, messages: false }, io))).out;
  expect(await shown()).toContain(
    '\nt1c1 write_file: waits for approval\nt1c2 delete_file: waits for approval\n',
  );
  await expect(approveWith(cwd, run, '["a"]')).rejects.toThrow(
    `--arguments must be a JSON object, such as '{"path":"notes.md"}', not ["a"]`,
  );
  await expect(approveWith(cwd, run, '{')).rejects.toThrow('--arguments must be a JSON object');
  expect(await approveWith(cwd, run, '{"path":"d","content":"d"}')).toMatchObject({ code: 0 });
  await openQuestions(stage.pipeline.store, 1);
  expect(await reply(cwd, run, 't1c2', 'deny', 'keep', 'b')).toMatchObject({ code: 0 });
  await openQuestions(stage.pipeline.store, 1);
  expect(await reply(cwd, run, '3')).toMatchObject({ code: 0 });
  expect((await ended).err).toContain(`cadre answer ${run} t1c1 approve | deny [reason] | always\n`);
  expect(await shown()).toContain(
    [
      '',
      't1c1 write_file: approved by bob with {"path":"d","content":"d"}',
      't1c2 delete_file: denied by bob: keep b',
      't1c3 write_file: approved for the rest of the run by bob',
      '',
    ].join('\n'),
  );
  expect(JSON.parse(await shown(true))).toMatchObject({
    approvals: [
      { call: 't1c1', tool: 'write_file', decision: 'approve', arguments: { path: 'd', content: 'd' } },
      { call: 't1c2', tool: 'delete_file', decision: 'deny', reason: 'keep b', ended_at: expect.any(String) },
      { call: 't1c3', tool: 'write_file', decision: 'always' },
    ],
  });
});
