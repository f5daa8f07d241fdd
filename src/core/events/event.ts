import type { CallFailure, CallKey, CallResult } from '../records/call.ts';
import { closingReason } from '../records/closing-reason.ts';
import { resultsIn, type ToolCall } from '../records/message.ts';
import type { Plan } from '../records/plan.ts';
import type { Answer, Approval, Question } from '../records/question.ts';
import type { Opened } from '../records/opened.ts';
import { durationOf, type BegunTurn, type Run, type RunStatus, type Usage } from '../records/run.ts';
import { resultOf, usageOf, type Turn } from '../records/turn.ts';
import { defined } from '../../defined.ts';

/**
 * The events of a tree, for watchers: live listeners, `watch` and the log. Every event is made here from stored
 * records, so that watching later shows the same as watching live. Watching never fails a run.
 *
 * The list that `src/core/events` makes of a tree is the same whenever it is read. Events that are only ever told live
 * are marked so.
 */
export type RunEvent = RunIdentity &
  (
    | { type: 'run_opened'; task: string }
    | { type: 'skill_loaded'; skill: string }
    /** Paths of the files that its system prompt shows, relative to its workdir. */
    | { type: 'context_discovered'; files: string[] }
    | { type: 'turn_started'; turn: number; messages: number; pendingCalls: number }
    /** Live only: waits are not stored. */
    | { type: 'turn_waiting'; turn: number; delayMs: number; reason: string }
    /** A piece of an answer while the model writes it. Live only. */
    | { type: 'message_delta'; turn: number; kind: 'text' | 'thinking'; text: string }
    | {
        type: 'turn_finished';
        turn: number;
        /** The model's text besides its calls. */
        text: string;
        stopReason: string;
        calls: number;
        /** Calls that are not made, with what the model reads instead; absent: none. */
        refused?: { tool: string; text: string }[];
        latencyMs: number;
        usage: Usage;
      }
    | ({ type: 'call_started'; arguments: Record<string, unknown> } & CallIdentity)
    /** The output of a call while it runs. Live only. */
    | ({ type: 'call_output'; text: string } & CallIdentity)
    | ({
        type: 'call_finished';
        durationMs: number;
        characters: number;
        /** The text that the model reads. */
        text: string;
        isError: boolean;
        failure?: CallFailure;
      } & CallIdentity)
    /** Between the begin and the end of its call. */
    | ({
        type: 'question_asked';
        question: string;
        choices?: string[];
        /** The call that waits for the answer. */
        approval?: Approval;
        askedAt: string;
      } & AskedCall)
    | ({
        type: 'question_answered';
        /** Absent: no answer came in time. */
        answer?: string;
        by?: string;
      } & AskedCall)
    /** A warning for users about something that does not fail the run. Live only. */
    | { type: 'warning'; message: string }
    | {
        type: 'run_closed';
        status: RunStatus;
        durationMs: number;
        characters: number;
        /** Its result; "" if there is none. */
        text: string;
        /** The failure's name; "" if there is none. */
        error: string;
        /** Why there is no answer, or only a part of one; "" if it is whole. */
        reason: string;
      }
  );

/** A call of a turn. */
export interface CallIdentity {
  turn: number;
  /** From 1. */
  call: number;
  tool: string;
  /** How it is carried out. */
  kind: Plan['kind'];
  /** A path, a command or an address; "" if the call has none. */
  subject: string;
}

/** A call that asks a person. */
export interface AskedCall {
  turn: number;
  /** From 1. */
  call: number;
}

/** Which run something happens in, as events and logs name it. */
export interface RunIdentity {
  run: string;
  /** The run at the top of its tree. */
  root: string;
  agent: string;
  /** As in `Run`. */
  name?: string;
  /** `provider/model-name`; "" where the agent could not be loaded. */
  model: string;
  depth: number;
  /** The call that asked for it; absent at the top. */
  parent?: CallKey;
  /** As in `Run`. */
  derivedBy?: string;
}

