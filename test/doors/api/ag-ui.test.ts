import { EventSchema, PROTOCOL_VERSION } from '@ag-ui/core/schemas';
import { expect, test } from 'vitest';
import { toAgUi, type AgUi } from '../../../src/doors/api/ag-ui/to-ag-ui.ts';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { ModelError } from '../../../src/errors.ts';
import { call, latch, openStage } from '../../fixtures/stage.ts';
import { cutsOf, openRun } from '../../core/events/harness.ts';

/** Without what differs from run to run. */
const plain = (events: readonly AgUi[], id: string) => {
  const [, key = ''] = /-(\w{14})/.exec(id) ?? [];
  return JSON.parse(JSON.stringify(events).replaceAll(key, 'KEY')).map(
    ({ timestamp, metadata: { durationMs: _duration, ...metadata }, value, ...event }: AgUi & Told) => {
      expect(timestamp).toBeTypeOf('number');
      const { latencyMs: _latency, ...rest } = value ?? {};
      return { ...event, ...(value !== undefined && { value: rest }), metadata };
    },
  );
};
interface Told {
  metadata: Record<string, unknown>;
  value?: Record<string, unknown>;
}

test('a tree is spelled as AG-UI 1.0 has it: a run with subagents, turns as steps, calls with their results', async () => {
  const isRead = latch();
  const stage = await openStage(
    {
      top: ({ turn }) => (turn === 1 ? { text: 'let me see', calls: [call('kid', 'look')] } : 'done'),
      kid: ({ turn }) =>
        turn === 1
          ? [{ id: 'c', name: 'read_file', arguments: { path: 'f' } }, call('leaf', 'fall')]
          : 'seen',
      async leaf() {
        await isRead.opened;
        throw new ModelError('auth', 'no such key');
      },
    },
    { top: 'sub_agents = ["kid"]\n', kid: 'sub_agents = ["leaf"]\ntools = ["read_file"]\n' },
    { f: 'a line\n' },
  );
  stage.onEvent(({ type }) => type === 'call_finished' && isRead.open());
  const { top, store, run } = await openRun(stage);
  await run();
  const events = (await cutsOf(top, store)).map(({ event }) => event);
  for (const event of events) expect(EventSchema.parse(event)).toEqual(event);

  const kid = 'kid-KEY-t1c1';
  const leaf = 'leaf-KEY-t1c1_t1c2';
  const of = {
    top: { run: 'top-KEY', root: 'top-KEY', agent: 'top', depth: 0 },
    kid: {
      run: kid,
      root: 'top-KEY',
      agent: 'kid',
      depth: 1,
      parent: { run: 'top-KEY', turn: 1, call: 1 },
    },
    leaf: { run: leaf, root: 'top-KEY', agent: 'leaf', depth: 2, parent: { run: kid, turn: 1, call: 2 } },
  };
  const usage = (turn: number, toolCalls: number) => ({
    name: 'usage',
    value: { turn, turns: 1, toolCalls, inputTokens: 10 * turn, outputTokens: 1 },
  });
  const FAILED =
    'Error: sub-agent "leaf" failed - auth: no such key. You may retry or proceed without this result.';
  const inKid = { subagentRunId: kid, metadata: of.kid };
  const readId = { toolCallId: `${kid}-t1c1` };
  const leafId = { toolCallId: `${kid}-t1c2` };
  const kidId = { toolCallId: 'top-KEY-t1c1' };
  const first = { messageId: 'top-KEY-t1' };
  const metadata = of.top;
  expect(plain(events, top.id)).toEqual([
    {
      type: 'RUN_STARTED',
      threadId: 'top-KEY',
      runId: 'top-KEY',
      protocolVersion: PROTOCOL_VERSION,
      metadata: { ...of.top, model: 'stage/top', task: 'go' },
    },
    { type: 'STEP_STARTED', stepName: 'turn 1', metadata },
    { type: 'TEXT_MESSAGE_START', ...first, role: 'assistant', metadata },
    { type: 'TEXT_MESSAGE_CONTENT', ...first, delta: 'let me see', metadata },
    { type: 'TEXT_MESSAGE_END', ...first, metadata },
    { type: 'CUSTOM', ...usage(1, 1), metadata },
    { type: 'STEP_FINISHED', stepName: 'turn 1', metadata },
    {
      type: 'TOOL_CALL_START',
      ...kidId,
      toolCallName: 'call_agent',
      parentMessageId: 'top-KEY-t1',
      metadata,
    },
    { type: 'TOOL_CALL_ARGS', ...kidId, delta: '{"agent":"kid","task":"look"}', metadata },
    { type: 'TOOL_CALL_END', ...kidId, metadata },
    {
      type: 'SUBAGENT_STARTED',
      subagentRunId: kid,
      name: 'kid',
      parentToolCallId: 'top-KEY-t1c1',
      parentMessageId: 'top-KEY-t1',
      metadata: { ...of.kid, model: 'stage/kid', task: 'look' },
    },
    { type: 'STEP_STARTED', stepName: `turn 1 of ${kid}`, ...inKid },
    { type: 'CUSTOM', ...usage(1, 2), ...inKid },
    { type: 'STEP_FINISHED', stepName: `turn 1 of ${kid}`, ...inKid },
    {
      type: 'TOOL_CALL_START',
      ...leafId,
      toolCallName: 'call_agent',
      parentMessageId: `${kid}-t1`,
      ...inKid,
    },
    { type: 'TOOL_CALL_ARGS', ...leafId, delta: '{"agent":"leaf","task":"fall"}', ...inKid },
    { type: 'TOOL_CALL_END', ...leafId, ...inKid },
    { type: 'TOOL_CALL_START', ...readId, toolCallName: 'read_file', parentMessageId: `${kid}-t1`, ...inKid },
    { type: 'TOOL_CALL_ARGS', ...readId, delta: '{"path":"f"}', ...inKid },
    { type: 'TOOL_CALL_END', ...readId, ...inKid },
    {
      type: 'TOOL_CALL_RESULT',
      messageId: `${kid}-t1c1-result`,
      ...readId,
      role: 'tool',
      content: '1: a line',
      ...inKid,
      metadata: { ...of.kid, isError: false },
    },
    {
      type: 'SUBAGENT_STARTED',
      subagentRunId: leaf,
      name: 'leaf',
      parentSubagentRunId: kid,
      parentToolCallId: `${kid}-t1c2`,
      parentMessageId: `${kid}-t1`,
      metadata: { ...of.leaf, model: 'stage/leaf', task: 'fall' },
    },
    { type: 'STEP_STARTED', stepName: `turn 1 of ${leaf}`, subagentRunId: leaf, metadata: of.leaf },
    { type: 'STEP_FINISHED', stepName: `turn 1 of ${leaf}`, subagentRunId: leaf, metadata: of.leaf },
    {
      type: 'SUBAGENT_ERROR',
      subagentRunId: leaf,
      message: 'auth: no such key',
      code: 'ModelError',
      metadata: { ...of.leaf, status: 'failed', reason: 'auth: no such key' },
    },
    {
      type: 'TOOL_CALL_RESULT',
      messageId: `${kid}-t1c2-result`,
      ...leafId,
      role: 'tool',
      content: FAILED,
      ...inKid,
      metadata: { ...of.kid, isError: true },
    },
    { type: 'STEP_STARTED', stepName: `turn 2 of ${kid}`, ...inKid },
    { type: 'TEXT_MESSAGE_START', messageId: `${kid}-t2`, role: 'assistant', ...inKid },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: `${kid}-t2`, delta: 'seen', ...inKid },
    { type: 'TEXT_MESSAGE_END', messageId: `${kid}-t2`, ...inKid },
    {
      type: 'CUSTOM',
      name: 'usage',
      value: { ...usage(2, 0).value, failedCalls: 1 },
      ...inKid,
    },
    { type: 'STEP_FINISHED', stepName: `turn 2 of ${kid}`, ...inKid },
    {
      type: 'SUBAGENT_FINISHED',
      subagentRunId: kid,
      result: 'seen',
      outcome: { type: 'success' },
      metadata: { ...of.kid, status: 'succeeded' },
    },
    {
      type: 'TOOL_CALL_RESULT',
      messageId: 'top-KEY-t1c1-result',
      ...kidId,
      role: 'tool',
      content: 'seen',
      metadata: { ...of.top, isError: false },
    },
    { type: 'STEP_STARTED', stepName: 'turn 2', metadata },
    { type: 'TEXT_MESSAGE_START', messageId: 'top-KEY-t2', role: 'assistant', metadata },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'top-KEY-t2', delta: 'done', metadata },
    { type: 'TEXT_MESSAGE_END', messageId: 'top-KEY-t2', metadata },
    { type: 'CUSTOM', ...usage(2, 0), metadata },
    { type: 'STEP_FINISHED', stepName: 'turn 2', metadata },
    {
      type: 'RUN_FINISHED',
      threadId: 'top-KEY',
      runId: 'top-KEY',
      result: 'done',
      outcome: { type: 'success' },
      metadata: { ...of.top, status: 'succeeded' },
    },
  ]);
});

