import { describe, expect, test, vi } from 'vitest';
import type { RunEvent } from '../../../src/core/events/event.ts';
import type { LogLevel } from '../../../src/places/aws/variables.ts';
import { createRunLog, functionRunLog, logCount, logWarning } from '../../../src/places/aws/run-log.ts';

const identity = {
  run: 'digest-00000000000001-t1c2',
  root: 'digest-00000000000001',
  agent: 'facts',
  model: 'anthropic/claude-sonnet-4-5',
  depth: 1,
};
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const head = { timestamp: '2026-01-02T03:04:05.006Z', environment: 'dev', ...identity };

/** The lines that an event comes to, as CloudWatch gets them. */
function linesOf(event: RunEvent, level: LogLevel = 'info'): unknown[] {
  const written: string[] = [];
  const emit = createRunLog({
    environment: 'dev',
    level,
    write: (line) => void written.push(line),
    now: () => AT,
  });
  emit(event);
  expect(written.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
  return written.map((line) => JSON.parse(line));
}

const metrics = (dimensions: string[], ...names: string[]) => ({
  Timestamp: AT,
  CloudWatchMetrics: [directive(dimensions, ...names)],
});
const directive = (dimensions: string[], ...names: string[]) => ({
  Namespace: 'Cadre',
  Dimensions: [['environment', ...dimensions]],
  Metrics: names.map((Name) => ({ Name, Unit: Name.endsWith('Ms') ? 'Milliseconds' : 'Count' })),
});

const opened = {
  type: 'run_opened',
  ...identity,
  parent: { run: 'digest-00000000000001', turn: 1, call: 2 },
  task: 'the secret plan\nof two lines',
} satisfies RunEvent;
const closed = {
  type: 'run_closed',
  ...identity,
  durationMs: 1500,
  characters: 9,
  text: 'an answer',
} as const;

describe('the log of runs', () => {
  test('tells of a turn in one line with its numbers, which are metrics by agent and model', () => {
    const usage = { turns: 1, toolCalls: 2, inputTokens: 300, outputTokens: 40 };
    expect(
      linesOf({
        type: 'turn_finished',
        ...identity,
        turn: 3,
        text: 'what it said',
        stopReason: 'tool_use',
        calls: 2,
        latencyMs: 950,
        usage,
      }),
    ).toEqual([
      {
        level: 'INFO',
        ...head,
        event: 'turn_finished',
        turn: 3,
        stopReason: 'tool_use',
        ...usage,
        latencyMs: 950,
        _aws: metrics(['agent', 'model'], 'turns', 'toolCalls', 'inputTokens', 'outputTokens', 'latencyMs'),
      },
    ]);
  });

  test('tells where a run comes from, and what it was asked only if that was asked for', () => {
    const line = {
      level: 'INFO',
      ...head,
      event: 'run_opened',
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'facts',
      parent: 'digest-00000000000001',
      parentTurn: 1,
      parentCall: 2,
    };
    expect(linesOf(opened)).toEqual([line]);
    expect(linesOf(opened, 'debug')).toEqual([{ ...line, task: 'the secret plan\nof two lines' }]);
  });

  test('counts a failure by its class', () => {
    const failure = { status: 'failed', error: 'ModelError', reason: 'rate_limit: too many' } as const;
    expect(linesOf({ ...closed, ...failure })).toEqual([
      {
        level: 'WARN',
        ...head,
        event: 'run_closed',
        ...failure,
        class: 'rate_limit',
        durationMs: 1500,
        failures: 1,
        _aws: metrics(['agent', 'class'], 'failures'),
      },
    ]);
  });

  test.each([
    ['ModelError', 'auth: no such key', 'auth'],
    ['ModelError', 'whatever', 'other'],
    ['States.Timeout', '', 'States.Timeout'],
    ['Stopped', 'by hand', 'Stopped'],
    ['SomebodyElsesError-4711', '', 'other'],
  ])('has few classes: %s (%s) is %s', (error, reason, expected) => {
    expect(linesOf({ ...closed, status: 'failed', error, reason })).toEqual([
      expect.objectContaining({ class: expected }),
    ]);
  });

  test('does not count by the name of an agent that there may not be', () => {
    const failure = { status: 'failed', error: 'ConfigError', reason: 'agent config not found: x' } as const;
    expect(linesOf({ ...closed, ...failure, agent: 'x', model: '' })).toEqual([
      expect.objectContaining({ agent: 'x', _aws: metrics(['class'], 'failures') }),
    ]);
  });

  test.each([
    ['succeeded', 'runs'],
    ['budget_exceeded', 'budgetStops'],
  ] as const)('counts the ends of runs that %s', (status, metric) => {
    expect(linesOf({ ...closed, status, error: '', reason: '' })).toEqual([
      expect.objectContaining({
        level: 'INFO',
        [metric]: 1,
        durationMs: 1500,
        _aws: metrics(['agent'], metric, 'durationMs'),
      }),
    ]);
  });

  test.each([
    ['succeeded', '', '', 'answered'],
    ['budget_exceeded', '', 'tokens', 'answered'],
    ['stopped', 'Stopped', 'by hand', 'stopped'],
    ['failed', 'ModelError', 'overloaded: later', 'model'],
    ['failed', 'MissingKeyError', 'no key', 'model'],
    ['failed', 'Lambda.Unknown', '', 'code'],
    ['timed_out', 'States.Timeout', '', 'code'],
  ] as const)('counts a tree that %s (%s, %s) by its outcome', (status, error, reason, outcome) => {
    const top = { ...closed, run: identity.root, depth: 0, status, error, reason };
    expect(linesOf(top)).toEqual([
      expect.objectContaining({
        outcome,
        trees: 1,
        _aws: {
          Timestamp: AT,
          CloudWatchMetrics: [expect.anything(), directive(['outcome'], 'trees')],
        },
      }),
    ]);
  });

  test('counts no tree that rests', () => {
    const top = { ...closed, run: identity.root, depth: 0, status: 'idle', error: '', reason: '' } as const;
    expect(linesOf(top)).toEqual([expect.not.objectContaining({ trees: 1 })]);
  });

  const about = { turn: 2, call: 1 };
  const call = { turn: 2, call: 1, tool: 'read_file', kind: 'invoke' as const, subject: 'secret' };
  const tool = {
    ...about,
    tool: 'read_file',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read_file',
  };
  const ended = { ...call, durationMs: 7, characters: 9, text: 'a secret' };
  test.each<[RunEvent, object]>([
    [
      { type: 'run_opened', ...identity, derivedBy: 'fork', task: 'x' },
      { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'facts', derivedBy: 'fork' },
    ],
    [
      { type: 'turn_started', ...identity, turn: 2, messages: 3, pendingCalls: 1 },
      { turn: 2, messages: 3 },
    ],
    [
      { type: 'turn_waiting', ...identity, turn: 2, delayMs: 500, reason: 'cooldown' },
      { turn: 2, delayMs: 500, reason: 'cooldown' },
    ],
    [
      { type: 'warning', ...identity, message: 'look' },
      { level: 'WARN', message: 'look' },
    ],
    [{ type: 'skill_loaded', ...identity, skill: 'cooking' }, {}],
    [{ type: 'context_discovered', ...identity, files: ['a'] }, {}],
    [{ type: 'call_started', ...identity, ...call, arguments: { path: 'secret' } }, tool],
    [
      { type: 'call_finished', ...identity, ...ended, isError: false },
      { ...tool, toolCalls: 1, durationMs: 7, _aws: metrics(['tool'], 'toolCalls', 'durationMs') },
    ],
    [
      { type: 'call_finished', ...identity, ...ended, isError: true, failure: 'timeout' },
      {
        ...tool,
        class: 'timeout',
        toolFailures: 1,
        durationMs: 7,
        _aws: metrics(['tool', 'class'], 'toolFailures', 'durationMs'),
      },
    ],
    [{ type: 'question_asked', ...identity, ...call, question: 'secret?', askedAt: head.timestamp }, about],
    [{ type: 'question_answered', ...identity, ...call, answer: 'secret' }, about],
    [
      { ...closed, status: 'idle', error: '', reason: '' },
      { status: 'idle', durationMs: 1500 },
    ],
  ])('has what is of use, and nothing confidential: %#', (event, fields) => {
    expect(linesOf(event)).toEqual([{ level: 'INFO', ...head, event: event.type, ...fields }]);
  });

  test('has no texts of models and tools', () => {
    expect([
      linesOf({ type: 'message_delta', ...identity, turn: 1, kind: 'text', text: 'x' }),
      linesOf({ type: 'call_output', ...identity, ...call, text: 'x' }),
    ]).toEqual([[], []]);
  });

  test('of a function has its level and its name from its environment, and what no run is about', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => written.push(String(line)) > 0);
    vi.spyOn(Date, 'now').mockReturnValue(AT);
    vi.stubEnv('CADRE_ENVIRONMENT', 'dev');
    vi.stubEnv('CADRE_LOG_LEVEL', 'debug');
    functionRunLog()(opened);
    logCount('sweepFindings', 3);
    logWarning('a \u202e mark');
    vi.stubEnv('CADRE_LOG_LEVEL', 'loud');
    expect(functionRunLog).toThrow('CADRE_LOG_LEVEL is "loud", not a log level');
    vi.restoreAllMocks();
    const { timestamp, environment } = head;
    expect(written.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'INFO', event: 'run_opened', task: opened.task }),
      { level: 'WARN', timestamp, environment, sweepFindings: 3, _aws: metrics([], 'sweepFindings') },
      { level: 'WARN', timestamp, environment, message: 'a \u202e mark' },
    ]);
    expect(written.join('')).not.toContain('\u202e');
  });
});
