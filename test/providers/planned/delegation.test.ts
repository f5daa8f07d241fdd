import { expect, test } from 'vitest';
import type { Message, ToolResult } from '../../../src/core/records/message.ts';
import { delegationModel } from '../../../src/providers/planned/delegation.ts';

const SUBTASKS = [
  { task: 'find', scope: 'src', dependsOn: [] },
  { task: 'read', scope: '', dependsOn: [] },
  { task: 'tell', scope: '', dependsOn: [0, 1] },
];

function ask(atOnce: boolean, ...results: Omit<ToolResult, 'name'>[]) {
  const messages: Message[] = [
    { role: 'user', text: JSON.stringify({ plan: 'look', subtasks: SUBTASKS, atOnce }) },
    { role: 'tool', results: results.map((result) => ({ ...result, name: 'spawn_agent' })) },
  ];
  const request = { model: 'delegation', system: '', messages, tools: [], maxTokens: 0 };
  return delegationModel.send(request, new AbortController().signal);
}

const done = (index: number, status: 'completed' | 'error' = 'completed') => ({
  callId: `subtask_${index}`,
  text: `response ${index}`,
  isError: status === 'error',
  spawned: { status, toolCalls: index + 1, durationMs: 1_500 },
});
const calls = (...made: object[]) => ({
  text: '',
  calls: made.map((args) => ({ name: 'spawn_agent', ...args })),
  stopReason: 'tool_calls',
  rawStopReason: 'tool_calls',
  usage: { inputTokens: 0, outputTokens: 0 },
});
const says = (text: string) => ({
  text,
  calls: [],
  stopReason: 'end',
  rawStopReason: 'end',
  usage: { inputTokens: 0, outputTokens: 0 },
});
const FIND = { id: 'subtask_0', arguments: { task: 'find', scope: 'src' } };
const READ = { id: 'subtask_1', arguments: { task: 'read' } };
const context = 'Context from previous subtask:\nresponse 0\n\nresponse 1';
const TELL = { id: 'subtask_2', arguments: { task: `tell\n\n${context}` } };

test('a delegation begins what is ready, at once or in order, and costs no tokens', async () => {
  expect(await ask(true)).toEqual(calls(FIND, READ));
  expect(await ask(false)).toEqual(calls(FIND));
  expect(await ask(false, done(0))).toEqual(calls(READ));
  expect(await ask(true, done(0))).toEqual(calls(READ));
  expect(await ask(true, done(0), done(1))).toEqual(calls(TELL));
});

test('a delegation ends with a report of what was done', async () => {
  expect(await ask(true, done(0), done(1), done(2))).toEqual(
    says(`Delegation: look
Subtasks: 3

--- Subtask 1: find ---
Status: completed
response 0
--- Subtask 2: read ---
Status: completed
response 1
--- Subtask 3: tell ---
Status: completed
response 2
--- Delegation Summary ---
Completed: 3/3
Total tool calls: 6
Total duration: 4.5s`),
  );
});

test('a delegation begins nothing after a subtask that failed, or was refused', async () => {
  expect(await ask(false, done(0), done(1, 'error'))).toEqual(
    says(`Delegation: look
Subtasks: 3

--- Subtask 1: find ---
Status: completed
response 0
--- Subtask 2: read ---
Status: error
response 1
Delegation stopped: subtask 2 failed with error.
--- Delegation Summary ---
Completed: 1/3
Total tool calls: 3
Total duration: 3.0s`),
  );
  expect(await ask(false, { callId: 'subtask_0', text: 'Error: no', isError: true })).toEqual(
    says(`Delegation: look
Subtasks: 3

--- Subtask 1: find ---
Status: error
Error: no
Delegation stopped: subtask 1 failed with error.
--- Delegation Summary ---
Completed: 0/3
Total tool calls: 0
Total duration: 0.0s`),
  );
});
