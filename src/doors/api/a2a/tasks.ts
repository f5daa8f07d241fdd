import { createHash } from 'node:crypto';
import {
  Role,
  TaskState,
  type Artifact,
  type Message,
  type Part,
  type Task,
  type TaskStatus,
} from '@a2a-js/sdk';
import { closingReason } from '../../../core/records/closing-reason.ts';
import type { Mail } from '../../../core/records/mail.ts';
import { ANSWERED, isIn } from '../../../core/records/phase.ts';
import type { Question } from '../../../core/records/question.ts';
import { isRunId } from '../../../core/records/run-id.ts';
import type { Run } from '../../../core/records/run.ts';
import { isAnswer, resultTurn, type Turn } from '../../../core/records/turn.ts';
import { questionReport } from '../../../core/reports/question-report.ts';
import { parseJson } from '../../../json.ts';
import type { ApiContext } from '../context.ts';
import { stateOf, type Next } from '../next-of.ts';
import { Problem } from '../problem.ts';
import { maySee } from '../subject.ts';

/**
 * The tasks of a conversation, which is one run. The first has the run's name, and each later one the name of the
 * message that began it. As the protocol demands, a task is over once it has its answer, and does not change while the
 * run continues.
 */

/** The key of a message that begins a task, as the mailbox keeps it, and of one that adds to a task at work. */
const BEGINS = 'a2a#';
const ADDS = 'a2a-more#';

export interface TaskId {
  run: string;
  /** Of the message that began it; absent: the one that the run was begun with. */
  message?: string;
}

const TASK_ID = /^(?<run>.+?)(?:~(?<message>[0-9a-f]{16}))?$/;

/** @returns undefined for a text that is none */
export function parseTaskId(id: string): TaskId | undefined {
  const { run = '', message } = TASK_ID.exec(id)?.groups ?? {};
  if (!isRunId(run)) return undefined;
  return { run, ...(message !== undefined && { message }) };
}

export function toTaskId({ run, message }: TaskId): string {
  return message === undefined ? run : `${run}~${message}`;
}

/** A client's id of a message, which may be long, in the form that ids of tasks and the mailbox take. */
export function nameOf(messageId: string): string {
  return createHash('sha256').update(messageId).digest('hex').slice(0, 16);
}

export function beginning(messageId: string): string {
  return `${BEGINS}${nameOf(messageId)}`;
}

export function adding(messageId: string): string {
  return `${ADDS}${nameOf(messageId)}`;
}

function conversationKey(run: string): string {
  return `a2a conversation ${run}`;
}

/** What is kept of a conversation before its run begins. */
interface Begun {
  /** The client's name of it, or the run's id. */
  contextId: string;
  /** Of the message that it was begun with. */
  message: string;
}

const BEGUN = /^(?<message>[0-9a-f]{16}) (?<contextId>.*)$/s;

/**
 * Notes that a client of the protocol begins a run, so that such clients may see its tasks and answer its questions.
 * @returns the first note about this run
 */
export async function noteConversation(
  run: string,
  begun: Begun,
  { environment }: ApiContext,
): Promise<Begun> {
  const digest = `${begun.message} ${begun.contextId}`;
  return toBegun((await environment.once(conversationKey(run), { run, digest })).digest);
}

function toBegun(digest: string): Begun {
  const { message = '', contextId = '' } = BEGUN.exec(digest)?.groups ?? {};
  return { message, contextId };
}

/** A conversation and its tasks, in the order in which they were begun. */
export interface A2aConversation {
  run: Run;
  contextId: string;
  next: Next;
  tasks: Task[];
}

/**
 * @returns undefined if there is no such run for the caller, or no client of the protocol has begun it
 */
export async function findConversation(
  id: string,
  agent: string,
  context: ApiContext,
): Promise<Pick<A2aConversation, 'contextId' | 'run'> | undefined> {
  const { records } = context.environment;
  const bound = isRunId(id) ? await records.bound(conversationKey(id)) : undefined;
  const run = bound && (await records.run(id));
  if (run === undefined || run.agent !== agent || !maySee(run, context)) return undefined;
  return { run, contextId: toBegun(bound?.digest ?? '').contextId };
}

/** The same with its tasks. */
export async function readConversation(
  id: string,
  agent: string,
  context: ApiContext,
): Promise<A2aConversation | undefined> {
  const found = await findConversation(id, agent, context);
  if (found === undefined) return undefined;
  const { contextId } = found;
  const next = await stateOf(found.run, 'ask', context).catch((thrown: unknown): Next => {
    if (!(thrown instanceof Problem)) throw thrown;
    // A run whose process is gone counts as at work for its clients: only whoever serves it can bring it back.
    return { kind: 'works', run: found.run };
  });
  const { run } = next;
  const { records } = context.environment;
  const [request, mails, turns] = await Promise.all([
    records.request(id),
    records.mails(id),
    records.turns(id),
  ]);
  const spans = spansOf(request?.prompt ?? '', mails, turns);
  const tasks = spans.map((span) => toTask(span, { run, contextId, next }));
  return { run, contextId, next, tasks };
}

/** A task's part of a conversation. */
interface Span {
  /** Of the message that began it; absent: the first one. */
  message?: string;
  /** What the client has said in it. */
  said: { id: string; text: string }[];
  /** Its turns; none while its message has not been read. */
  turns: Turn[];
  isRead: boolean;
  /** Whether a later task has begun. */
  isFollowed: boolean;
}

