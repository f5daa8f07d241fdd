import type { Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { TaskState } from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import * as v from 'valibot';
import { newRunId } from '../../../core/records/run-id.ts';
import { callName } from '../../../core/records/call.ts';
import type { Positions } from '../../../core/events/positions.ts';
import { findAgent } from '../agents.ts';
import type { ApiContext } from '../context.ts';
import { newsOf, nextOf } from '../next-of.ts';
import { Problem } from '../problem.ts';
import { giveAnswer } from '../questions.ts';
import { startRun } from '../start.ts';
import { orConflict } from '../steer-run.ts';
import { AnswerQuestion } from '../steering-bodies.ts';
import { assertMayAnswer, clientOf, keyPartsOf } from '../subject.ts';
import { agentCard } from './card.ts';
import { createGrowingAnswer } from './growing-answer.ts';
import { incoming, type Incoming } from './incoming.ts';
import { listTasks } from './list-tasks.ts';
import { findConversation, noteConversation, readConversation } from './conversations.ts';
import { adding, beginning, nameOf, parseTaskId, toTaskId } from './task-ids.ts';
import { isOver, turnMessage, withHistory, type A2aConversation } from './tasks.ts';

/** What a request is answered with. */
export interface Requested {
  agent: string;
  /** Of the address that the client used. */
  origin: string;
  /** Aborted when the client leaves; its task goes on. */
  signal: AbortSignal;
  /** The caller's name for the records, if known. */
  by: string | undefined;
}

/** Names that clients choose are at most so long. */
const MOST_CHARACTERS = 256;

/** How long a client that cancels a task waits for its end. */
const CANCEL_MS = 10_000;

/** A message that has been handed on: its task, and what had been told of its run before. */
interface Taken {
  id: string;
  from: Positions;
}

/** An agent as the protocol has it. Errors are the package's own, or problems. */
export function createHandler(requested: Requested, context: ApiContext): A2ARequestHandler {
  const { agent, origin, signal, by } = requested;
  const { environment, answerSeconds = Infinity } = context;

  async function find(id: string): Promise<{ conversation: A2aConversation; task: Task }> {
    // The package gives none where a client of the version before names none.
    if (!id) throw new RequestMalformedError('id is missing');
    const named = parseTaskId(id);
    const conversation = named && (await readConversation(named.run, agent, context));
    const task = conversation?.tasks.find((one) => one.id === id);
    if (conversation === undefined || task === undefined) {
      throw new TaskNotFoundError(`there is no task ${JSON.stringify(id)} here`);
    }
    return { conversation, task };
  }

  async function take({ message, configuration }: SendMessageRequest): Promise<Taken> {
    if (message === undefined) throw new RequestMalformedError('message is missing');
    if (configuration?.taskPushNotificationConfig !== undefined) await noPush();
    assertLength(configuration?.historyLength);
    const { messageId, contextId, taskId } = message;
    for (const [field, name] of Object.entries({ messageId, contextId })) {
      if (name.length <= MOST_CHARACTERS) continue;
      throw new RequestMalformedError(`message.${field} must have at most ${MOST_CHARACTERS} characters`);
    }
    const said = incoming(message);
    if (taskId !== '') return add(message, said);
    const run = await boundTo(message);
    const begun = { message: nameOf(messageId), contextId: contextId === '' ? run : contextId };
    const kept = await noteConversation(run, begun, context);
    if (kept.message === begun.message) return begin(run, said);
    return send(run, beginning(messageId), said, toTaskId({ run, message: begun.message }));
  }

  /** The run of a message's conversation, whether it has begun or not: a repeated message finds the same run. */
  async function boundTo({ contextId, messageId }: Message): Promise<string> {
    if (contextId !== '' && (await findConversation(contextId, agent, context)) !== undefined)
      return contextId;
    const name = contextId === '' ? ['message', messageId] : ['context', contextId];
    const key = `a2a ${JSON.stringify([...name, agent, ...keyPartsOf(context)])}`;
    return (await environment.once(key, { run: newRunId(agent, context.now()), digest: '' })).run;
  }

  async function begin(id: string, { text, files }: Incoming): Promise<Taken> {
    await findAgent(agent, context.source);
    const attachments = files.map(({ attachment }) => attachment);
    const request = { agent, prompt: text, ...(files.length > 0 && { attachments }) };
    await startRun({ id, request, files }, context);
    return { id, from: new Map() };
  }

  async function send(run: string, once: string, { text, files }: Incoming, id: string): Promise<Taken> {
    const from = await environment.told(run);
    const { caller } = context;
    await orConflict(() =>
      environment.send({ run, text, files, once, ...(caller !== undefined && { by: caller.owner }) }),
    );
    return { id, from };
  }

  /** Hands on a message about a task: the answer to its question, or a message to an agent at work. */
  async function add({ messageId, taskId, contextId }: Message, said: Incoming): Promise<Taken> {
    const { conversation, task } = await find(taskId);
    const { run, next } = conversation;
    if (contextId !== '' && contextId !== task.contextId)
      throw new RequestMalformedError(`task ${JSON.stringify(taskId)} is of another context`);
    const key = `a2a said ${JSON.stringify([taskId, messageId])}`;
    const before = await environment.records.bound(key);
    const from = await environment.told(run.id);
    if (isOver(task)) {
      if (before !== undefined) return { id: taskId, from };
      throw new UnsupportedOperationError(
        `task ${JSON.stringify(taskId)} is over: leave taskId out, and its context goes on with a task of its own`,
      );
    }
    const [question] = next.kind === 'asks' ? next.questions : [];
    // One that comes again means what it meant at first, and never the next question.
    const meant = await environment.once(key, {
      run: question?.run ?? run.id,
      digest: question === undefined ? '' : callName(question),
    });
    if (meant.digest === '') return send(run.id, adding(messageId), said, taskId);
    if (said.files.length > 0) throw new ContentTypeNotSupportedError('an answer to a question has no files');
    assertMayAnswer(context);
    const body = v.safeParse(AnswerQuestion, said.data);
    const given = body.success ? body.output : { text: said.text };
    try {
      await giveAnswer({ id: meant.run }, meant.digest, given, context, by);
    } catch (thrown) {
      const isRepeated = before !== undefined && thrown instanceof Problem && thrown.status === 409;
      if (!isRepeated) throw thrown;
    }
    return { id: taskId, from };
  }

  async function untilPause(id: string): Promise<Task> {
    const { conversation, task } = await find(id);
    if (isOver(task)) return task;
    const news = await newsOf(conversation.run.root, context, () => {});
    try {
      await nextOf(conversation.run.id, { seconds: answerSeconds, signal, asking: 'ask' }, news, context);
    } finally {
      news.close();
    }
    return (await find(id)).task;
  }

  /** The current task, its agent's interim texts, its answer as it grows, and how it ends or what it asks. */
  async function* told(
    { id, from }: Taken,
    historyLength?: number,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const { conversation, task } = await find(id);
    yield { payload: { $case: 'task', value: withHistory(task, historyLength) } };
    const { run, contextId } = conversation;
    const late = answerSeconds === Infinity ? [] : [AbortSignal.timeout(1000 * answerSeconds)];
    const ends = AbortSignal.any([signal, ...late]);
    const of = { taskId: id, contextId };
    const answer = createGrowingAnswer(run.id, of, environment.records);
    const follow = () => environment.follow(run.id, { from, live: true, signal: ends, until: 'pause' });
    for await (const told of isOver(task) ? [] : follow()) {
      const piece = await answer.piece(told);
      if (piece !== undefined) yield piece;
      const { event } = told;
      if (event.type !== 'turn_finished' || event.run !== run.id) continue;
      if (event.calls === 0 || event.text.trim() === '') continue;
      const message = turnMessage(run.id, { number: event.turn, answer: { text: event.text } }, of);
      const status = {
        state: TaskState.TASK_STATE_WORKING,
        message,
        timestamp: new Date(context.now()).toISOString(),
      };
      yield { payload: { $case: 'statusUpdate', value: { ...of, status, metadata: undefined } } };
    }
    const { status, artifacts } = (await find(id)).task;
    for (const artifact of artifacts) yield answer.end(artifact);
    yield { payload: { $case: 'statusUpdate', value: { ...of, status, metadata: undefined } } };
  }

  return {
    getAgentCard: () => agentCard(agent, origin, context),
    async getAuthenticatedExtendedAgentCard() {
      throw new UnsupportedOperationError('the card says all that there is');
    },
    async sendMessage(request) {
      const { id } = await take(request);
      const { returnImmediately = false, historyLength } = request.configuration ?? {};
      const task = returnImmediately ? (await find(id)).task : await untilPause(id);
      return withHistory(task, historyLength);
    },
    async *sendMessageStream(request) {
      yield* told(await take(request), request.configuration?.historyLength);
    },
    async getTask({ id, historyLength }) {
      assertLength(historyLength);
      return withHistory((await find(id)).task, historyLength);
    },
    async cancelTask({ id }) {
      const { conversation, task } = await find(id);
      if (isOver(task)) throw new TaskNotCancelableError(`task ${JSON.stringify(id)} is over`);
      const { run } = conversation;
      await orConflict(() => environment.stop(run, 'its client cancelled the task', by ?? clientOf(run)));
      await environment.ended(run.id, { signal: AbortSignal.any([signal, AbortSignal.timeout(CANCEL_MS)]) });
      return (await find(id)).task;
    },
    async *resubscribe({ id }) {
      const { conversation, task } = await find(id);
      if (isOver(task))
        throw new UnsupportedOperationError(`task ${JSON.stringify(id)} is over: get it instead`);
      yield* told({ id, from: await environment.told(conversation.run.id) });
    },
    async listTasks(request) {
      assertLength(request.historyLength);
      return listTasks(request, agent, context);
    },
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

/** @throws {A2AError} for a length of a history that is none */
function assertLength(length: number | undefined): void {
  if (length !== undefined && length < 0)
    throw new RequestMalformedError('historyLength must not be negative');
}

async function noPush(): Promise<never> {
  throw new PushNotificationNotSupportedError('get the task, or subscribe to it');
}
