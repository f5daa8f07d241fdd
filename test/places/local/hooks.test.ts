import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/errors.ts';
import { recordingOf } from '../../../src/authoring/replay/recording.ts';
import { replay } from '../../../src/authoring/replay/replay.ts';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { showRun } from '../../../src/doors/cli/commands/show.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { listed } from '../../core/events/harness.ts';
import { followTwice } from '../follow/follow-twice.ts';
import { hookServer, hookTables, type HookEvent } from '../../fixtures/hook-server.ts';
import { answer, openQuestions } from '../../fixtures/questions.ts';
import { call, openStage, use, type Role, type Stage } from '../../fixtures/stage.ts';

const write = (path: string, content: string) => use('write_file', { path, content });

/** Makes these calls in its first turns, one list a turn, and answers with what it was told last. */
const making =
  (...turns: ReturnType<typeof use>[][]): Role =>
  ({ turn, results, told }) =>
    turns[turn - 1] ?? (results.join('|') || told);

async function stageWith(
  decide: (event: HookEvent, name: string) => object | undefined,
  hooks: Record<string, string>,
  roles: Record<string, Role>,
  toml: Record<string, string> = {},
) {
  const server = await hookServer(decide);
  const top = `${toml['top'] ?? 'tools = ["files"]\n'}${hookTables(hooks)}`;
  const stage = await openStage(roles, { ...toml, top }, {}, { lambdaEndpoint: server.url });
  return { ...server, hooked: server.asked, stage };
}

const content = ({ cwd }: Stage, path: string) =>
  readFile(join(cwd, path), 'utf8').catch(() => 'no such file');

const AS_IT_IS = 'a result or a text is approved or denied as it is, without arguments';
const BEFORE = { check: 'on = "before_call"\ntools = ["write_file"]' };
const AFTER = { check: 'on = "after_call"' };