const identity = { run: 'a-00000000000000', root: 'a-00000000000000', agent: 'a', model: 'm/x', depth: 0 };
const at = 1;
const spelled = (event: RunEvent, before?: { characters: number; isVoid: boolean }) => {
  const parts = toAgUi(identity.run, { at, event, ...(before !== undefined && { before }) });
  for (const part of parts) expect(EventSchema.parse(part)).toEqual(part);
  return parts.map(({ timestamp: _at, metadata: _metadata, ...part }) => part);
};

test.each([
  ['failed', { type: 'RUN_ERROR', message: 'no such key', code: 'ModelError' }],
  ['timed_out', { type: 'RUN_ERROR', message: 'no such key', code: 'ModelError' }],
  ['stopped', { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }],
  ['budget_exceeded', { type: 'RUN_FINISHED', outcome: { type: 'success' }, result: 'half' }],
] as const)('a run that %s', (status, expected) => {
  const closed = {
    type: 'run_closed',
    ...identity,
    status,
    durationMs: 1,
    characters: 4,
    text: 'half',
  } as const;
  expect(spelled({ ...closed, error: 'ModelError', reason: 'no such key' })).toMatchObject([expected]);
});

test('an answer that is told in pieces is not told again when it is whole', () => {
  const told = { ...identity, turn: 1 };
  const delta = { type: 'message_delta', ...told, kind: 'text' } as const;
  const usage = { turns: 1, toolCalls: 0, inputTokens: 1, outputTokens: 1 };
  const finished = { type: 'turn_finished', ...told, text: 'one two', stopReason: 'end', calls: 0 } as const;
  const messageId = `${identity.run}-t1`;
  expect([
    ...spelled({ ...delta, text: 'one' }, { characters: -1, isVoid: false }),
    ...spelled({ ...delta, text: ' t' }, { characters: 3, isVoid: false }),
    ...spelled({ ...finished, latencyMs: 1, usage }, { characters: 5, isVoid: false }).slice(0, 2),
  ]).toEqual([
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'one' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: ' t' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'wo' },
    { type: 'TEXT_MESSAGE_END', messageId },
  ]);
  // The attempt that wrote the pieces failed.
  const again = `${messageId}-again`;
  expect(spelled({ ...finished, latencyMs: 1, usage }, { characters: 5, isVoid: true }).slice(0, 4)).toEqual([
    { type: 'TEXT_MESSAGE_END', messageId },
    { type: 'TEXT_MESSAGE_START', messageId: again, role: 'assistant' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: again, delta: 'one two' },
    { type: 'TEXT_MESSAGE_END', messageId: again },
  ]);
});

