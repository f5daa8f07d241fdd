import type { Instant, TreeInstant } from './times.ts';
import { defined } from '../../defined.ts';
import { shortened } from '../../shortened.ts';
import { callName, type CallKey } from './call.ts';
import type { Said, WithAttachments } from './attachment.ts';
import type { ToolDefinition } from './message.ts';
import type { Run } from './run.ts';
import { isPassedOver, type Turn } from './turn.ts';

/** A message to an agent: an item of its mailbox. */
export interface Mail extends WithAttachments {
  /** Ids sort by the time at which the messages were written. */
  id: string;
  /** The agent that wrote it, by its run and its name; absent: a person. */
  from?: string;
  fromName?: string;
  /** The person who wrote it, as the API knows them; absent if not known. */
  by?: string;
  body: string;
  /** The key that its writer gave it, so that it is written only once; absent: none. */
  once?: string;
  /**
   * `capture`: a person's text for a fork, which no agent is ever told. `report`: how a fork's work ended, and `end`:
   * how that of another agent beside its caller ended; neither needs an answer. Absent: a message.
   */
  kind?: 'capture' | 'end' | 'report';
  /** ISO 8601, UTC. */
  sentAt: string;
  /** Whether the agent has read it. */
  isRead?: true;
  /** Whether a turn for it has failed after the agent's answer: it causes no other turn. */
  isPassedOver?: true;
  /** The call of `wait` that it is the result of, as `t2c1`. */
  takenBy?: string;
  /** Of a capture that is over: the fork that got it; absent: it was cancelled. */
  captureEnd?: { fork?: string };
  /** What remains of a message that the agent has deleted, so that a repeated write of it writes nothing. */
  isDeleted?: true;
}

/**
 * The execution that waits for mail, in the state `Idle` or in a call of `wait`. Its token may be lost without harm.
 */
export interface MailWait {
  /** The run that waits. */
  run: string;
  /**
   * Set if only the end of an idle run waits, which is told once nothing below it is at work any more. The token is
   * then not an execution's.
   */
  isEnd?: true;
  /** The call that waits; absent: the run is idle. */
  at?: { turn: number; call: number };
  token: string;
  /** When the call stops waiting. */
  until?: Instant;
  /** When the time of the idle run is over. */
  deadline?: TreeInstant;
}

/** The most that the mailbox holds; later writers read that it is full. */
export const MAX_MAILS = 1_000;

/** A message between agents, in characters. A person's may be as long as a prompt. */
export const MAX_MAIL_CHARACTERS = 40_000;

/** The texts that a person typed for forks, oldest first. */
export function capturesIn(mails: readonly Mail[]): Mail[] {
  return mails.filter(({ kind }) => kind === 'capture');
}

/** Whether it tells how another agent's work ended: nobody counts on an answer. */
export function tellsOfEnd({ kind }: Pick<Mail, 'kind'>): boolean {
  return kind === 'end' || kind === 'report';
}

/** Whether it is a person's message, and nothing that an agent or a fork has left. */
export function isOfPerson({ from, kind }: Pick<Mail, 'from' | 'kind'>): boolean {
  return from === undefined && kind === undefined;
}

export function isUnread({ isRead }: Mail): boolean {
  return isRead !== true;
}

/**
 * Whether a call of `wait` may take it, or has taken it: the process that made the call may have died before its result
 * was stored.
 */
export function isThereFor(mail: Mail, at: Pick<CallKey, 'turn' | 'call'>): boolean {
  return isUnread(mail) || mail.takenBy === callName(at);
}

/** The unread mail that a turn begins with. */
export interface MailNews {
  said: Said[];
  /** The messages whose texts are in it. */
  ids: string[];
  /** Unread messages of which it is told now for the first time. */
  noticed: string[];
}

export const NO_NEWS: MailNews = { said: [], ids: [], noticed: [] };

/** How much of one message is told to an agent that cannot look into its mailbox, in characters. */
const MAX_TOLD_CHARACTERS = 2_000;

