import { describe, expect, test } from 'vitest';
import type { DelegationLimits, Plan, Spawning } from '../../../src/core/records/plan.ts';
import { seconds } from '../../../src/core/records/times.ts';
import type { Asking, EndedSubAgent } from '../../../src/core/tool-contracts/planned-tool.ts';
import { delegateTask } from '../../../src/tools/delegation/delegate-task.ts';
import { spawnAgent } from '../../../src/tools/delegation/spawn-agent.ts';
import { aRun, aTurn } from '../../fixtures/records.ts';

const spawning: Spawning = {
  maxDepth: 2,
  maxConcurrent: 1,
  inheritMode: true,
  budget: { maxToolCalls: 15, maxTokens: 8192, timeoutMs: 1_500 },
  hardStopAt: 0,
};
const delegation: DelegationLimits = {
  subAgents: [],
  depth: 1,
  maxDepth: 3,
  parallel: true,
  timeout: seconds(0),
  ways: ['spawn_agent', 'delegate_task'],
  spawning,
};
const { spawning: _, ...unable } = delegation;
const tool = (name: string) => ({
  name,
  description: '',
  parameters: { type: 'object', properties: {} } as const,
});
const asking: Asking = { agent: 'top', model: 'm/x', tools: [tool('grep'), tool('ask_user')], delegation };
const withSpawning = (changed: Partial<Spawning>): Asking => ({
  ...asking,
  delegation: { ...delegation, spawning: { ...spawning, ...changed } },
});

const spawn = (args: Record<string, unknown>, by = asking) =>
  spawnAgent.plan({ id: 'c1', name: 'spawn_agent', arguments: args }, by);
const delegate = (args: Record<string, unknown>, by = asking) =>
  delegateTask.plan({ id: 'c1', name: 'delegate_task', arguments: args }, by);
const refusal = (text: string) => ({ kind: 'done', text, isError: true });

describe.each([spawnAgent, delegateTask])('$name', (way) => {
  test.each<[string, Asking]>([
    ['its own file lets it go no deeper', withSpawning({ maxDepth: 1 })],
    ['its tree goes no deeper', { ...asking, delegation: { ...delegation, maxDepth: 1 } }],
    ['its file does not name it', { ...asking, delegation: { ...delegation, ways: [] } }],
    ['it may spawn nothing', { ...asking, delegation: unable }],
  ])('is not offered to an agent where %s', (_, by) => {
    expect([way.define(by), way.define(asking)?.name]).toEqual([undefined, way.name]);
  });
});