describe('a hook before a call', () => {
  test('is told of the call, and lets it be made', async () => {
    const { stage, hooked } = await stageWith(() => ({ decision: 'allow' }), BEFORE, {
      top: making([write('a', 'one')], [use('read_file', { path: 'a' })]),
    });
    const { out, run } = await stage.run();
    expect(out).toContain('one');
    expect(hooked).toEqual([
      {
        by: 'check',
        on: 'before_call',
        run_id: run.id,
        agent: 'top',
        tool: 'write_file',
        arguments: { path: 'a', content: 'one' },
      },
    ]);
    expect(await stage.pipeline.store.decisions(run.id, 1)).toEqual([
      {
        turn: 1,
        call: 1,
        hook: 0,
        decided: {
          hook: 'check',
          on: 'before_call',
          decision: 'allow',
          at: expect.any(String),
          durationMs: expect.any(Number),
        },
      },
    ]);
  });

  test.each([
    [{ decision: 'deny', reason: ' not here ' }, 'not here', { reason: 'not here' }],
    [{ decision: 'deny', reason: ' ' }, 'it gave no reason', {}],
    [{ decision: 'deny', reason: null, text: null }, 'it gave no reason', {}],
    [undefined, 'it failed', { fault: 'Error: broken' }],
    [
      { decision: 'perhaps' },
      'it failed',
      {
        fault:
          'it answered with something that is no decision: Invalid type: Expected ("allow" | "deny" | "replace" | "ask") but received "perhaps"',
      },
    ],
    [{ decision: 'replace' }, 'it failed', { fault: 'it replaced nothing: its answer has no "arguments"' }],
  ])('denies it by %j, and the model reads why', async (reply, why, kept) => {
    const { stage } = await stageWith(() => reply, BEFORE, { top: making([write('a', 'one')]) });
    const { out, run } = await stage.run();
    expect(out).toBe(`Permission denied: hook "check" denied write_file: ${why}`);
    expect(await content(stage, 'a')).toBe('no such file');
    expect((await stage.pipeline.store.decisions(run.id, 1)).map(({ decided }) => decided)).toEqual([
      {
        hook: 'check',
        on: 'before_call',
        decision: 'deny',
        ...kept,
        at: expect.any(String),
        durationMs: expect.any(Number),
      },
    ]);
  });

  test('denies what it cannot be told whole', async () => {
    const { stage } = await stageWith(() => ({ decision: 'allow' }), BEFORE, {
      top: making([write('a', 'x'.repeat(6 * 2 ** 20))]),
    });
    const { out, run } = await stage.run();
    expect(out).toBe('Permission denied: hook "check" denied write_file: it failed');
    expect(await stage.pipeline.store.decisions(run.id, 1)).toMatchObject([
      { decided: { fault: 'what it is asked is larger than 6 MB' } },
    ]);
  });

  test.each([
    ['ask', 'it needs approval, and waits for somebody itself'],
    ['replace', 'the arguments of ask_user cannot be replaced'],
  ])('of a question to a person can only let it be asked: %s', async (decision, why) => {
    const { stage } = await stageWith(
      () => ({ decision, arguments: {} }),
      { check: 'on = "before_call"' },
      { top: making([use('ask_user', { question: 'which?' })]) },
      { top: 'tools = ["ask_user"]\n' },
    );
    expect((await stage.run()).out).toBe(`Permission denied: hook "check" denied ask_user: ${why}`);
  });

  test('replaces its arguments, of which the next hook and the model are told', async () => {
    const { stage, hooked } = await stageWith(
      (_, name) =>
        name === 'first'
          ? { decision: 'replace', arguments: { path: 'b', content: 'two' } }
          : { decision: 'allow' },
      { first: 'on = "before_call"', second: 'on = "before_call"' },
      { top: making([write('a', 'one')]) },
    );
    const { out } = await stage.run();
    expect(out).toBe(
      '[arguments changed by hook "first": path: "a" → "b"; content: "one" → "two"]\n\ncreated "b" (3 bytes)',
    );
    expect(hooked.map((event) => event.arguments)).toEqual([
      { path: 'a', content: 'one' },
      { path: 'b', content: 'two' },
    ]);
    expect([await content(stage, 'a'), await content(stage, 'b')]).toEqual(['no such file', 'two']);
  });

  test('replaces no rules: other arguments are judged like those of the model', async () => {
    const { stage } = await stageWith(
      () => ({ decision: 'replace', arguments: { path: '.env', content: 'two' } }),
      BEFORE,
      { top: making([write('a', 'one')]) },
      { top: 'tools = ["files"]\npermissions = { deny = ["write_file(.env)"] }\n' },
    );
    const { out } = await stage.run();
    expect(out).toContain('Permission denied: "write_file" is denied by the rule write_file(.env).');
    expect(await content(stage, '.env')).toBe('no such file');
  });

  test('puts it before a person, and is asked again about what that person changes', async () => {
    const { stage, hooked } = await stageWith(
      ({ arguments: given }) =>
        given?.['content'] === 'one' ? { decision: 'ask', reason: 'is it one?' } : { decision: 'allow' },
      BEFORE,
      { top: making([write('a', 'one'), use('read_file', { path: 'a' })]) },
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    expect(open?.question).toMatchObject({
      question: 'Allow write_file: a? (hook "check": is it one?)',
      choices: ['approve', 'deny'],
      approval: { tool: 'write_file', arguments: { path: 'a', content: 'one' } },
    });
    if (open === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, open, 'approve', 'ann', { path: 'a', content: 'two' });
    expect((await ended).out).toBe(
      '[arguments changed by the user: content: "one" → "two"]\n\ncreated "a" (3 bytes)|1: two',
    );
    expect(hooked.map((event) => event.arguments)).toEqual([
      { path: 'a', content: 'one' },
      { path: 'a', content: 'two' },
    ]);
  });

  test.each([
    [
      'before_call',
      { decision: 'ask', reason: 'sure?' },
      'Allow read_file: a, which leads to b? (hook "check": sure?)',
    ],
    ['after_call', { decision: 'ask' }, 'Let the agent read the result of read_file? (hook "check")'],
  ])('says where a link leads only of a call that is still to be made: %s', async (on, reply, asked) => {
    const { stage } = await stageWith(
      () => reply,
      { check: `on = "${on}"` },
      { top: making([use('read_file', { path: 'a' })]) },
    );
    await writeFile(join(stage.cwd, 'b'), 'two');
    await symlink('b', join(stage.cwd, 'a'));
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) throw new Error('nothing is asked');
    expect(open.question.question).toBe(asked);
    await answer(stage.cwd, open, 'approve', 'ann');
    expect((await ended).out).toBe('1: two');
  });

  test('may deny what a person has changed', async () => {
    const { stage } = await stageWith(
      ({ arguments: given }) =>
        given?.['content'] === 'one' ? { decision: 'ask' } : { decision: 'deny', reason: 'never two' },
      BEFORE,
      { top: making([write('a', 'one')]) },
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, open, 'approve', 'ann', { path: 'a', content: 'two' });
    expect((await ended).out).toBe('Permission denied: hook "check" denied write_file: never two');
  });

  test('asks a person about each call anew, who cannot approve later ones with it', async () => {
    const { stage } = await stageWith(
      ({ arguments: given }) => ({ decision: given?.['path'] === 'a' ? 'ask' : 'allow' }),
      BEFORE,
      { top: making([write('a', 'one')], [write('b', 'two')]) },
      { top: 'tools = ["files"]\npermissions = { ask = ["write_file(b)"] }\n' },
    );
    const ended = stage.run();
    const [first] = await openQuestions(stage.pipeline.store, 1);
    if (first === undefined) throw new Error('nothing is asked');
    await expect(answer(stage.cwd, first, 'always', 'ann')).rejects.toThrow(
      new ConfigError(
        'the answer is approve, or deny with a reason, not "always": the hook asks each time anew',
      ),
    );
    await answer(stage.cwd, first, 'approve', 'ann');
    const [second] = await openQuestions(stage.pipeline.store, 1);
    if (second === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, second, 'deny', 'ann');
    expect((await ended).out).toBe('Permission denied: "write_file" was denied by the user.');
    expect([await content(stage, 'a'), await content(stage, 'b')]).toEqual(['one', 'no such file']);
  });

  test('is not answered by what a person has approved for the rest of the run', async () => {
    const { stage } = await stageWith(
      ({ arguments: given }) => ({ decision: given?.['path'] === 'a' ? 'allow' : 'ask' }),
      BEFORE,
      { top: making([write('a', 'one')], [write('b', 'two')]) },
      { top: 'tools = ["files"]\npermissions = { ask = ["write_file"] }\n' },
    );
    const ended = stage.run();
    const [first] = await openQuestions(stage.pipeline.store, 1);
    if (first === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, first, 'always', 'ann');
    expect((await ended).out).toBe(
      'Permission denied: hook "check" denied write_file: it needs approval, and what was approved for the rest of the run is none',
    );
    expect([await content(stage, 'a'), await content(stage, 'b')]).toEqual(['one', 'no such file']);
  });

  test('asks a person who denies it', async () => {
    const { stage } = await stageWith(() => ({ decision: 'ask' }), BEFORE, {
      top: making([write('a', 'one')]),
    });
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, open, 'deny: no', 'ann');
    expect((await ended).out).toBe('Permission denied: "write_file" was denied by the user: no');
  });
});