/**
 * The next news from an agent's mailbox. Messages of people, and the ends of agents that it has started, are told in
 * full, with the results of its last calls. Messages of agents wait until it has nothing else to do. It is then told
 * how many are unread, and of each message only once, even if it leaves it unread; or their texts, if it has no tool to
 * read them. Messages that were passed over are told with others.
 * @param turns all of its turns
 * @param tools all that it was offered
 */
export function newsFor(
  mails: readonly Mail[],
  turns: readonly Turn[],
  tools: readonly Pick<ToolDefinition, 'name'>[],
  run: Pick<Run, 'passedOver'>,
): MailNews {
  const known = new Set(turns.flatMap(({ told = [] }) => told));
  const fresh = mails.filter((mail) => isUnread(mail) && !known.has(mail.id));
  const hasWork = (turns.at(-1)?.answer.calls.length ?? 0) > 0 && !isPassedOver(run, turns);
  const isOfAgent = ({ from, kind }: Mail) => from !== undefined && kind !== 'end';
  const isNew = (mail: Mail) => !mail.isPassedOver && !(isOfAgent(mail) && wasNoticed(mail, turns));
  const ofAgents = fresh.filter(isOfAgent);
  const isOld = !hasWork && !fresh.some(isNew);
  const asTheyAre = fresh.filter(({ from, kind }) => from === undefined || (kind === 'end' && !isOld));
  const said = asTheyAre.map(({ body: text, attachments }): Said => ({ text, ...defined({ attachments }) }));
  const ids = asTheyAre.map(({ id }) => id);
  if (hasWork || isOld) return { said, ids, noticed: [] };
  const looks = tools.some(({ name }) => name === 'mail_read');
  const told = looks ? ofAgents.filter(isNew) : ofAgents;
  const notice = `[Notification: You have ${ofAgents.length} unread message(s) in your inbox]`;
  const notices = told.length === 0 ? [] : [notice];
  const texts = looks ? notices : told.map(toText);
  const toldIds = told.map(({ id }) => id);
  return {
    said: [...said, ...texts.map((text) => ({ text }))],
    ids: looks ? ids : [...ids, ...toldIds],
    noticed: looks ? toldIds : [],
  };
}

/** Whether an agent was told of this message. Turns of earlier releases do not say which messages they told of. */
function wasNoticed({ id, sentAt }: Mail, turns: readonly Turn[]): boolean {
  return turns.some(
    ({ noticed = [], isNoticed, at, latencyMs }) =>
      noticed.includes(id) || (isNoticed && Date.parse(sentAt) <= Date.parse(at) - latencyMs),
  );
}

function toText({ from, fromName, body }: Mail): string {
  const text = shortened(body.toWellFormed(), MAX_TOLD_CHARACTERS);
  return `[Message from agent ${from} "${fromName}"]\n\n${text}`;
}

/**
 * The turns of a run that count towards its limit: those since it was told of a person's newest message, except turns
 * that only ends of other agents have caused, which the limit of runs bounds.
 */
export function turnsThatCount(turns: readonly Turn[], mails: readonly Mail[]): Turn[] {
  const ends = new Set(mails.filter(({ kind }) => kind === 'end').map(({ id }) => id));
  const isForEnds = ({ told = [], received }: Turn) =>
    told.length > 0 && told.length === received.length && told.every((id) => ends.has(id));
  return turnsSincePerson(turns, mails).filter((turn) => !isForEnds(turn));
}

/** The turns that the run has made since it was told of a person's newest message. */
export function turnsSincePerson(turns: readonly Turn[], mails: readonly Mail[]): Turn[] {
  const ofPeople = new Set(mails.filter(({ from }) => from === undefined).map(({ id }) => id));
  const last = turns.findLastIndex(({ told = [] }) => told.some((id) => ofPeople.has(id)));
  return turns.slice(Math.max(0, last));
}

/** The heading of a message, besides its text. */
export function headOf({ id, from = '', fromName = '', sentAt }: Mail) {
  return { id, from_uuid: from, from_name: fromName, sent_at: sentAt };
}