function spansOf(prompt: string, mails: readonly Mail[], turns: readonly Turn[]): Span[] {
  const readIn = (mail: Mail) => turns.findIndex(({ told = [] }) => told.includes(mail.id));
  const begun = mails.filter(({ once = '' }) => once.startsWith(BEGINS));
  const starts = [
    { from: 0, text: prompt, message: undefined },
    ...begun.map((mail) => ({
      from: readIn(mail),
      text: mail.body,
      message: mail.once?.slice(BEGINS.length),
    })),
  ];
  const added = mails
    .filter(({ once = '' }) => once.startsWith(ADDS))
    .map((mail) => ({ from: readIn(mail), id: mail.once ?? '', text: mail.body }));
  return starts.map(({ from, text, message }, index) => {
    const later = starts.map((other) => other.from).filter((other) => other > from);
    const to = from < 0 ? from : Math.min(turns.length, ...later);
    const own = added.filter((one) => one.from >= from && one.from < Math.max(to, from + 1));
    return {
      ...(message !== undefined && { message }),
      said: [{ id: message ?? 'prompt', text }, ...own.map(({ id, text: more }) => ({ id, text: more }))],
      turns: from < 0 ? [] : turns.slice(from, to),
      isRead: from >= 0,
      isFollowed: index < starts.length - 1,
    };
  });
}

function toTask(span: Span, { run, contextId, next }: Omit<A2aConversation, 'tasks'>): Task {
  const id = toTaskId({ run: run.id, ...(span.message !== undefined && { message: span.message }) });
  const of = { contextId, taskId: id };
  const answered = span.isFollowed && span.isRead ? span.turns.findLast(isAnswer) : undefined;
  const isOver = answered !== undefined || next.kind === 'ended';
  const answer = answered ?? (isOver ? resultTurn(run, span.turns) : undefined);
  const shown = span.turns.filter((turn) => turn !== answer && turn.answer.text.trim() !== '');
  return {
    id,
    contextId,
    status:
      answered === undefined
        ? statusOf(next, span, answer, of)
        : at(TaskState.TASK_STATE_COMPLETED, answered.at),
    artifacts: answer === undefined ? [] : [toArtifact(answer)],
    history: [
      ...span.said.map((said) => toMessage(said.id, Role.ROLE_USER, [textPart(said.text)], of)),
      ...shown.map((turn) => turnMessage(run.id, turn, of)),
    ],
    metadata: { run: run.id },
  };
}

type Of = Pick<Message, 'contextId' | 'taskId'>;

/** The state of the newest task, which is that of the run. */
function statusOf(next: Next, { isRead }: Span, answer: Turn | undefined, of: Of): TaskStatus {
  const { run } = next;
  if (next.kind === 'asks') {
    const [question] = next.questions;
    return at(
      TaskState.TASK_STATE_INPUT_REQUIRED,
      question?.askedAt,
      question && questionMessage(question, of),
    );
  }
  if (next.kind === 'works') {
    return at(isRead ? TaskState.TASK_STATE_WORKING : TaskState.TASK_STATE_SUBMITTED, run.startedAt);
  }
  const reason = closingReason(run);
  const said =
    reason === '' ? undefined : toMessage(`${run.id}-end`, Role.ROLE_AGENT, [textPart(reason)], of);
  // A message that comes again has the run end again, later.
  return at(endState(run), answer?.at ?? run.endedAt ?? run.startedAt, said);
}

function endState(run: Run): TaskState {
  if (isIn(ANSWERED, run) || run.status === 'idle') return TaskState.TASK_STATE_COMPLETED;
  return run.status === 'stopped' ? TaskState.TASK_STATE_CANCELED : TaskState.TASK_STATE_FAILED;
}

function at(state: TaskState, timestamp: string | undefined, message?: Message): TaskStatus {
  return { state, timestamp, message };
}

/** The first open question: each answer brings the next. */
function questionMessage(question: Question, of: Of): Message {
  const { question_id: id, question: text, choices, tool, arguments: given } = questionReport({ question });
  const { run } = question;
  const value = {
    question_id: id,
    run_id: run,
    choices,
    ...(tool !== undefined && { tool, arguments: given }),
  };
  const parts = [textPart(text), part({ $case: 'data', value }, 'application/json')];
  return toMessage(`${run}-${id}`, Role.ROLE_AGENT, parts, of);
}

/** What an agent says while it goes on. */
export function turnMessage(
  run: string,
  turn: Pick<Turn, 'number'> & { answer: { text: string } },
  of: Of,
): Message {
  return toMessage(`${run}-t${turn.number}`, Role.ROLE_AGENT, [textPart(turn.answer.text)], of);
}

function toArtifact({ answer: { text }, faults }: Turn): Artifact {
  const isValue = faults?.length === 0;
  return answerArtifact(
    isValue ? part({ $case: 'data', value: parseJson(text) }, 'application/json') : textPart(text),
  );
}

/** The one artifact of a task, or a piece of it. */
export function answerArtifact(content: Part): Artifact {
  return {
    artifactId: 'answer',
    name: 'answer',
    description: '',
    parts: [content],
    metadata: undefined,
    extensions: [],
  };
}

function toMessage(messageId: string, role: Role, parts: Part[], of: Of): Message {
  return { messageId, role, parts, ...of, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

export function textPart(text: string): Part {
  return part({ $case: 'text', value: text }, 'text/plain');
}

function part(content: NonNullable<Part['content']>, mediaType: string): Part {
  return { content, mediaType, filename: '', metadata: undefined };
}

/** Whether nothing changes a task any more. */
export function isOver({ status }: Task): boolean {
  return status !== undefined && OVER.has(status.state);
}

const OVER: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** As much of a task's history as a client wants. */
export function withHistory(task: Task, length: number | undefined): Task {
  if (length === undefined) return task;
  return { ...task, history: length <= 0 ? [] : task.history.slice(-length) };
}
