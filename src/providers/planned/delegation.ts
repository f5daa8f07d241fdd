import { millis } from '../../core/records/times.ts';
import * as v from 'valibot';
import { toSeconds } from '../../core/records/deadline.ts';
import { DelegatedTask } from '../../core/records/delegation.ts';
import { resultsIn, type Message, type SpawnedResult, type ToolCall } from '../../core/records/message.ts';
import type { Model, ModelRequest } from '../../core/model/model.ts';

type Subtask = DelegatedTask['subtasks'][number];

/** A subtask that has ended. */
interface Done extends SpawnedResult {
  response: string;
}

/**
 * `planned/delegation`: a model whose answers are computed. It has one sub-agent spawned for each subtask that is
 * ready, hands on the responses of those that a subtask depends on, and answers with a report. It keeps nothing: the
 * request tells which work is done, so it goes on where it was after a crash. It costs no tokens.
 */
export const delegationModel: Model = {
  async send({ messages }: ModelRequest) {
    const delegation = delegationOf(messages);
    const done = doneOf(messages);
    const calls = nextCalls(delegation, done);
    const stopReason = calls.length > 0 ? 'tool_calls' : 'end';
    return {
      text: calls.length > 0 ? '' : report(delegation, done),
      calls,
      stopReason,
      rawStopReason: stopReason,
      usage: { inputTokens: 0, outputTokens: 0 },
    };
  },
};

function delegationOf(messages: readonly Message[]): DelegatedTask {
  const first = messages.find((message) => message.role === 'user');
  return v.parse(DelegatedTask, JSON.parse(first?.text ?? 'null'));
}

const ID = 'subtask_';

/** By subtask, from 0. A call that was refused before it reached a sub-agent is an error. */
function doneOf(messages: readonly Message[]): ReadonlyMap<number, Done> {
  const refusedCall: SpawnedResult = { status: 'error', toolCalls: 0, durationMs: 0 };
  return new Map(
    resultsIn(messages).map(({ callId, text, spawned = refusedCall }) => [
      Number(callId.slice(ID.length)),
      { ...spawned, response: text },
    ]),
  );
}

function nextCalls({ subtasks, atOnce }: DelegatedTask, done: ReadonlyMap<number, Done>): ToolCall[] {
  if (failedOf(done) !== undefined) return [];
  const ready = subtasks.flatMap((subtask, index) =>
    !done.has(index) && subtask.dependsOn.every((before) => done.has(before))
      ? [toCall(subtask, index, done)]
      : [],
  );
  return atOnce ? ready : ready.slice(0, 1);
}

function toCall(
  { task, scope, dependsOn }: Subtask,
  index: number,
  done: ReadonlyMap<number, Done>,
): ToolCall {
  const responses = dependsOn.map((before) => done.get(before)?.response ?? '');
  const context =
    responses.length === 0 ? '' : `\n\nContext from previous subtask:\n${responses.join('\n\n')}`;
  return {
    id: `${ID}${index}`,
    name: 'spawn_agent',
    arguments: { task: `${task}${context}`, ...(scope !== '' && { scope }) },
  };
}

/** The first subtask that ended with an error, from 0: nothing is begun after it. */
function failedOf(done: ReadonlyMap<number, Done>): number | undefined {
  return [...done.keys()]
    .sort((one, other) => one - other)
    .find((index) => done.get(index)?.status === 'error');
}

/** Subtasks are counted from 1 where a model or a person reads of them. */
function report({ plan, subtasks }: DelegatedTask, done: ReadonlyMap<number, Done>): string {
  const all = [...done.values()];
  const sections = subtasks.map(({ task }, index) => {
    const ended = done.get(index);
    return ended === undefined
      ? ''
      : `--- Subtask ${index + 1}: ${task} ---\nStatus: ${ended.status}\n${ended.response}\n`;
  });
  const failed = failedOf(done);
  return [
    `Delegation: ${plan}\nSubtasks: ${subtasks.length}\n\n`,
    ...sections,
    ...(failed === undefined ? [] : [`Delegation stopped: subtask ${failed + 1} failed with error.\n`]),
    '--- Delegation Summary ---\n',
    `Completed: ${all.filter(({ status }) => status === 'completed').length}/${subtasks.length}\n`,
    `Total tool calls: ${all.reduce((sum, { toolCalls }) => sum + toolCalls, 0)}\n`,
    `Total duration: ${toSeconds(millis(all.reduce((sum, { durationMs }) => sum + durationMs, 0)))}`,
  ].join('');
}