describe('spawn_agent', () => {
  const spawned = (changed: object) => ({
    kind: 'delegate',
    agent: 'top',
    task: 'x',
    context: '',
    derived: {
      system: [
        'You are a sub-agent that works on one task for another agent.',
        '',
        'Task: x',
        'Working directory: .',
        'Budget: 15 tool calls, 8192 tokens, 2 seconds',
        '',
        'Do this task and nothing else, and stay within the budget. Be concise. End with a summary of what you found and what you changed: it is all that the other agent gets to read.',
      ].join('\n'),
      tools: ['grep'],
      mode: 'auto',
      isSilent: true,
      caps: { toolCalls: 15, tokens: 8192, warnAt: 0, pauseAt: 0 },
      seconds: 2,
      atOnce: 1,
      ...changed,
    },
  });

  test('starts a conversation that is told its task, its folder and its budget, and asks nobody', () => {
    expect(spawn({ task: 'x', scope: ' ' })).toEqual(spawned({}));
    const elsewhere = spawn(
      { task: 'x', scope: 'docs', mode: 'plan' },
      { ...asking, folder: '/a', workdir: 'b' },
    );
    expect(elsewhere).toMatchObject({
      derived: {
        system: expect.stringContaining('\n\nTask: x\nScope: docs\nWorking directory: /a\nBudget: '),
        mode: 'plan',
      },
    });
    expect(spawn({ task: 'x' }, { ...asking, workdir: 'b' })).toMatchObject({
      derived: { system: expect.stringContaining('\nWorking directory: b\n') },
    });
  });

  test.each<[string, Asking, object]>([
    [
      'the tools and the model that are for them',
      withSpawning({ tools: ['a', 'ask_user'], model: 'm/y' }),
      { model: 'm/y', tools: ['a'] },
    ],
    [
      'its mode',
      { ...asking, rules: { mode: 'plan', allow: [], ask: [], deny: [], allowedHosts: [] } },
      { mode: 'plan' },
    ],
    ['no mode but the one that asks', withSpawning({ inheritMode: false }), { mode: 'ask' }],
    ['others at work at once', withSpawning({ maxConcurrent: 3 }), { atOnce: 3 }],
  ])('hands on %s', (_, by, changed) => {
    expect(spawn({ task: 'x' }, by)).toEqual(spawned(changed));
  });

  test.each([
    [0, '3', 3],
    [7, 50, 7],
    [1, undefined, 1],
  ])(
    'gives no more calls than its caller may make (%d), however many it names (%j)',
    (hardStopAt, asked, calls) => {
      expect(spawn({ task: 'x', max_tool_calls: asked }, withSpawning({ hardStopAt }))).toMatchObject({
        derived: { caps: { toolCalls: calls } },
      });
    },
  );

  test.each<[string, Record<string, unknown>, string]>([
    ['without a task', { task: ' ' }, 'Error: task is required for spawn_agent'],
    ['without a budget', { task: 'x', max_tool_calls: 0 }, 'Error: maxToolCalls must be positive'],
    [
      'with a limit that is no number',
      { task: 'x', max_tool_calls: 'many' },
      'Error: argument "max_tool_calls" must be a whole number, not "many"',
    ],
    ['with an unknown mode', { task: 'x', mode: 'yolo' }, 'Error: mode must be plan or auto'],
  ])('is refused %s', (_, args, text) => {
    expect(spawn(args)).toEqual(refusal(text));
  });

  test('is refused where there is nothing to spawn', () => {
    expect(spawn({ task: 'x' }, { ...asking, delegation: unable })).toEqual(
      refusal('Error: nothing to spawn'),
    );
  });

  test('is refused below its depth', () => {
    expect(spawn({ task: 'x' }, withSpawning({ maxDepth: 1 }))).toEqual(
      refusal('Error: Maximum sub-agent depth (1) exceeded'),
    );
  });

  const iso = (second: number) => new Date(1_000 * second).toISOString();
  const ended = (changed: Partial<EndedSubAgent>): EndedSubAgent => ({
    agent: 'top',
    run: aRun({
      status: 'succeeded',
      startedAt: iso(0),
      endedAt: iso(1.54),
    }),
    turns: [aTurn({ answer: { text: 'done', calls: [] } })],
    calls: [],
    reason: '',
    isForComputed: false,
    ...changed,
  });

  test('tells what came of it, with the files that it touched, each once and in order', () => {
    const file = { text: '', isError: false, startedAt: '', durationMs: 0 };
    const calls = [
      { ...file, filesRead: ['b', 'a'] },
      { ...file, filesRead: ['b'], filesModified: ['c'] },
    ];
    expect(spawnAgent.toResult(ended({ calls }))).toEqual({
      text: 'Sub-agent result (0 tool calls, 1.5s):\n\ndone\n\nFiles read: a, b\n\nFiles modified: c',
      isError: false,
    });
    expect(spawnAgent.toResult(ended({ run: undefined, turns: [], reason: 'it never began' }))).toEqual({
      text: '[ERROR] Sub-agent result (0 tool calls, 0.0s):\n\nit never began',
      isError: true,
    });
    const exceeded = { status: 'budget_exceeded' as const, exceeded: 'used 3 of 3 tool calls' };
    const short = aRun({ ...exceeded, startedAt: iso(0), endedAt: iso(2) });
    expect(spawnAgent.toResult(ended({ run: short, turns: [] }))).toEqual({
      text: '[BUDGET EXCEEDED] Sub-agent result (0 tool calls, 2.0s):\n\nused 3 of 3 tool calls',
      isError: false,
    });
    const run = aRun({ status: 'timed_out', startedAt: iso(0), endedAt: iso(60) });
    expect(spawnAgent.toResult(ended({ run, reason: 'timeout after 60s' }))).toEqual({
      text: '[TIMEOUT] Sub-agent result (0 tool calls, 60.0s):\n\ndone',
      isError: false,
    });
    expect(spawnAgent.toResult(ended({ isForComputed: true, calls }))).toEqual({
      text: 'done',
      isError: false,
      spawned: { status: 'completed', toolCalls: 0, durationMs: 1540 },
    });
  });
});