test('a run that fails in the middle of an answer leaves no message and no step open', () => {
  const failed = {
    status: 'failed',
    durationMs: 1,
    characters: 0,
    text: '',
    error: 'E',
    reason: 'r',
  } as const;
  const event = { type: 'run_closed', ...identity, ...failed } as const;
  const told = toAgUi(identity.run, { at, event, unfinished: { turn: 2, isWriting: true } });
  expect(told.map(({ type }) => type)).toEqual(['TEXT_MESSAGE_END', 'STEP_FINISHED', 'RUN_ERROR']);
});

test('an agent in the background has finished once it has answered', async () => {
  const stage = await openStage(
    { top: ({ turn }) => (turn === 1 ? [call('kid', 'look')] : 'done'), kid: () => 'found' },
    { top: 'sub_agents = ["kid"]\n[sub_agents_config]\nbackground = "always"\n' },
  );
  const { id, top, store, run } = await openRun(stage);
  await run();
  const events = (await cutsOf(top, store)).map(({ event }) => event);
  const ends = plain(
    events.filter(({ type }) => type.startsWith('SUBAGENT_') && type !== 'SUBAGENT_STARTED'),
    id,
  );
  expect(ends).toMatchObject([
    {
      type: 'SUBAGENT_FINISHED',
      subagentRunId: 'kid-KEY-t1c1',
      result: 'found',
      outcome: { type: 'success' },
      metadata: { status: 'idle' },
    },
  ]);
});
