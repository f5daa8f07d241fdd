import { createHash } from 'node:crypto';
import { isRunId } from '../../../core/records/run-id.ts';

/**
 * The tasks of a conversation, which is one run. The first has the run's name, and each later one the name of the
 * message that began it. As the protocol demands, a task is over once it has its answer, and does not change while the
 * run continues.
 */

/** The key of a message that begins a task, as the mailbox keeps it, and of one that adds to a task at work. */
export const BEGINS = 'a2a#';
export const ADDS = 'a2a-more#';

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
