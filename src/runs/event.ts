import type { CallFailure, CallResult } from './call.ts';
import type { Answer, Question } from './question.ts';
import {
  durationOf,
  usageOf,
  type CallReference,
  type Run,
  type RunStatus,
  type Turn,
  type Usage,
} from './run.ts';

/**
 * What happens in a tree, for whoever watches: live listeners, `watch` and the log. Every event is made here from
 * stored records, so that watching later shows what was shown live. Watching never fails a run.
 */
export type RunEvent = RunIdentity &
  (
    | { type: 'run_opened'; parent?: CallReference; task: string }
    | { type: 'turn_started'; turn: number; messages: number; pendingCalls: number }
    /** Live only: waits are not stored. */
    | { type: 'turn_waiting'; turn: number; delayMs: number; reason: string }
    | {
        type: 'turn_finished';
        turn: number;
        stopReason: string;
        calls: number;
        /** Calls that are not made, with what the model reads instead; absent: none. */
        refused?: { tool: string; text: string }[];
        latencyMs: number;
        usage: Usage;
      }
    | ({ type: 'call_started' } & CallIdentity)
    /** The output of a call while it runs. Live only. */
    | ({ type: 'call_output'; text: string } & CallIdentity)
    | ({
        type: 'call_finished';
        durationMs: number;
        characters: number;
        failure?: CallFailure;
      } & CallIdentity)
    | ({ type: 'question_asked'; question: string; choices?: string[]; askedAt: string } & AskedCall)
    | ({
        type: 'question_answered';
        /** Absent: nobody answered in time. */
        answer?: string;
        by?: string;
      } & AskedCall)
    /** A sentence about something that users should know and that does not fail the run. Live only. */
    | { type: 'warning'; message: string }
    | {
        type: 'run_closed';
        status: RunStatus;
        durationMs: number;
        characters: number;
        /** The failure's name; "" if there is none. */
        error: string;
        /** Why there is no answer, or only a part of one; "" if it is whole. */
        reason: string;
      }
  );

/** A call that a function carries out. */
export interface CallIdentity {
  turn: number;
  /** From 1. */
  call: number;
  tool: string;
  /** A path, a command or an address; "" if the call has none. */
  subject: string;
}

/** A call that asks a person. */
export interface AskedCall {
  turn: number;
  /** From 1. */
  call: number;
}

export type EmitRunEvent = (event: RunEvent) => void;

/** Which run something happens in, as events and logs name it. */
export interface RunIdentity {
  run: string;
  /** The run at the top of its tree. */
  root: string;
  agent: string;
  /** `provider/model-name`; "" where the agent could not be loaded. */
  model: string;
  depth: number;
}

export function identityOf({ id, root, agent, model, depth }: Run): RunIdentity {
  return { run: id, root, agent, model, depth };
}

export function openedEvent(run: Run): RunEvent {
  const { task, parent } = run;
  return { type: 'run_opened', ...identityOf(run), task, ...(parent !== undefined && { parent }) };
}

export function turnStartedEvent(
  run: Run,
  { number, messages, received }: Pick<Turn, 'number' | 'messages' | 'received'>,
): RunEvent {
  const pendingCalls = received.flatMap((message) => (message.role === 'tool' ? message.results : [])).length;
  return { type: 'turn_started', ...identityOf(run), turn: number, messages, pendingCalls };
}

export function turnFinishedEvent(run: Run, turn: Turn): RunEvent {
  const { number, answer, plans, latencyMs } = turn;
  const refused = plans.flatMap((plan, index) =>
    plan.kind === 'done' && plan.isError ? { tool: answer.calls[index]?.name ?? '', text: plan.text } : [],
  );
  return {
    type: 'turn_finished',
    ...identityOf(run),
    turn: number,
    stopReason: answer.rawStopReason,
    calls: answer.calls.length,
    ...(refused.length > 0 && { refused }),
    latencyMs,
    usage: usageOf([turn]),
  };
}

export function callStartedEvent(run: Run, call: CallIdentity): RunEvent {
  return { type: 'call_started', ...identityOf(run), ...toIdentity(call) };
}

export function callOutputEvent(run: Run, call: CallIdentity, text: string): RunEvent {
  return { type: 'call_output', ...identityOf(run), ...toIdentity(call), text };
}

export function callFinishedEvent(run: Run, call: CallIdentity, result: CallResult): RunEvent {
  return {
    type: 'call_finished',
    ...identityOf(run),
    ...toIdentity(call),
    durationMs: result.durationMs,
    characters: result.text.length,
    ...(result.failure !== undefined && { failure: result.failure }),
  };
}

export function questionAskedEvent(run: Run, asked: Question): RunEvent {
  const { turn, call, question, choices, askedAt } = asked;
  return {
    type: 'question_asked',
    ...identityOf(run),
    turn,
    call,
    question,
    ...(choices !== undefined && { choices }),
    askedAt,
  };
}

export function questionAnsweredEvent(run: Run, at: AskedCall, { text, by }: Answer): RunEvent {
  const { turn, call } = at;
  return {
    type: 'question_answered',
    ...identityOf(run),
    turn,
    call,
    ...(text !== undefined && { answer: text }),
    ...(by !== undefined && { by }),
  };
}

function toIdentity({ turn, call, tool, subject }: CallIdentity): CallIdentity {
  return { turn, call, tool, subject };
}

/** @param run one that has ended */
export function closedEvent(run: Run): RunEvent {
  const { status, startedAt, characters = 0, failure } = run;
  return {
    type: 'run_closed',
    ...identityOf(run),
    status,
    durationMs: durationOf(run, Date.parse(startedAt)),
    characters,
    error: failure?.error ?? '',
    reason: closingReason(run),
  };
}

/** Why a run has no answer, or only a part of one, as its parent's model reads it; "" if the answer is whole. */
export function closingReason({ status, timeout, failure, exceeded }: Run): string {
  return status === 'timed_out' ? `timeout after ${timeout}s` : (failure?.message ?? exceeded ?? '');
}
