import {
  later,
  onTreeClock,
  toMillis,
  type Instant,
  type Millis,
  type Seconds,
  type TreeInstant,
  millis,
  timeUntil,
} from './times.ts';
import type { Allowance } from './amounts.ts';
import type { CallKey } from './call.ts';
import type { Span, Times } from './spans.ts';
import type { Tags } from './tags.ts';
import type { TokenUsage } from '../../token-usage.ts';

/**
 * Agents that call each other, or themselves, could start 100 runs to the power of their depth. A question that needs
 * more runs than this has to be split.
 */
export const MAX_RUNS_PER_TREE = 1000;

/**
 * The stored record of a run. A run is one conversation of one agent, carried by one execution of the machine at a
 * time. Everything here is plain JSON, written and read by `src/places/store/runs.ts`.
 */

/**
 * `idle`: it has answered, and continues as soon as it is written to. `budget_exceeded` is a normal end: a limit of the
 * tree was reached, and the result is what there is so far.
 */
export type RunStatus =
  'running' | 'idle' | 'succeeded' | 'budget_exceeded' | 'failed' | 'timed_out' | 'stopped';

/** Why an answer is not the whole of what its model could have said, although nothing failed. */
export const INCOMPLETE = {
  max_tokens: 'the answer was cut at its limit of tokens',
  refusal: 'the model refused to answer',
  guardrail: 'the guardrail blocked the answer',
} as const;
export type Incomplete = keyof typeof INCOMPLETE;

/** The light record of a run: enough to list it and to draw its tree, without any of its texts. */
export interface Run {
  id: string;
  /** The `FORMAT` that it was written in; absent: 1. */
  v?: number;
  /** The run at the top of the tree; its own id for the top itself. */
  root: string;
  /** The call that asked for this run; absent at the top. */
  parent?: CallKey;
  /**
   * Which execution of its parent began it last, redrives counted; absent: the first, one of an earlier release, or none did.
   */
  parentHolder?: number;
  /** Its place in the tree: "" at the top, `t1c2_t3c1` two levels down. */
  path: string;
  agent: string;
  /** Its name for other agents of its tree; absent: its agent's. */
  name?: string;
  /** The tool by which it was derived from its parent; absent: it was opened from its agent's file. */
  derivedBy?: string;
  /**
   * Whether it works beside the agent that started it, and reports to it. Absent: it is waited for, unless it is a fork
   * in a record of an earlier release.
   */
  beside?: true;
  /** `provider/model-name`; "" where the agent could not be loaded. */
  model: string;
  /** The model that a person chose when the run was resumed; absent: the one that it was opened with. */
  chosenModel?: string;
  /** As in `Opened`; absent until it is opened. */
  version?: string;
  /** As in `Opened`. */
  pack?: string;
  /** 0 at the top. */
  depth: number;
  /** The owner: the subject of the token that its tree was requested with; absent: the account. */
  owner?: string;
  /** Of that token; absent: an earlier release did not record it, or there is no owner. */
  issuer?: string;
  /** At the top of a tree, the caller's notes by which it can be found; absent: none. */
  tags?: Tags;
  /** At the top of a tree, the span of the request that began it (W3C Trace Context); absent: it has none. */
  traceparent?: string;
  status: RunStatus;
  /** ISO 8601, UTC. */
  startedAt: string;
  endedAt?: string;
  /** When its execution took it over from an earlier one; absent for the first. */
  resumedAt?: string;
  /** How long earlier executions have worked on it. */
  workedMs?: Millis;
  /** At the top of a tree that continues the conversation of another run: from where; absent: it began its own. */
  forkedFrom?: ForkedFrom;
  /**
   * The longest times between its executions, in order and in milliseconds since 1970; `idle` if it had its answer.
   * Absent: none, or not known.
   */
  gaps?: [kind: 'idle' | 'gap', from: Instant, to: Instant][];
  /** How it spent its time up to its end, or until it was idle; absent: it is at work, or that is not known. */
  times?: Times;
  /** The same as a sequence, in which short stretches are joined to their neighbours. */
  spans?: Span[];
  /** The beginning of what it was asked, in one line. */
  task: string;
  /**
   * Which execution of the run carries it, from 1: one after another, never two at once. An execution with a higher
   * number takes the run over from one that has ended; an execution with a lower number changes nothing any more.
   */
  holder: number;
  /** That execution's ARN. */
  execution: string;
  /** The time that it was given. */
  timeout: Seconds;
  /** When its time is over; absent in its first execution and after a resume, with which the tree's clock begins. */
  deadline?: TreeInstant;
  /** Whether it has ever had mail. */
  hasMail?: true;
  /** Whether hooks are asked about its texts before anybody is shown them. Absent: none are. */
  withholds?: true;
  /** Whether a person has typed text for a fork of it. */
  hasCaptured?: true;
  /** The run that wrote to it and so woke it, which is told of its answer; absent: none, or a person. */
  wokenBy?: string;
  /** Set if a person has woken it, who sees the result: no agent is told. */
  isForPerson?: true;
  /** The amounts that people have added to the budget of its tree, at the top; absent: none. */
  added?: { amounts: Allowance; by?: string; at: string }[];
  /**
   * At the top of a tree, the executions by which agents have woken each other since a person last wrote to one, as
   * `t1c2#3`: path and number; absent: none.
   */
  woken?: string[];
  /**
   * At the top of a tree, how often servers have taken it up since it got any further, and the turns that it had then,
   * of all its runs; absent: never.
   */
  takenUp?: { times: number; turns: number };
  usage: Usage;
  /** The model's own word for why its last answer ended. */
  stopReason?: string;
  /** Why the answer that it ended with is not whole; absent: it is, or there is none. */
  incomplete?: Incomplete;
  /** The length of its answer, or of what a budget left of one. */
  characters?: number;
  /** Which limit was reached, in words, if the status is `budget_exceeded`. */
  exceeded?: string;
  failure?: Failure;
  /** Set once a person has asked to end it for good, which another process does. */
  isToBeKilled?: true;
  /** Set if it has ended without the answer of a remote agent, until that agent has been told to give up the task. */
  isToGiveUp?: true;
  /** The holder whose execution was stopped, where it was ended with many others. */
  halted?: number;
  /**
   * Who stopped or killed it, or a caller above it: a person, `the API`, `its program` or `its client`; absent: nobody
   * did, or it is not known.
   */
  stoppedBy?: string;
  /** The person who resumed it last, or `the API`; the same applies. */
  resumedBy?: string;
  /** The turn that it tried to make for messages of agents, in vain; absent: none, or it has ended with a later answer. */
  passedOver?: PassedOver;
  /** Answers of batches that were paid for, and made no turn; absent: none. */
  unused?: UnusedAnswer[];
  /** The newest turn whose model was asked and gave no answer, which may have come since; absent: none is known. */
  begun?: BegunTurn;
}

