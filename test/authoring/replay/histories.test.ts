import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/json.ts';
import { replayExecution } from '../../../src/doors/cli/commands/replay-history.ts';
import { CONVERSATION } from '../../../src/core/machine/conversation.ts';
import { definitionOf, invoke, run, type Functions } from '../../asl/harness.ts';
import { answer, openQuestions } from '../../fixtures/questions.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { call, openStage, use, type Role } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

type Definition = { [field: string]: Json };

/** Replays a history, and says what came of it. */
async function replayed(history: unknown, definition?: Definition | string) {
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
  const cwd = await tempFolder({ 'history.json': JSON.stringify(history), 'definition.json': text ?? '' });
  const io = recordedIo(cwd);
  const options = definition === undefined ? {} : { definition: 'definition.json' };
  const code = await replayExecution('history.json', options, io);
  return { code, out: io.out };
}

async function historyOf(definition: Definition, input: Json = {}, functions: Functions = {}) {
  const { machines, execution } = await run(definition, { input, functions });
  const events = machines.getExecutionHistory({ executionArn: execution.executionArn });
  return { events };
}

describe('the histories of a tree', () => {
  test('replay through the machine: turns, tools, sub-agents, failures, questions and forks', async () => {
    const top: Role = ({ turn, results }) => {
      if (turn === 1) return [call('kid', 'a'), call('kid', 'b'), use('ask_user', { question: 'Why?' })];
      if (turn === 2) return [use('read_file', { path: 'a.txt' }), use('fork', { prompt: 'p', name: 'f' })];
      return turn === 3 ? [use('wait', { timeout: 60 })] : results.join();
    };
    const kid: Role = ({ message }) => (message.endsWith('b') ? Promise.reject(new Error('no')) : 'yes');
    const stage = await openStage(
      { top: (asked) => (JSON.stringify(asked.request).includes('forked by') ? 'forked' : top(asked)), kid },
      { top: 'tools = ["ask_user", "read_file", "fork", "wait"]\nsub_agents = ["kid"]\n' },
      { 'a.txt': 'A' },
    );
    const ended = stage.run();
    const [open] = await openQuestions(stage.pipeline.store, 1);
    if (open !== undefined) await answer(stage.cwd, open, 'because');
    const { run: top1 } = await ended;
    const histories = stage.histories(top1.id);
    expect(histories.size).toBe(4);
    for (const events of histories.values()) {
      expect(await replayed({ events })).toEqual({
        code: 0,
        out: `no difference: ${events.length} events\n`,
      });
    }
    const changed = JSON.stringify(CONVERSATION).replace('"Next":"More?"', '"Next":"Take turn"');
    const { code, out } = await replayed({ events: histories.get(top1.id) }, changed);
    expect(code).toBe(1);
    expect(out).toMatch(/^the first difference is what TurnFunction is invoked with\n|the order of events/);
  });
});

describe('the history of any definition replays', () => {
  test('with failures, retries, waits and time-outs, in no time', async () => {
    let calls = 0;
    const functions: Functions = {
      flaky: () => {
        if (++calls < 3) throw Object.assign(new Error('not yet'), { name: 'Flaky' });
        return { calls };
      },
      slow: () => new Promise(() => {}),
    };
    const definition = definitionOf({
      Wait: { Type: 'Wait', Seconds: 3600, Next: 'Try' },
      Try: invoke('flaky', { Retry: [{ ErrorEquals: ['Flaky'], MaxAttempts: 5 }], Next: 'Late' }),
      Late: invoke('slow', {
        TimeoutSeconds: 60,
        Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'Each' }],
        Next: 'Each',
      }),
      Each: {
        Type: 'Map',
        Items: [1, 2, 3],
        ItemProcessor: { StartAt: 'Do', States: { Do: invoke('work') } },
        End: true,
      },
    });
    const history = await historyOf(definition, {}, { ...functions, work: (payload) => [payload] });
    expect(await replayed(history, definition)).toEqual({
      code: 0,
      out: `no difference: ${history.events.length} events\n`,
    });
  });

  test.each([
    ['what a function is invoked with', { Payload: { n: 2 } }, 'what work is invoked with', '+  "n": 2'],
    ['a function that was not invoked', { FunctionName: 'other' }, 'what other is invoked with', '+  "n": 1'],
  ])('and shows the first difference: %s', async (_, changes, what, line) => {
    const given = { FunctionName: 'work', Payload: { n: 1 } };
    const of = (Arguments: Definition) => definitionOf({ Do: invoke('work', { Arguments }) });
    const history = await historyOf(of(given), {}, { work: () => 'done' });
    const { code, out } = await replayed(history, of({ ...given, ...changes }));
    expect([code, out.split('\n')[0]]).toEqual([1, `the first difference is ${what}`]);
    expect(out.split('\n')).toContain(line);
  });

  test('and shows another order of events, and another output', async () => {
    const pass = { Type: 'Pass', End: true };
    const history = await historyOf(definitionOf({ One: { ...pass, Output: 1 } }));
    expect(await replayed(history, definitionOf({ One: { ...pass, Output: 2 } }))).toEqual({
      code: 1,
      out: 'the first difference is the output\n--- recorded\n+++ now\n@@ -1,1 +1,1 @@\n-1\n+2\n',
    });
    const other = await replayed(history, definitionOf({ Two: { ...pass, Output: 1 } }));
    expect(other.out).toContain('-PassStateEntered One\n-PassStateExited One\n+PassStateEntered Two');
  });
});

describe('a history is refused that', () => {
  const pass = definitionOf({ One: { Type: 'Pass', End: true } });
  test('is none, is not whole, or has not ended', async () => {
    const { events } = await historyOf(pass);
    const [first] = events;
    const cannot = 'the history in history.json cannot be replayed';
    await expect(replayed({ name: 'x' }, pass)).rejects.toThrow('history.json is not an execution history');
    await expect(replayed({ events, nextToken: 'more' }, pass)).rejects.toThrow(
      `${cannot}: it is only a part: get all of its pages`,
    );
    await expect(replayed({ events: events.slice(1) }, pass)).rejects.toThrow(
      `${cannot}: it does not begin with the start`,
    );
    await expect(replayed({ events: [first] }, pass)).rejects.toThrow(
      `${cannot}: its execution has not ended`,
    );
    await expect(replayed({ events }, 'no JSON')).rejects.toThrow('the definition is not JSON');
    const cwd = await tempFolder();
    await writeFile(join(cwd, 'x'), '');
    await expect(replayExecution('gone', {}, recordedIo(cwd))).rejects.toThrow(
      'cannot read gone: there is no such file',
    );
  });
});
