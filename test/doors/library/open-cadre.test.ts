import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openCadre } from '../../../src/doors/library/open-cadre.ts';
import { runAgent } from '../../../src/doors/library/run-agent.ts';
import { ConfigError, MissingKeyError, ModelError } from '../../../src/errors.ts';
import { RunError } from '../../../src/doors/library/run-error.ts';
import type { Cadre } from '../../../src/doors/library/cadre.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { startCommand } from '../../fixtures/command.ts';
import { typed } from '../../fixtures/typed.ts';
import { openStageIn } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const script = (...turns: object[]) => JSON.stringify({ conversations: [{ turns }] });
const agent = (name: string, more = '') => `name = "${name}"\nmodel = "scripted/${name}.json"\n${more}`;

/** A project whose agents answer, delegate, fail, wait for ever and ask. */
async function project(): Promise<string> {
  return tempFolder({
    'agents/review.toml': agent('review', 'sub_agents = ["finder"]\n'),
    'agents/finder.toml': agent('finder'),
    'agents/throttled.toml': agent('throttled'),
    'agents/slow.toml': agent('slow'),
    'agents/asker.toml': agent('asker', 'tools = ["ask_user"]\npatience = "1h"\n'),
    'agents/modelless.toml': 'name = "modelless"\nmodel = "anthropc/claude-sonnet-4-5"\n',
    'agents/keyless.toml': 'name = "keyless"\nmodel = "anthropic/claude-sonnet-4-5"\n',
    'review.json': script(
      { calls: [{ name: 'call_agent', arguments: { agent: 'finder', task: '{{prompt}}' } }] },
      { text: 'Found: {{results}}' },
    ),
    'finder.json': script({ text: 'three risks', usage: { input_tokens: 7, output_tokens: 3 } }),
    'throttled.json': script({ error: { category: 'rate_limit', message: 'slow down' } }),
    'slow.json': script({ text: 'late', delay_ms: 600_000 }),
    'asker.json': script(
      { calls: [{ name: 'ask_user', arguments: { question: 'Which one?' } }] },
      { text: 'You said {{results}}' },
    ),
  });
}

async function open(folder: string): Promise<Cadre> {
  const cadre = await openCadre({ folder, onWarning: () => {} });
  onTestFinished(() => cadre.close());
  return cadre;
}

test.each([
  [{ foldr: '.' }, 'invalid option foldr: there is no such option, did you mean "folder"?'],
  [{ agentsDir: 5 }, 'invalid option agentsDir: invalid type: expected string but received 5'],
])('a project is not opened with %j', async (options: object, message) => {
  await expect(openCadre(options)).rejects.toEqual(new ConfigError(message));
});

test('an agent is called like a function, and its tree is told of while it works', async () => {
  const events: RunEvent[] = [];
  const { content, run } = await runAgent('review', {
    folder: await project(),
    prompt: 'Any risks?',
    input: 'a text',
    onEvent: (event) => events.push(event),
  });
  expect(content).toBe('Found: three risks');
  expect(run).toEqual({
    id: expect.stringMatching(/^review-[0-9a-z]{14}$/),
    agent: 'review',
    model: 'scripted/review.json',
    status: 'succeeded',
    startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    durationMs: expect.any(Number),
    stopReason: 'end',
    reason: '',
    usage: expect.objectContaining({ turns: 2, toolCalls: 1, usd: 0 }),
    tree: expect.objectContaining({ runs: 2, turns: 3, toolCalls: 1 }),
  });
  const told = events.filter(({ type }) => type !== 'message_delta');
  expect(told.map((event) => `${event.agent} ${event.type}`)).toEqual([
    'review run_opened',
    'review turn_started',
    'review turn_finished',
    'review call_started',
    'finder run_opened',
    'finder turn_started',
    'finder turn_finished',
    'finder run_closed',
    'review call_finished',
    'review turn_started',
    'review turn_finished',
    'review run_closed',
  ]);
});