describe('a hook before a call of another agent', () => {
  const HOOKS = { check: 'on = "before_call"\ntools = ["call_agent"]' };
  const roles = { top: making([call('sub', 'dig')]), sub: () => 'dug' };
  const toml = { top: 'sub_agents = ["sub"]\n' };

  test('lets it begin', async () => {
    const { stage, hooked } = await stageWith(() => ({ decision: 'allow' }), HOOKS, roles, toml);
    const { out, tree } = await stage.run();
    expect(out).toBe('dug');
    expect(tree.map(({ agent }) => agent)).toEqual(['top', 'sub']);
    expect(hooked.map((event) => event.arguments)).toEqual([{ agent: 'sub', task: 'dig' }]);
  });

  test.each([
    [{ decision: 'deny', reason: 'no' }, 'no'],
    [undefined, 'it failed'],
  ])('keeps it from beginning by %j', async (reply, why) => {
    const { stage } = await stageWith(() => reply, HOOKS, roles, toml);
    const { out, tree } = await stage.run();
    expect(out).toBe(`Permission denied: hook "check" denied call_agent: ${why}`);
    expect(tree.map(({ agent }) => agent)).toEqual(['top']);
  });

  test('replaces its task', async () => {
    const { stage } = await stageWith(
      () => ({ decision: 'replace', arguments: { agent: 'sub', task: 'rest' } }),
      HOOKS,
      { ...roles, sub: ({ message }) => message },
      toml,
    );
    const { out } = await stage.run();
    expect(out).toBe('[arguments changed by hook "check": task: "dig" → "rest"]\n\nTask: rest');
  });

  test.each([
    [
      { agent: 'nobody', task: 'dig' },
      'call_agent error: agent "nobody" is not in this agent\'s sub_agents list',
    ],
    [{ agent: 'sub', task: 'dig', background: true }, 'it put arguments that lead elsewhere'],
  ])('has no other kind of call made in its place: %j', async (other, why) => {
    const { stage } = await stageWith(() => ({ decision: 'replace', arguments: other }), HOOKS, roles, {
      top: `${toml.top}[sub_agents_config]\nbackground = true\n`,
    });
    const { out, tree } = await stage.run();
    expect(out).toBe(`Permission denied: hook "check" denied call_agent: ${why}`);
    expect(tree.map(({ agent }) => agent)).toEqual(['top']);
  });

  test('puts it before a person', async () => {
    const { stage, hooked } = await stageWith(() => ({ decision: 'ask' }), HOOKS, roles, toml);
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, open, 'approve', 'ann', { agent: 'sub', task: 'rest' });
    expect((await ended).out).toBe('[arguments changed by the user: task: "dig" → "rest"]\n\ndug');
    expect(hooked).toHaveLength(2);
  });

  test('is asked, too, where another call of the turn is asked about by none', async () => {
    const { stage } = await stageWith(
      () => ({ decision: 'deny', reason: 'no' }),
      HOOKS,
      { ...roles, top: making([write('a', 'one'), call('sub', 'dig')]) },
      { top: `${toml.top}tools = ["files"]\n` },
    );
    const { out, tree } = await stage.run();
    expect(out).toBe('created "a" (3 bytes)|Permission denied: hook "check" denied call_agent: no');
    expect(tree.map(({ agent }) => agent)).toEqual(['top']);
  });

  test('has no turn looked at again of which no call is asked about', async () => {
    const top = making([write('a', 'one')]);
    const tools = { top: `${toml.top}tools = ["files"]\n` };
    const { stage, hooked } = await stageWith(() => ({}), HOOKS, { ...roles, top }, tools);
    const { out, run } = await stage.run();
    const states = JSON.stringify(stage.histories(run.id).get(run.id));
    expect([out, hooked, states.match(/"stateEnteredEventDetails":\{"name":"Take turn"/g)?.length]).toEqual([
      'created "a" (3 bytes)',
      [],
      2,
    ]);
  });

  test('keeps the order of calls', async () => {
    const order: string[] = [];
    const { stage } = await stageWith(
      () => ({ decision: 'allow' }),
      { check: 'on = "before_call"' },
      {
        top: making([call('sub', 'dig'), write('a', 'one'), call('sub', 'again')]),
        sub: async ({ message }) => {
          order.push(`${message}: ${await content(stage, 'a')}`);
          return message;
        },
      },
      { top: 'sub_agents = ["sub"]\ntools = ["files"]\n' },
    );
    const { out } = await stage.run();
    expect(out).toBe('Task: dig|created "a" (3 bytes)|Task: again');
    expect(order).toEqual(['Task: dig: no such file', 'Task: again: one']);
  });
});

