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
import { isOfPerson, type Mail } from '../../../core/records/mail.ts';
import { ANSWERED, isIn } from '../../../core/records/phase.ts';
import type { Question } from '../../../core/records/question.ts';
import type { Run } from '../../../core/records/run.ts';
import { isAnswer, resultTurn, type Turn } from '../../../core/records/turn.ts';
import { questionReport } from '../../../core/reports/question-report.ts';
import { defined } from '../../../defined.ts';
import { parseJson } from '../../../json.ts';
import { isBehindEnd } from '../behind-end.ts';
import type { Next } from '../next-of.ts';
import type { TaskEnd } from '../task-ends.ts';
import { ADDS, BEGINS, toTaskId } from './task-ids.ts';

/** A conversation and its tasks, in the order in which they were begun. */
export interface A2aConversation {
  run: Run;
  contextId: string;
  next: Next;
  tasks: Task[];
}

type Untold = Omit<A2aConversation, 'tasks'>;

/**
 * The tasks of a conversation.
 * @param prompt the text that it was begun with
 */
export function tasksOf(
  conversation: Untold,
  prompt: string,
  mails: readonly Mail[],
  turns: readonly Turn[],
): Task[] {
  return spansOf(prompt, mails, turns, conversation.run)
    .filter(({ isOfOthers }) => !isOfOthers)
    .map((span) => toTask(span, conversation));
}

/** A task as it was when its run had ended. The other parameters are those of `tasksOf`. */
export function taskAt(
  id: string,
  { run, turns }: TaskEnd,
  contextId: string,
  prompt: string,
  mails: readonly Mail[],
): Task | undefined {
  const span = spansOf(prompt, mails, turns, run).find((one) => idOf(one, run) === id);
  // A later message may have made a task of its last answer.
  return span && toTask({ ...span, answered: undefined }, { run, contextId, next: { kind: 'ended', run } });
}

/** A task's part of a conversation. */
interface Span {
  /** Of the message that began it; absent: the first one. */
  message?: string;
  begunAt: string;
  /** What the client has said in it. */
  said: { id: string; text: string }[];
  /** Its turns; none while its message has not been read. */
  turns: Turn[];
  isRead: boolean;
  /** Its answer, if a later one has begun: one that was begun before this had its own shares the next one. */
  answered: Turn | undefined;
  /** Whether it is no task: a person has come by another door, and goes on with a run that had ended. */
  isOfOthers: boolean;
}

function spansOf(prompt: string, mails: readonly Mail[], turns: readonly Turn[], run: Run): Span[] {
  const readIn = (mail: Mail) => turns.findIndex(({ told = [] }) => told.includes(mail.id));
  const isOfTask = ({ once = '' }: Mail) => once.startsWith(BEGINS);
  const begun = mails.filter(
    (mail) => isOfTask(mail) || (isOfOthers(mail) && isBehindEnd(readIn(mail), turns, run)),
  );
  const starts = [
    { from: 0, text: prompt, message: undefined, begunAt: run.startedAt, isOfOthers: false },
    ...begun.map((mail) => ({
      from: readIn(mail),
      text: mail.body,
      message: mail.once?.slice(BEGINS.length),
      begunAt: mail.sentAt,
      isOfOthers: !isOfTask(mail),
    })),
  ];
  const added = mails
    .filter(({ once = '' }) => once.startsWith(ADDS))
    .map((mail) => ({ from: readIn(mail), id: mail.once ?? '', text: mail.body }));
  return starts.map(({ from, text, message, ...start }, index) => {
    const later = starts.map((other) => other.from).filter((other) => other > from);
    const to = from < 0 ? from : Math.min(turns.length, ...later);
    const own = added.filter((one) => one.from >= from && one.from < Math.max(to, from + 1));
    const made = from < 0 ? [] : turns.slice(from, to);
    const isFollowed = from >= 0 && index < starts.length - 1;
    return {
      ...(message !== undefined && { message }),
      said: [{ id: message ?? 'prompt', text }, ...own.map(({ id, text: more }) => ({ id, text: more }))],
      turns: made,
      isRead: from >= 0,
      answered: isFollowed ? (made.findLast(isAnswer) ?? turns.slice(to).find(isAnswer)) : undefined,
      ...start,
    };
  });
}

/** Whether a person has written it who is no client of the protocol. */
function isOfOthers(mail: Mail): boolean {
  const { once = '' } = mail;
  return isOfPerson(mail) && !once.startsWith(BEGINS) && !once.startsWith(ADDS);
}

function idOf({ message }: Span, run: Run): string {
  return toTaskId({ run: run.id, ...defined({ message }) });
}

function toTask(span: Span, { run, contextId, next }: Untold): Task {
  const id = idOf(span, run);
  const of = { contextId, taskId: id };
  const { answered } = span;
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
function statusOf(next: Next, { begunAt, isRead }: Span, answer: Turn | undefined, of: Of): TaskStatus {
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
    return at(isRead ? TaskState.TASK_STATE_WORKING : TaskState.TASK_STATE_SUBMITTED, begunAt);
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

/** Whether a task is over by the end of its run, and not by a whole answer alone, which its turns go on to tell. */
export function isOverByRun(task: Task): boolean {
  const { state, message } = task.status ?? {};
  return isOver(task) && (state !== TaskState.TASK_STATE_COMPLETED || message !== undefined);
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
