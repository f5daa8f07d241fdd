import type { BuiltInDefinition, SpawnedResult, ToolCall } from '../records/message.ts';
import type { CallResult } from '../records/call.ts';
import type { Opened } from '../records/opened.ts';
import type { Plan } from '../records/plan.ts';
import type { Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';

/** The conversation whose model makes a call, as far as planning the call takes it into account. */
export type Asking = Pick<
  Opened,
  'agent' | 'delegation' | 'folder' | 'forks' | 'model' | 'rules' | 'tools' | 'workdir'
>;

/** The part of it that decides what its model is offered. */
export type Offering = Pick<Asking, 'delegation' | 'model'>;

/** A tool that is planned without a function that carries it out: how a model sees it, and what a call leads to. */
export interface PlannedTool {
  name: string;
  /** Undefined where this conversation is not offered it. */
  define(asking: Offering): BuiltInDefinition | undefined;
  /** Pure: it reads the call and the conversation, nothing else. */
  plan(call: ToolCall, asking: Asking): Plan;
  /** The result for the caller's model once nothing more will happen; ways to delegate have it, and only they. */
  toResult?(ended: EndedSubAgent): SubAgentResult;
  /** Whether that names the files that a sub-agent's calls have touched. */
  showsFiles?: true;
}

/** A way to delegate: one file in `delegation/`, and one line in `load-own-tools.ts`. */
export type Delegation = PlannedTool & Required<Pick<PlannedTool, 'toResult'>>;

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
  /** All its turns if it was derived or ran out of budget; else the newest, where its answer is. */
  turns: readonly Turn[];
  /** The results of its calls, for a way that shows files. */
  calls: readonly CallResult[];
  /** Why there is no answer, in words; "" where there is one. */
  reason: string;
  /** Whether its caller is computed, and reads results piece by piece. */
  isForComputed: boolean;
}