describe('delegate_task', () => {
  const task = { task: 'x' };
  const parts = (plan: Plan) =>
    plan.kind === 'delegate'
      ? JSON.parse((plan.derived?.isComputed && plan.derived.message) || 'null')
      : plan;

  test('says whether its subtasks are carried out at once', () => {
    expect(
      [withSpawning({}), withSpawning({ maxConcurrent: 2 })].map(
        (by) => delegateTask.define(by)?.description,
      ),
    ).toEqual([
      'Break a complex task into sub-tasks and run them sequentially. Each sub-task spawns a sub-agent. Results are aggregated into a single report. Use for multi-step investigations or when exploring multiple areas of the codebase.',
      'Break a complex task into sub-tasks and run them, independent ones at the same time; use depends_on where order matters. Each sub-task spawns a sub-agent. Results are aggregated into a single report. Use for multi-step investigations or when exploring multiple areas of the codebase.',
    ]);
  });

  test('becomes a conversation that is computed, and has the tools of its caller', () => {
    const { derived, ...plan } = { derived: undefined, ...delegate({ plan: 'p', subtasks: [task] }) };
    expect(plan).toEqual({ kind: 'delegate', agent: 'top', task: 'p', context: '' });
    expect(derived).toEqual({
      isComputed: true,
      model: 'planned/delegation',
      system: '',
      message: '{"plan":"p","subtasks":[{"task":"x","scope":"","dependsOn":[]}],"atOnce":false}',
      tools: ['grep', 'ask_user', 'spawn_agent'],
      seconds: 0,
    });
    expect(
      parts(delegate({ plan: 'p', subtasks: [task] }, withSpawning({ maxConcurrent: 2 }))),
    ).toMatchObject({ atOnce: true });
  });

  test.each<[string, unknown, number[]]>([
    ['none', null, []],
    ['an empty text', '', []],
    ['a number', 0, [0]],
    ['a number as a text', ' 1 ', [1]],
    ['a list', [1, '0', 1], [1, 0]],
    ['a list as a text', ' [0, 1]', [0, 1]],
  ])('reads the subtasks that one depends on, written as %s', (_, written, dependsOn) => {
    const subtasks = ['a', { task: 7, scope: 'src' }, { ...task, depends_on: written }];
    const read = [
      { task: 'a', scope: '', dependsOn: [] },
      { task: '7', scope: 'src', dependsOn: [] },
      { task: 'x', scope: '', dependsOn },
    ];
    expect(parts(delegate({ plan: 'p', subtasks }))).toMatchObject({ subtasks: read });
    expect(parts(delegate({ plan: 'p', subtasks: JSON.stringify(subtasks) }))).toMatchObject({
      subtasks: read,
    });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['without a plan', { subtasks: [task] }, 'plan is required for delegate_task'],
    ['without subtasks', { plan: 'p' }, 'subtasks array is required for delegate_task'],
    ['with no subtask', { plan: 'p', subtasks: [] }, 'subtasks array is required for delegate_task'],
    [
      'with a broken list of them',
      { plan: 'p', subtasks: '[{"task"' },
      'subtasks array is required for delegate_task',
    ],
    [
      'with six of them',
      { plan: 'p', subtasks: Array.from({ length: 6 }, () => task) },
      'Maximum 5 subtasks allowed per delegation.',
    ],
    ['with one that has no task', { plan: 'p', subtasks: [task, {}] }, 'task is required for subtask 2'],
    ['with one that is nothing', { plan: 'p', subtasks: [null] }, 'task is required for subtask 1'],
    [
      'with one that depends on a later one',
      { plan: 'p', subtasks: [{ ...task, depends_on: 1 }, task] },
      'depends_on 1 of subtask 1 names no earlier subtask (it is the first)',
    ],
    [
      'with one that depends on far too much',
      { plan: 'p', subtasks: [task, { ...task, depends_on: 'x'.repeat(1e5) }] },
      `depends_on "${'x'.repeat(199)} of subtask 2 names no earlier subtask (use an index from 0 to 0)`,
    ],
    [
      'with one that depends on itself',
      { plan: 'p', subtasks: [task, { ...task, depends_on: [0, 1] }] },
      'depends_on 1 of subtask 2 names no earlier subtask (use an index from 0 to 0)',
    ],
    [
      'with one that depends on less than the first',
      { plan: 'p', subtasks: [task, { ...task, depends_on: -1 }] },
      'depends_on -1 of subtask 2 names no earlier subtask (use an index from 0 to 0)',
    ],
    [
      'with one that depends on nothing there is',
      { plan: 'p', subtasks: [task, task, { ...task, depends_on: 0.5 }] },
      'depends_on 0.5 of subtask 3 names no earlier subtask (use an index from 0 to 1)',
    ],
  ])('is refused %s', (_, args, text) => {
    expect(delegate(args)).toEqual(refusal(`Error: ${text}`));
  });
});