export function identityOf({ id, root, agent, name, model, depth, parent, derivedBy }: Run): RunIdentity {
  return {
    run: id,
    root,
    agent,
    ...defined({ name }),
    model,
    depth,
    ...defined({ parent, derivedBy }),
  };
}

export function openedEvent(run: Run): RunEvent {
  return { type: 'run_opened', ...identityOf(run), task: run.task };
}

/** The context that a conversation was opened with, besides its agent's file. */
export function contextEvents(run: Run, { skill, files = [] }: Pick<Opened, 'skill' | 'files'>): RunEvent[] {
  return [
    ...(skill === undefined ? [] : [{ type: 'skill_loaded' as const, ...identityOf(run), skill }]),
    ...(files.length === 0 ? [] : [{ type: 'context_discovered' as const, ...identityOf(run), files }]),
  ];
}

export function turnStartedEvent(
  run: Run,
  { number, messages, received }: Pick<Turn, 'number' | 'messages' | 'received'>,
): RunEvent {
  return begunEvent(run, { turn: number, messages, pendingCalls: resultsIn(received).length });
}

/** The same of a turn that has no answer yet. */
export function begunEvent(
  run: Run,
  { turn, messages, pendingCalls }: Pick<BegunTurn, 'turn' | 'messages' | 'pendingCalls'>,
): RunEvent {
  return { type: 'turn_started', ...identityOf(run), turn, messages, pendingCalls };
}

/** A piece of an answer that is being written. */
export function pieceEvent(
  run: Run,
  { turn, kind, text }: { turn: number; kind: 'text' | 'thinking'; text: string },
): RunEvent {
  return { type: 'message_delta', ...identityOf(run), turn, kind, text };
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
    text: answer.text,
    stopReason: answer.rawStopReason,
    calls: answer.calls.length,
    ...(refused.length > 0 && { refused }),
    latencyMs,
    usage: usageOf([turn]),
  };
}

/** @param call which of the turn, from 1 */
export function callIdentity({ number, answer, plans }: Turn, call: number): CallIdentity {
  const plan = plans[call - 1];
  const starts = plan?.kind === 'delegate' || plan?.kind === 'start';
  return {
    turn: number,
    call,
    tool: answer.calls[call - 1]?.name ?? '',
    kind: plan?.kind ?? 'done',
    subject: plan?.kind === 'invoke' ? plan.subject : starts ? plan.agent : '',
  };
}

export function callStartedEvent(
  run: Run,
  call: CallIdentity,
  { arguments: given }: Pick<ToolCall, 'arguments'>,
): RunEvent {
  return { type: 'call_started', ...identityOf(run), ...toIdentity(call), arguments: given };
}

export function callOutputEvent(
  run: Run,
  call: CallIdentity,
  text: string,
): Extract<RunEvent, { type: 'call_output' }> {
  return { type: 'call_output', ...identityOf(run), ...toIdentity(call), text };
}

export function callFinishedEvent(
  run: Run,
  call: CallIdentity,
  { text, isError, durationMs, failure }: Omit<CallResult, 'startedAt'>,
): RunEvent {
  return {
    type: 'call_finished',
    ...identityOf(run),
    ...toIdentity(call),
    durationMs,
    characters: text.length,
    text,
    isError,
    ...defined({ failure }),
  };
}

export function questionAskedEvent(run: Run, asked: Question): RunEvent {
  const { turn, call, question, choices, approval, askedAt } = asked;
  return {
    type: 'question_asked',
    ...identityOf(run),
    turn,
    call,
    question,
    ...defined({ choices, approval }),
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
    ...defined({ answer: text, by }),
  };
}

function toIdentity({ turn, call, tool, kind, subject }: CallIdentity): CallIdentity {
  return { turn, call, tool, kind, subject };
}

/** @param run one that has ended */
export function closedEvent(run: Run, turns: readonly Turn[]): RunEvent {
  const { status, startedAt, characters = 0, failure } = run;
  return {
    type: 'run_closed',
    ...identityOf(run),
    status,
    durationMs: durationOf(run, Date.parse(startedAt)),
    characters,
    text: resultOf(run, turns),
    error: failure?.error ?? '',
    reason: closingReason(run),
  };
}
