import type { Opened } from '../records/opened.ts';
import { durationOf, type Run } from '../records/run.ts';
import { resultOf, type Turn } from '../records/turn.ts';
import type { BuiltInDefinition, SpawnedResult, ToolCall } from '../records/message.ts';
import { refused, type Plan } from '../records/plan.ts';
import type { RunStore } from '../records/ports.ts';
import { RefusedCall } from './arguments.ts';

/** The conversation whose model makes a call, as far as planning the call takes it into account. */
export type Asking = Pick<Opened, 'agent' | 'delegation' | 'forks' | 'model' | 'rules' | 'tools' | 'workdir'>;

/** The part of it that decides what its model is offered. */
export type Offering = Pick<Asking, 'delegation' | 'model'>;

/** A tool that is planned without a function that carries it out: how a model sees it, and what a call leads to. */
export interface PlannedTool {
  name: string;
  /** Undefined where this conversation is not offered it. */
  define(asking: Offering): BuiltInDefinition | undefined;
  /** Pure: it reads the call and the conversation, nothing else. */
  plan(call: ToolCall, asking: Asking): Plan;
}

/** A way to delegate: one file here, and one line in `src/core/tool-contracts/registry.ts`. */
export interface Delegation extends PlannedTool {
  /** What the caller's model is told once nothing more will happen. */
  toResult(ended: EndedSubAgent): Promise<SubAgentResult>;
}

export interface SubAgentResult {
  text: string;
  isError: boolean;
  spawned?: SpawnedResult;
}

/** A sub-agent of which nothing more will come. */
export interface EndedSubAgent {
  /** Its agent. */
  agent: string;
  /** Its record; undefined if it never began. */
  run: Run | undefined;
  /** All its turns if it was derived; else the newest, where its answer is. */
  turns: readonly Turn[];
  /** Why there is no answer, in words; "" where there is one. */
  reason: string;
  /** Whether its caller is computed, and reads results piece by piece. */
  isForComputed: boolean;
  store: Pick<RunStore, 'callResult' | 'turns'>;
}

/** Plans a call with a planner that throws a `RefusedCall` at whatever is wrong with it. */
export function planOrRefuse(plan: () => Plan): Plan {
  try {
    return plan();
  } catch (thrown) {
    if (!(thrown instanceof RefusedCall)) throw thrown;
    return refused(`Error: ${thrown.message}`);
  }
}

/** What a caller's model reads where a sub-agent gave no answer. */
export function failedResult({ agent, reason }: EndedSubAgent): SubAgentResult {
  const text = `Error: sub-agent "${agent}" failed - ${reason}. You may retry or proceed without this result.`;
  return { text, isError: true };
}

/**
 * What a sub-agent answered. One that ran out of budget has a result too; its caller is told that there might be more.
 */
export function answerText(run: Run, turns: readonly Turn[]): string {
  const text = resultOf(run, turns);
  const { exceeded } = run;
  if (exceeded === undefined) return text;
  return text === '' ? `[${exceeded}]` : `${text}\n\n[${exceeded}]`;
}

/** The calls that were carried out, or refused in words: all but those at which a limit ended the run. */
export function callsMade(turns: readonly Turn[]): number {
  const made = turns.filter(({ exceeded }) => exceeded === undefined);
  return made.reduce((sum, { answer }) => sum + answer.calls.length, 0);
}

/** How long a run that has ended took, in milliseconds. */
export function durationOfEnded(run: Run | undefined): number {
  return run === undefined ? 0 : durationOf(run, Date.parse(run.endedAt ?? run.startedAt));
}