/** A run as it was before one of its turns, which another makes anew. */
export interface ForkedFrom {
  /** The run at the top of its tree. */
  root: string;
  run: string;
  turn: number;
}

/** Messages of agents after the answer of a run. The answer stands: the turn that they caused failed. */
export interface PassedOver {
  /** The last turn that was made by then. */
  turn: number;
  /** ISO 8601, UTC. */
  at: string;
  /** Why the turn failed, in words. */
  reason: string;
}

/** An answer that came when nobody waited for it any longer. */
export interface UnusedAnswer {
  turn: number;
  /** ISO 8601, UTC. */
  at: string;
  /** What it used; absent: its provider did not say. */
  usage?: TokenUsage;
  /** As in `Turn`. */
  nanoUsd?: number;
}

/** Whether the answer of a turn was charged although it made no turn, so that it must make none later. */
export function isUnused({ unused = [] }: Pick<Run, 'unused'>, turn: number): boolean {
  return unused.some((one) => one.turn === turn);
}

/** A turn whose model has been asked. */
export interface BegunTurn {
  turn: number;
  /** When it was asked. */
  at: Instant;
  /** As in `Turn`. */
  messages: number;
  /** How many results it was sent. */
  pendingCalls: number;
}

/** The use of a run itself, without the runs below it. */
export interface Usage {
  turns: number;
  toolCalls: number;
  /** Including tokens read from a cache or written to one. */
  inputTokens: number;
  outputTokens: number;
  /** Of the input. Absent: none. */
  cacheReadTokens?: number;
  /** Of the input. Absent: none. */
  cacheWriteTokens?: number;
  /** Its cost, in billionths of a dollar. Absent: no turn yet, or one with an unknown price. */
  nanoUsd?: number;
  /** Calls whose results, as far as its model has read them, are errors. Absent: none. */
  failedCalls?: number;
  /** Requests that were sent again because the model's API had failed. Absent: none. */
  retries?: number;
}

/** Why a run did not succeed: the error's name (see `errors.ts`) and the text for people and for the parent's model. */
export interface Failure {
  error: string;
  message: string;
}

/** Whether it goes on beside the one that started it, instead of being waited for. */
export function isBeside({ beside, derivedBy }: Pick<Run, 'beside' | 'derivedBy'>): boolean {
  return beside === true || derivedBy === 'fork';
}

/**
 * Whether it still has to be opened: its record was written ahead of its execution, so that it is missed if the
 * execution never comes.
 */
export function isAhead({ execution, model }: Pick<Run, 'execution' | 'model'>): boolean {
  return execution === '' && model === '';
}

/** Its name for others. */
export function nameOf({ name, agent }: Pick<Run, 'name' | 'agent'>): string {
  return name ?? agent;
}

/** A run of a tree with those below it, in the order in which they are given. */
export function branchOf<T extends Pick<Run, 'path'>>({ path }: Pick<Run, 'path'>, tree: readonly T[]): T[] {
  return tree.filter((run) => run.path === path || path === '' || run.path.startsWith(`${path}_`));
}

/** The same without the run itself. */
export function runsBelow<T extends Pick<Run, 'path'>>(run: Pick<Run, 'path'>, tree: readonly T[]): T[] {
  return branchOf(run, tree).filter(({ path }) => path !== run.path);
}

/** When its execution began to carry it. */
export function carriedSince({ startedAt, resumedAt }: Pick<Run, 'startedAt' | 'resumedAt'>): Instant {
  return Date.parse(resumedAt ?? startedAt);
}

/** When the time of the top of a tree is over. */
export function endOfTime({ timeout, deadline, ...run }: Run): TreeInstant {
  return deadline ?? later(onTreeClock(carriedSince(run), 0), toMillis(timeout));
}

/** By this time after its deadline, a run has closed its record, or an event has. */
const GRACE_MS = 60_000;

/** Whether a run should have been closed by itself, or by an event about its end. @param time that of its tree */
export function isOverdue(run: Run, time: TreeInstant): boolean {
  return timeUntil(endOfTime(run), time) <= -GRACE_MS;
}

/** How long executions worked on it, without the time in which none carried it. */
export function durationOf(
  run: Pick<Run, 'startedAt' | 'endedAt' | 'resumedAt' | 'workedMs'>,
  now: Instant,
): Millis {
  const end = run.endedAt === undefined ? now : Date.parse(run.endedAt);
  // A clock may have been set back since, and those of two machines differ.
  return millis((run.workedMs ?? 0) + Math.max(0, end - carriedSince(run)));
}

/** The usage of a run that has done nothing yet. */
export const NO_USAGE: Usage = { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 };