test('runs at the same time in one folder do not get into each other’s way', async () => {
  const folder = await project();
  const [one, other] = await Promise.all([
    runAgent('finder', { folder, prompt: 'one' }),
    runAgent('review', { folder, prompt: 'other' }),
  ]);
  expect([one.content, other.content]).toEqual(['three risks', 'Found: three risks']);
  const cadre = await open(folder);
  const events: string[] = [];
  await Promise.all([
    cadre.run('finder', { onEvent: ({ agent }) => events.push(agent) }),
    cadre.run('review', { prompt: 'x' }),
  ]);
  expect(new Set(events)).toEqual(new Set(['finder']));
});

test('a run that ends without an answer is an error with its cause and its record', async () => {
  const cadre = await open(await project());
  const thrown: unknown = await cadre.run('throttled').catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(RunError);
  expect(thrown).toMatchObject({
    name: 'RunError',
    message: expect.stringMatching(/^run "throttled-\w+" failed: rate_limit: slow down$/),
    cause: expect.any(ModelError),
    run: { agent: 'throttled', status: 'failed', reason: 'rate_limit: slow down', usage: { turns: 0 } },
  });
  expect(thrown).toMatchObject({ cause: { category: 'rate_limit', message: 'rate_limit: slow down' } });
});

test('a provider without a key is a MissingKeyError', async () => {
  const cadre = await open(await project());
  await expect(cadre.run('keyless', { prompt: 'x' })).rejects.toMatchObject({
    name: 'RunError',
    cause: expect.any(MissingKeyError),
  });
});

test.each<[string, string, object, RegExp]>([
  [
    'an agent that is not there',
    'revew',
    {},
    /^agent config not found: revew; did you mean "review"\? searched: \S/,
  ],
  ['a name that is none', '../x', {}, /^invalid agent name/],
  [
    'a model that is none',
    'modelless',
    {},
    /^agents\/modelless\.toml:2:9: unsupported provider "anthropc": .*"anthropic"\?$/,
  ],
  [
    'another model that is none',
    'finder',
    { model: 'opnai/x' },
    /^unsupported provider "opnai": .*"openai"\?$/,
  ],
  ['a workdir that is not there', 'finder', { workdir: 'gone' }, /gone/],
  [
    'an option that is not there',
    'finder',
    { promt: 'x' },
    /^invalid option promt: there is no such option, did you mean "prompt"\?$/,
  ],
  ['a time that is none', 'finder', { timeout: 0 }, /^invalid option timeout: /],
  ['a list of tags', 'finder', { tags: [] }, /^invalid option tags: must be an object$/],
])('%s is refused before anything is kept', async (_, name, options, message) => {
  const cadre = await open(await project());
  const thrown: unknown = await cadre.run(name, options).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ConfigError);
  expect(thrown).toMatchObject({ message: expect.stringMatching(message) });
});

test('options that are none are refused', async () => {
  const cadre = await open(await project());
  await expect(Reflect.apply(cadre.run, cadre, ['finder', 3])).rejects.toThrow('invalid option options: ');
});

test('a signal stops the tree, which can be resumed', async () => {
  const folder = await project();
  const cadre = await open(folder);
  const controller = new AbortController();
  const why = new Error('no longer needed');
  let id = '';
  const running = cadre.run('slow', {
    signal: controller.signal,
    onEvent(event) {
      id = event.run;
      if (event.type === 'turn_started') controller.abort(why);
    },
  });
  await expect(running).rejects.toBe(why);
  expect(await eventsOf(cadre, id)).toMatchObject([
    { type: 'run_opened' },
    { type: 'turn_started' },
    { type: 'run_closed', status: 'stopped', reason: 'stopped by the caller' },
  ]);

  await writeFile(join(folder, 'slow.json'), script({ text: 'at last' }));
  const next = await open(folder);
  const resumed = await next.resume(id);
  expect(resumed.id).toBe(id);
  expect(await resumed.result()).toMatchObject({ content: 'at last', run: { id, status: 'succeeded' } });
  await expect(next.resume(id)).rejects.toThrow(`run "${id}" already has an answer: its status is succeeded`);
});