describe('a hook after a call', () => {
  test('is told of the result, and lets the model read it', async () => {
    const { stage, hooked } = await stageWith(() => ({ decision: 'allow' }), AFTER, {
      top: making([write('a', 'one')]),
    });
    expect((await stage.run()).out).toBe('created "a" (3 bytes)');
    expect(hooked).toMatchObject([
      { on: 'after_call', tool: 'write_file', result: 'created "a" (3 bytes)', arguments: { path: 'a' } },
    ]);
  });

  test.each([
    [{ decision: 'replace', result: { ok: true } }, '{"ok":true}'],
    [{ decision: 'replace', result: 'done' }, 'done'],
    [{ decision: 'deny', reason: 'secret' }, 'Permission denied: hook "check" denied write_file: secret'],
    [undefined, 'Permission denied: hook "check" denied write_file: it failed'],
  ])('puts something else in its place by %j', async (reply, told) => {
    const { stage } = await stageWith(() => reply, AFTER, { top: making([write('a', 'one')]) });
    expect((await stage.run()).out).toBe(told);
    expect(await content(stage, 'a')).toBe('one');
  });

  test('of another agent does the same', async () => {
    const { stage, hooked } = await stageWith(
      () => ({ decision: 'replace', result: 'hidden' }),
      AFTER,
      { top: making([call('sub', 'dig')]), sub: () => 'dug' },
      { top: 'sub_agents = ["sub"]\n' },
    );
    expect((await stage.run()).out).toBe('hidden');
    expect(hooked).toMatchObject([{ on: 'after_call', tool: 'call_agent', result: 'dug' }]);
  });

  test.each([
    ['approve', 'one'],
    ['deny: no', 'Permission denied: "read_file" was denied by the user: no'],
  ])('has a person decide, who says %j', async (said, told) => {
    const { stage } = await stageWith(
      () => ({ decision: 'ask' }),
      { check: 'on = "after_call"\ntools = ["read_file"]' },
      { top: making([write('a', 'one')], [use('read_file', { path: 'a' })]) },
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    expect(open?.question.question).toBe('Let the agent read the result of read_file? (hook "check")');
    if (open === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, open, said);
    expect((await ended).out).toContain(told);
  });

  test('asks nobody about a call that a person has allowed', async () => {
    const { stage } = await stageWith(
      () => ({ decision: 'ask' }),
      { before: 'on = "before_call"', after: 'on = "after_call"' },
      { top: making([write('a', 'one')]) },
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, open, 'approve');
    expect((await ended).out).toBe(
      'Permission denied: hook "after" denied write_file: it needs approval, and a person has been asked about it before',
    );
  });

  test('has a person decide about the result alone, whose arguments would come too late', async () => {
    const { stage } = await stageWith(
      () => ({ decision: 'ask' }),
      AFTER,
      { top: making([call('sub', 'dig')]), sub: () => 'dug' },
      { top: 'sub_agents = ["sub"]\n' },
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) throw new Error('nothing is asked');
    await expect(answer(stage.cwd, open, 'approve', 'ann', { agent: 'sub', task: 'rest' })).rejects.toThrow(
      new ConfigError(AS_IT_IS),
    );
    await answer(stage.cwd, open, 'approve');
    expect((await ended).out).toBe('dug');
  });

  test('of another agent has a person decide', async () => {
    const { stage } = await stageWith(
      () => ({ decision: 'ask' }),
      AFTER,
      { top: making([call('sub', 'dig')]), sub: () => 'dug' },
      { top: 'sub_agents = ["sub"]\n' },
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open === undefined) throw new Error('nothing is asked');
    await answer(stage.cwd, open, 'approve');
    expect((await ended).out).toBe('dug');
  });
});

describe('a hook before the answer', () => {
  const ANSWER = { check: 'on = "before_answer"' };
  const SECRET = 'the code is 4711';

  /** What anybody is shown of a run: events, and what its records hold. */
  async function shown(stage: Stage) {
    const events: object[] = [];
    stage.onEvent((event) => void events.push(event));
    const ended = await stage.run();
    const turns = await stage.pipeline.store.turns(ended.run.id);
    return { ...ended, turns, all: JSON.stringify({ events, turns, out: ended.out, run: ended.run }) };
  }

  test('is told of it, and lets it be shown', async () => {
    const { stage, hooked } = await stageWith(() => ({ decision: 'allow' }), ANSWER, { top: () => 'done' });
    const { out, run } = await stage.run();
    expect(out).toBe('done');
    expect(hooked).toEqual([
      { by: 'check', on: 'before_answer', run_id: run.id, agent: 'top', text: 'done' },
    ]);
  });

  test('denies it: nobody is shown it, and the model goes on and reads why', async () => {
    const told: string[] = [];
    const live: unknown[] = [];
    const begun: { run: string }[] = [];
    const { stage } = await stageWith(
      ({ text }) => (text === SECRET ? { decision: 'deny', reason: 'no codes' } : { decision: 'allow' }),
      ANSWER,
      {
        top: ({ told: message, onDelta }) => {
          told.push(message);
          if (told.length > 1) return 'I cannot say';
          onDelta?.({ type: 'thinking', text: SECRET });
          onDelta?.({ type: 'text', text: SECRET });
          for (const { run } of begun) live.push(stage.pipeline.local.feed.answer(run));
          return SECRET;
        },
      },
    );
    stage.onEvent((event) => void begun.push(event));
    const { out, all, turns } = await shown(stage);
    expect(out).toBe('I cannot say');
    expect(live).toContainEqual(expect.objectContaining({ turn: 1, text: '' }));
    expect(JSON.stringify(live)).not.toContain('4711');
    expect(told).toEqual(['go', 'Permission denied: hook "check" denied the answer: no codes']);
    expect(all).not.toContain('4711');
    expect(turns.map(({ answer: { text }, denied }) => ({ text, denied }))).toEqual([
      { text: '', denied: 'Permission denied: hook "check" denied the answer: no codes' },
      { text: 'I cannot say', denied: undefined },
    ]);
    expect(stage.asked.at(-1)?.request.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
  });

  test('that fails denies it', async () => {
    let turn = 0;
    const { stage } = await stageWith(
      ({ text }) => (text === 'one' ? undefined : { decision: 'allow' }),
      ANSWER,
      {
        top: ({ told }) => ((turn += 1) === 1 ? 'one' : told),
      },
    );
    expect((await stage.run()).out).toBe('Permission denied: hook "check" denied the answer: it failed');
  });

  test('replaces it', async () => {
    const { stage } = await stageWith(() => ({ decision: 'replace', text: 'the code is secret' }), ANSWER, {
      top: () => SECRET,
    });
    const { out, all } = await shown(stage);
    expect(out).toBe('the code is secret');
    expect(all).not.toContain('4711');
  });

  test('is asked about what the model says beside its calls, which are made in any case', async () => {
    const { stage, hooked } = await stageWith(
      ({ text }) => (text === SECRET ? { decision: 'deny' } : { decision: 'allow' }),
      ANSWER,
      {
        top: ({ turn, results, told }) =>
          turn === 1 ? { text: SECRET, calls: [write('a', 'one')] } : `${results.join()}${told}`,
      },
    );
    const { out, all } = await shown(stage);
    expect(all).not.toContain('4711');
    expect(out).toBe('Permission denied: hook "check" denied the answer: it gave no reason');
    expect(await content(stage, 'a')).toBe('one');
    expect(hooked.map(({ text }) => text)).toEqual([SECRET, out]);
  });

  test.each([
    ['approve', SECRET],
    ['deny: not now', 'Permission denied: "the answer" was denied by the user: not now'],
  ])('has a person decide, who says %j', async (said, expected) => {
    let turn = 0;
    const { stage } = await stageWith(
      ({ text }) => ({ decision: text === SECRET ? 'ask' : 'allow' }),
      ANSWER,
      {
        top: ({ told }) => ((turn += 1) === 1 ? SECRET : told),
      },
    );
    const { store } = stage.pipeline;
    let follower: ReturnType<typeof followTwice> | undefined;
    stage.onEvent(({ run }) => (follower ??= followTwice(run, stage.environment, store)));
    const ended = stage.run();
    const [open] = await openQuestions(store, 1);
    expect(open?.question).toMatchObject({
      turn: 1,
      call: 0,
      question: 'Allow the answer: the code is 4711? (hook "check")',
      approval: { tool: 'answer', arguments: { text: SECRET } },
    });
    if (open === undefined) throw new Error('nothing is asked');
    await expect(answer(stage.cwd, open, 'approve', 'ann', { text: 'a' })).rejects.toThrow(
      new ConfigError(AS_IT_IS),
    );
    await answer(stage.cwd, open, said);
    const { out, run } = await ended;
    expect(out).toBe(expected);
    await follower?.expectSame();
    const events = await listed(run, store);
    expect(events.slice(0, 5).map(({ event }) => event)).toMatchObject([
      { type: 'run_opened' },
      { type: 'turn_started', turn: 1 },
      { type: 'question_asked', turn: 1, call: 0, choices: ['approve', 'deny'] },
      { type: 'question_answered', turn: 1, call: 0, answer: said },
      { type: 'turn_finished', turn: 1 },
    ]);
  });
});

test('what hooks decided is replayed, without asking them again', async () => {
  const { stage, hooked } = await stageWith(
    ({ on, tool, text }) => {
      if (on === 'before_call')
        return tool === 'call_agent' ? { decision: 'allow' } : { decision: 'deny', reason: 'no' };
      if (on === 'after_call') return { decision: 'replace', result: 'hidden' };
      return text === 'one' ? { decision: 'deny', reason: 'once more' } : { decision: 'allow' };
    },
    {
      first: 'on = "before_call"',
      second: 'on = "after_call"\ntools = ["call_agent"]',
      third: 'on = "before_answer"',
    },
    {
      top: ({ told }) => {
        const { length } = stage.asked.filter(({ agent }) => agent === 'top');
        return length === 1 ? [call('sub', 'dig'), write('a', 'one')] : length === 2 ? 'one' : told;
      },
      sub: () => 'dug',
    },
    { top: 'sub_agents = ["sub"]\ntools = ["files"]\n' },
  );
  const { out, run } = await stage.run();
  expect(out).toBe('Permission denied: hook "third" denied the answer: once more');
  const { length } = hooked;
  const shown = recordedIo(stage.cwd);
  await showRun(run.id, stage.environment, { json: false, messages: false }, { ...shown, user: 'ann' });
  expect(shown.out).toContain('t1c2 write_file: hook "first" said deny: no');
  expect(shown.out).toContain('t2c0 the answer: hook "third" said deny: once more');
  const recording = await recordingOf(run.id, stage.pipeline.store);
  const { source } = await localSources(stage.io());
  const context = { cwd: stage.cwd, openWorkspace: openFolderWorkspace, source };
  expect(await replay(recording, context)).toEqual({ runs: 2, turns: 4, skipped: 0 });
  expect(hooked).toHaveLength(length);
});
