import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Model, ModelRequest } from '../../core/model/model.ts';
import { resultsIn, type Message, type ToolCall } from '../../core/records/message.ts';
import { RemoteCall, RemoteState, type RemoteRequest } from '../../core/records/remote.ts';
import { REMOTE_TOOL } from '../../core/records/remote-model.ts';
import { defined } from '../../defined.ts';
import { ModelError } from '../../errors.ts';

/** How long it waits between looks, in seconds: twice as long each time, up to this. */
const LONGEST_WAIT = 60;

/** How often in a row it may not be reached. */
const MOST_ERRORS = 5;

/**
 * `planned/remote`: a model whose answers are computed. It hands a task to an agent of others, looks how far that is in
 * steps that grow to a minute, puts its questions before the person for whom the tree works, and answers with its answer.
 * It keeps nothing: the request tells what has happened, so it goes on where it was after a crash. It costs no tokens.
 */
export const remoteModel: Model = {
  async send({ messages }: ModelRequest) {
    const next = nextOf(messages);
    const calls = typeof next === 'string' ? [] : next;
    const stopReason = calls.length > 0 ? 'tool_calls' : 'end';
    return {
      text: typeof next === 'string' ? next : '',
      calls,
      stopReason,
      rawStopReason: stopReason,
      usage: { inputTokens: 0, outputTokens: 0 },
    };
  },
};

/** The next calls, or the answer. @throws {ModelError} where there will be none */
function nextOf(messages: readonly Message[]): ToolCall[] | string {
  const results = resultsIn(messages);
  const last = results.at(-1);
  if (last === undefined) return [ask({ ask: 'send', message: randomUUID(), text: taskOf(messages) })];
  const asked = results.filter(({ name }) => name === REMOTE_TOOL);
  const errors = asked.length - 1 - asked.findLastIndex(({ isError }) => !isError);
  const answered = asked.findLast(({ isError }) => !isError);
  const state = answered && v.parse(v.pipe(v.string(), v.parseJson(), RemoteState), answered.text);
  if (last.name === 'ask_user') {
    if (last.isError) throw failed(`it asks, and nobody answers: ${state?.text}`);
    return [ask({ ask: 'send', message: randomUUID(), text: last.text, ...defined({ task: state?.task }) })];
  }
  const waits = results.filter(({ name }) => name === 'wait').length;
  const wait = call('wait', { timeout: Math.min(LONGEST_WAIT, 2 ** waits) });
  if (errors > 0 || state === undefined) {
    if (errors > MOST_ERRORS) throw failed(last.text.replace(/^Error: /, ''));
    return [wait, askedLast(messages)];
  }
  const { task = '', text, choices } = state;
  switch (state.state) {
    case 'done':
      return text;
    case 'failed':
    case 'canceled':
      throw failed(text === '' ? `the task was ${state.state}` : text);
    case 'asks':
      return [call('ask_user', { question: text, ...defined({ choices }) })];
    case 'working':
      return [wait, ask({ ask: 'get', task })];
  }
}

/** The request that failed, which is known by the id of its message if it came there all the same. */
function askedLast(messages: readonly Message[]): ToolCall {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  return call(REMOTE_TOOL, calls.findLast(({ name }) => name === REMOTE_TOOL)?.arguments ?? {});
}

function taskOf(messages: readonly Message[]): string {
  const first = messages.find((message) => message.role === 'user');
  return v.parse(RemoteCall, JSON.parse(first?.text ?? 'null')).task;
}

function failed(reason: string): ModelError {
  return new ModelError('bad_request', reason);
}

function ask(request: RemoteRequest): ToolCall {
  return call(REMOTE_TOOL, request);
}

function call(name: string, args: ToolCall['arguments']): ToolCall {
  return { id: `call_${randomUUID()}`, name, arguments: args };
}