test('a run that failed can be resumed with another model, which is looked at first', async () => {
  const folder = await project();
  const cadre = await open(folder);
  await writeFile(join(folder, 'other.json'), script({ text: 'at last' }));
  const failed = await cadre.start('throttled');
  const { id } = failed;
  await expect(failed.result()).rejects.toThrow('rate_limit: slow down');
  const resumed = async (model: string) => (await cadre.resume(id, { model })).result();
  await expect(resumed('other')).rejects.toThrow(
    'invalid model format "other": expected provider/model-name',
  );
  await expect(resumed('nowhere/x')).rejects.toThrow(/^unsupported provider "nowhere": /);
  expect(await resumed('scripted/other.json')).toMatchObject({ content: 'at last', run: { id } });
});

test('a sub-agent that is killed is told to have ended, to who listens as to who watches', async () => {
  const folder = await project();
  await writeFile(join(folder, 'agents/caller.toml'), agent('caller', 'sub_agents = ["slow"]\n'));
  const calling = { calls: [{ name: 'call_agent', arguments: { agent: 'slow', task: 'x' } }] };
  await writeFile(join(folder, 'caller.json'), script(calling, { text: 'without it' }));
  const cadre = await open(folder);
  const told: string[] = [];
  const { content, run } = await cadre.run('caller', {
    onEvent(event) {
      if (event.type === 'message_delta') return;
      told.push(`${event.agent} ${event.type}${event.type === 'run_closed' ? ` ${event.status}` : ''}`);
      if (event.agent === 'slow' && event.type === 'turn_started') void cadre.kill(event.run);
    },
  });
  expect(content).toBe('without it');
  expect(told.slice(3, 9)).toEqual([
    'caller call_started',
    'slow run_opened',
    'slow turn_started',
    'slow run_closed stopped',
    'caller call_finished',
    'caller turn_started',
  ]);
  const watched = (await eventsOf(cadre, run.id))
    .filter(({ type }) => type !== 'message_delta')
    .map(({ agent: name, type }) => `${name} ${type}`);
  expect(told.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual(watched);
});

test('a signal that was aborted before starts nothing', async () => {
  const folder = await project();
  const cadre = await open(folder);
  await expect(cadre.run('finder', { signal: AbortSignal.abort('too late') })).rejects.toBe('too late');
});

test('a run is started, watched and stopped by its id', async () => {
  const cadre = await open(await project());
  const { id, result } = await cadre.start('slow', { prompt: 'x' });
  const ended = result().catch((error: unknown) => error);
  const types: string[] = [];
  for await (const { type } of cadre.watch(id)) {
    types.push(type);
    if (type === 'run_opened') await cadre.stop(id);
  }
  expect(types[0]).toBe('run_opened');
  expect(types.at(-1)).toBe('run_closed');
  expect(await ended).toMatchObject({ name: 'RunError', run: { id, status: 'stopped' } });
  await expect(cadre.stop(id)).rejects.toThrow(`run "${id}" has ended: its status is stopped`);
  for (const none of ['slow-00000000000000', 'last', '']) {
    await expect(cadre.stop(none)).rejects.toThrow(`run not found: ${none}`);
  }
});

test('watching ends with its signal, and the run goes on', async () => {
  const cadre = await open(await project());
  const { id } = await cadre.start('slow');
  const watching = new AbortController();
  for await (const event of cadre.watch(id, { signal: watching.signal })) {
    if (event.type === 'run_opened') watching.abort();
  }
  await cadre.stop(id); // refused if it has ended
  expect((await eventsOf(cadre, id)).at(-1)).toMatchObject({ type: 'run_closed', status: 'stopped' });
});

test("an agent's question is answered by anyone who sees it", async () => {
  const folder = await project();
  const cadre = await open(folder);
  const { id, result } = await cadre.start('asker');
  const other = await openCadre({ folder });
  onTestFinished(() => other.close());
  await expect.poll(() => other.questions()).toHaveLength(1);
  const [question] = await other.questions();
  expect(question).toMatchObject({ run: id, root: id, agent: 'asker', turn: 1, call: 1, choices: [] });
  if (question === undefined) throw new Error('there is no question');
  await expect(other.answer({ ...question, turn: 7 }, 'x')).rejects.toThrow(
    `run "${id}" has no question t7c1`,
  );
  await other.answer(question, 'the blue one');
  expect((await result()).content).toBe('You said the blue one');
  await expect(other.answer(question, 'the red one')).rejects.toMatchObject({ name: 'AnsweredError' });
});

test('an event of a question is all that its answer needs', async () => {
  const cadre = await open(await project());
  const { content } = await cadre.run('asker', {
    onEvent(event) {
      if (event.type === 'question_asked') void cadre.answer(event, 'green');
    },
  });
  expect(content).toBe('You said green');
});

test('a message goes on with an agent that has answered, and comes to its answer', async () => {
  const folder = await project();
  await writeFile(
    join(folder, 'finder.json'),
    script({ text: 'three risks' }, { text: 'again: {{prompt}}' }),
  );
  const cadre = await open(folder);
  const { run } = await cadre.run('finder', { prompt: 'Any risks?' });
  const { id, result } = await cadre.send(run.id, 'And now?');
  expect(id).toBe(run.id);
  expect(await result()).toMatchObject({ content: 'again: Any risks?', run: { status: 'succeeded' } });
  expect((await eventsOf(cadre, id)).filter(({ type }) => type === 'turn_finished')).toHaveLength(2);
  // The next process goes on with it just as well.
  await cadre.close();
  const next = await open(folder);
  await expect((await next.send(id, 'And?')).result()).rejects.toThrow(/ends after turns\[1\]/);
});

test('a message to a fork comes to its answer, after which the fork is idle again', async () => {
  const fork = { calls: [{ name: 'fork', arguments: { prompt: 'Look closer' } }] };
  const folder = await tempFolder({
    'agents/lead.toml': agent('lead', 'tools = ["fork"]\n'),
    // The forks play the same turns, and fork as well as far as they may.
    'lead.json': script(
      fork,
      ...['seen', 'more', 'still more', 'all', 'that is all'].map((text) => ({ text })),
    ),
  });
  const cadre = await open(folder);
  const { run } = await cadre.run('lead', { prompt: 'Look' });
  const { result } = await cadre.send(`${run.id}-t1c1`, 'Go on');
  const { content, run: ended } = await result();
  expect(ended.status).toBe('idle');
  const show = await typed(['show', `${run.id}-t1c1`, '--answer'], folder);
  expect(show).toEqual({ code: 0, out: content, err: '' });
  await cadre.close();
  const sent = await typed(['send', `${run.id}-t1c1`, 'On'], folder);
  expect(sent).toEqual({
    code: 0,
    out: expect.stringMatching(/./),
    err: expect.stringMatching(/^run lead-\w+-t1c1 answered in .*; see: cadre show lead-\w+-t1c1\n$/),
  });
});

test('a message to an agent at work is read with its next turn, in any carrier', async () => {
  const folder = await project();
  const cadre = await open(folder);
  const { id, result } = await cadre.start('asker');
  const other = await open(folder);
  await expect.poll(() => other.questions()).toHaveLength(1);
  const [question] = await other.questions();
  if (question === undefined) throw new Error('there is no question');
  const [here, there] = [await cadre.send(id, 'From here'), await other.send(id, 'From elsewhere')];
  await cadre.answer(question, 'the blue one');
  // The script repeats what the model read last.
  const ended = await Promise.all([result(), here.result(), there.result()]);
  for (const { content } of ended) expect(content).toBe('You said From elsewhere');
});

test('two of one folder hear each other, and one outlives the other', async () => {
  const folder = await project();
  await writeFile(
    join(folder, 'agents/asker.toml'),
    agent('asker', 'tools = ["ask_user", "run_command"]\npatience = "1h"\n'),
  );
  await writeFile(
    join(folder, 'asker.json'),
    script(
      { calls: [{ name: 'ask_user', arguments: { question: 'Which one?' } }] },
      { calls: [{ name: 'run_command', arguments: { command: 'echo this one' } }] },
      { text: 'done' },
    ),
  );
  const [one, other] = [await open(folder), await open(folder)];
  const { id, result } = await one.start('asker');
  const outputs: string[] = [];
  for await (const event of other.watch(id)) {
    if (event.type === 'question_asked') void one.answer(event, 'any');
    if (event.type === 'call_output') outputs.push(event.text);
  }
  expect(outputs).toEqual(['this one\n']);
  expect((await result()).content).toBe('done');
  await other.close();
  expect((await one.run('finder')).content).toBe('three risks');
});

test('a message goes on with a tree whose process has died', async () => {
  const folder = await project();
  const { pipeline } = await openStageIn(folder, {});
  const id = newRunId('slow', Date.now());
  const request = { agent: 'slow', prompt: 'go', context: '', overrides: {} };
  const left = await startRun(id, request, pipeline);
  onTestFinished(() => pipeline.executions.stop(left, 'the test is over'));
  const cadre = await open(folder);
  await expect.poll(async () => (await cadre.runs())[0]?.status).toBe('interrupted');
  await writeFile(join(folder, 'slow.json'), script({ text: 'heard: {{prompt}}' }, { text: 'no' }));
  const { result } = await cadre.send(id, 'Are you there?');
  expect(await result()).toMatchObject({ content: 'heard: go', run: { status: 'succeeded' } });
  const [turn] = await pipeline.store.turns(id);
  expect(turn?.received).toEqual([{ role: 'user', text: 'Are you there?' }]);
});

test('an agent is killed while the one that calls it goes on, in any carrier', async () => {
  const folder = await project();
  await writeFile(join(folder, 'agents/review.toml'), agent('review', 'sub_agents = ["slow"]\n'));
  await writeFile(
    join(folder, 'review.json'),
    script(
      { calls: [{ name: 'call_agent', arguments: { agent: 'slow', task: 'go' } }] },
      { text: 'Found: {{results}}' },
    ),
  );
  const cadre = await open(folder);
  const { id, result } = await cadre.start('review');
  const slow = `slow${id.slice('review'.length)}-t1c1`;
  await expect.poll(() => cadre.show(slow).catch(() => undefined)).toBeDefined();
  const other = await open(folder);
  await other.kill(slow);
  expect((await cadre.show(slow)).run).toMatchObject({
    status: 'stopped',
    reason: `killed by a person (${slow})`,
  });
  expect((await result()).content).toContain('killed by a person');
  await expect(cadre.kill(slow)).rejects.toThrow('has ended for good');
  await expect(cadre.kill(id)).rejects.toThrow('at the top of its tree');
  await expect(cadre.kill('slow-00000000000000')).rejects.toThrow('run not found');
});

test.each([
  ['', 'the message is empty'],
  ['x'.repeat(100_001), 'the message has 100001 characters; at most 100000 are allowed'],
])('an unreadable message is refused', async (text, message) => {
  const cadre = await open(await project());
  const { run } = await cadre.run('finder');
  await expect(cadre.send(run.id, text)).rejects.toThrow(message);
  await expect(cadre.send('finder-00000000000000', 'x')).rejects.toThrow('run not found');
});

test('runs are listed and shown, whether they have ended or not', async () => {
  const cadre = await open(await project());
  const done = await cadre.run('review', { prompt: 'x' });
  const { id, result } = await cadre.start('slow');
  const stopped = result().catch((error: unknown) => error);
  expect((await cadre.runs()).map(({ agent, status }) => [agent, status])).toEqual([
    ['slow', 'running'],
    ['review', 'succeeded'],
  ]);
  expect(await cadre.runs({ status: 'succeeded' })).toEqual([done.run]);
  expect(await cadre.runs({ agent: 'finder' })).toEqual([]);
  expect(await cadre.runs({ limit: 1 })).toMatchObject([{ id }]);
  await expect(cadre.runs({ limit: 0 })).rejects.toThrow('invalid option limit');
  expect(await cadre.show(done.run.id)).toEqual(done);
  expect(await cadre.show(id)).toMatchObject({ content: '', run: { status: 'running' } });
  await cadre.stop(id);
  await stopped;
});

test('a call that needs approval is approved with other arguments', async () => {
  const folder = await project();
  await writeFile(
    join(folder, 'agents/writer.toml'),
    agent('writer', 'tools = ["write_file"]\nmode = "ask"\npatience = "1h"\n'),
  );
  const given = { path: 'a.txt', content: 'one' };
  await writeFile(
    join(folder, 'writer.json'),
    script({ calls: [{ name: 'write_file', arguments: given }] }, { text: 'written' }),
  );
  const cadre = await open(folder);
  const { result } = await cadre.start('writer');
  await expect.poll(() => cadre.questions()).toHaveLength(1);
  const [question] = await cadre.questions();
  if (question === undefined) throw new Error('there is no question');
  expect(question).toMatchObject({ tool: 'write_file', arguments: given });
  await expect(cadre.answer(question, 'perhaps')).rejects.toThrow('the answer to an approval is approve');
  const wrong: object = { reason: 'too early' };
  await expect(cadre.answer(question, 'deny', wrong)).rejects.toThrow(
    'invalid option reason: there is no such option, known here: arguments',
  );
  await cadre.answer(question, 'approve', { arguments: { ...given, content: 'two' } });
  expect((await result()).content).toBe('written');
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('two');
});

test.each(['folder', 'agentsDir', 'lambdaEndpoint'])(
  '%s is refused where an environment is opened',
  async (key) => {
    await expect(openCadre({ environment: 'dev', [key]: 'x' })).rejects.toThrow(
      new ConfigError(`${key} is for runs in this process; leave it out, or leave environment out`),
    );
  },
);

test('a folder that is not there is refused, and not made', async () => {
  const folder = join(await tempFolder({}), 'gone');
  await expect(openCadre({ folder })).rejects.toThrow(`no such folder: ${folder}`);
  expect(existsSync(folder)).toBe(false);
});

test('a run of another openCadre of the process is stopped by its records', async () => {
  const folder = await project();
  const [cadre, other] = [await open(folder), await open(folder)];
  const { id, result } = await cadre.start('slow');
  const ended = result().catch((error: unknown) => error);
  await other.stop(id);
  expect(await ended).toMatchObject({ name: 'RunError', run: { id, status: 'stopped' } });
});

test('a copy of an agent is made from code, and goes on with a message', async () => {
  const cadre = await open(await project());
  const { run } = await cadre.run('finder', { prompt: 'look' });
  const copy = await cadre.fork(run.id);
  expect(copy).toMatchObject({ agent: 'finder', status: 'idle', usage: { turns: 0 } });
  expect((await cadre.show(run.id)).run.tree.runs).toBe(2);
  await expect(cadre.fork('finder-00000000000000')).rejects.toThrow('run not found');
});

test('a run is made anew from code, from one of its turns', async () => {
  const cadre = await open(await project());
  const { run } = await cadre.run('review', { prompt: 'Any risks?' });
  const { result } = await cadre.fork(run.id, { turn: 1, text: 'Any chances?' });
  const { content, run: copy } = await result();
  expect([content, copy.tree.runs, copy.id === run.id]).toEqual(['Found: three risks', 2, false]);
  await expect(cadre.fork(run.id, { turn: 0 })).rejects.toThrow(/turn/);
});

test('closing stops what runs, and records it', async () => {
  const folder = await project();
  const cadre = await openCadre({ folder });
  const { id, result } = await cadre.start('slow');
  const ended = result().catch((error: unknown) => error);
  await cadre.close();
  expect(await ended).toMatchObject({ name: 'RunError', run: { id, status: 'stopped' } });
});

test('a run of the command is watched and stopped from code', async () => {
  const folder = await project();
  const command = startCommand(['run', 'slow', '-p', 'x', '--verbose'], folder);
  await command.says('turn 1');
  const local = await openLocalStore(folder);
  const [run] = await eventsIn(local.runs.roots(1));
  await local.close();
  const id = run?.id ?? '';
  const cadre = await open(folder);
  await cadre.stop(id);
  expect((await command.ended()).code).toBe(130);
  expect((await eventsOf(cadre, id)).at(-1)).toMatchObject({ type: 'run_closed', status: 'stopped' });
});

function eventsOf(cadre: Cadre, id: string): Promise<RunEvent[]> {
  return eventsIn(cadre.watch(id));
}

async function eventsIn<T>(iterable: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of iterable) all.push(each);
  return all;
}
