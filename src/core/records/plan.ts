import { type Seconds } from './times.ts';
import type { ToolRules } from './call.ts';

/**
 * A plan is the decision about one tool call. The machine knows kinds of plans, never tools: a new way to delegate is a
 * new planner. Each kind has a file in `src/core/steps`, and the compiler reports a missing one.
 */
export type Plan = DonePlan | DelegatePlan | StartPlan | InvokePlan | AskPlan | WaitPlan;

/** Nothing to do: the result is known already. It never reaches the machine. */
export interface DonePlan {
  kind: 'done';
  text: string;
  isError: boolean;
}

/** A plan that hooks are asked about, before or after what it does. */
interface Hooked {
  hooked?: true;
}

/** A plan that acts on anything may need a person's approval first. */
interface Gated extends Hooked {
  gate?: true;
}

/** Start a nested execution of the machine and wait for it. */
export interface DelegatePlan extends Gated {
  kind: 'delegate';
  agent: string;
  task: string;
  /** "" for none. */
  context: string;
  /** Whether it is a leaf that may run in an Express execution. */
  express?: true;
  /** How the sub-agent's conversation differs from its caller's; absent: it is opened from its own agent's file. */
  derived?: Derivation;
}

/** Start an execution of the machine without waiting for it: an agent that works beside its caller. */
export interface StartPlan extends Gated {
  kind: 'start';
  agent: string;
  /** The name for it that others shall use; another agent of the tree may have that name already. */
  name: string;
  task: string;
  /** The additional input of an agent opened from its own file, "" for none. Absent: it is a copy of its caller. */
  context?: string;
}

/** Whether what a call starts is a fork: a copy of its caller, with all that it knows. */
export function startsFork({ context }: StartPlan): boolean {
  return context === undefined;
}

/**
 * How a conversation differs from the one that it is derived from. Everything that is not here is the caller's: its
 * agent, its system prompt, its tools, and the limits of the tree.
 */
export interface Derivation {
  model?: string;
  system?: string;
  /** Its first message; absent: the task. */
  message?: string;
  /** The names of its tools, as far as its mode and its depth allow. */
  tools: string[];
  mode?: ToolRules['mode'];
  /** The caller's mode decides about calls that need a person's approval, since nobody is asked: allowed in `auto`. */
  isSilent?: true;
  caps?: Caps;
  /** Seconds that it may take from its start; 0: all that are left; absent: as any sub-agent of the caller. */
  seconds?: Seconds;
  /** It ends when nothing has been heard of it for so many seconds. */
  quietSeconds?: Seconds;
  /** As in `heldTo` of `Opened`. */
  skills?: string[];
  /** Whether it stands for its caller, without a level of its own. */
  isComputed?: true;
  /** The remote agent that it hands its task to, and waits for. */
  remote?: string;
  /** How many of the caller's sub-agents of this sort may be under way at once. */
  atOnce?: number;
}

/** Limits of one conversation, which does not share them with others. */
export interface Caps {
  /** Tool calls after which it ends with what it has; 0: no limit. */
  toolCalls: number;
  /** How many tokens it may grow by: its answers, and the results of its calls. Absent: no limit. */
  tokens?: number;
  /** Numbers of tool calls after which its model is told to wind up, or to stop and think; 0: never. */
  warnAt: number;
  pauseAt: number;
}

/** Call a function that carries out the call, and wait for it. Its arguments are in the turn. */
export interface InvokePlan extends Gated {
  kind: 'invoke';
  /** Its subject, for display: a path, a command or an address. */
  subject: string;
  /** Whether it can change anything: if so, it waits for the calls before it, and those after it wait for it. */
  writes: boolean;
  /** Whether it may be made again if it was begun and left no result. */
  isRepeatable: boolean;
  /** The longest that it may take. */
  seconds: Seconds;
  /** Which function carries it out: the one that reaches other agents; absent: the one that reaches everything else. */
  by?: 'control';
  /** The skills whose limits it was held to, and is held to where it is carried out; absent: none. */
  skills?: string[];
}

/** Whether a call has another agent begin. */
export function beginsAgent({ kind }: Plan): boolean {
  return kind === 'delegate' || kind === 'start';
}

/** Whether a person has to approve a call. */
export function isGated(plan: Plan): boolean {
  return 'gate' in plan && plan.gate === true;
}

/** Whether hooks are asked about a call. */
export function isHooked(plan: Plan): boolean {
  return 'hooked' in plan && plan.hooked === true;
}

/** Whether a person may be asked because of a call. */
export function mayAsk(plan: Plan): boolean {
  return plan.kind === 'ask' || isGated(plan) || isHooked(plan);
}

/** Whether the function that reaches users' functions carries a call out itself. */
export function isOfTools(plan: Plan): boolean {
  return plan.kind === 'invoke' && plan.by === undefined;
}

/**
 * Whether a call of a turn waits for others in front of it: one that changes something is carried out alone.
 * @param index of the call in its turn
 * @param isOver whether the call with an index has ended
 */
export function isHeldBack(
  plans: readonly Plan[],
  index: number,
  isOver: (index: number) => boolean,
): boolean {
  const isAlone = (plan: Plan | undefined) => plan?.kind === 'invoke' && plan.writes;
  const open = plans.slice(0, index).filter((plan, before) => plan.kind !== 'done' && !isOver(before));
  return isAlone(plans[index]) ? open.length > 0 : open.some(isAlone);
}

/** Ask the person for whom the tree works, and wait for the answer. */
export interface AskPlan extends Hooked {
  kind: 'ask';
  question: string;
  /** Answers to choose from; absent: none. */
  choices?: string[];
}

/** Wait for messages of other agents, or for their ends. */
export interface WaitPlan extends Hooked {
  kind: 'wait';
  seconds: Seconds;
  /** The agents that are waited for, each until it has written or ended; absent: the first message of any agent. */
  from?: string[];
}

/** An agent's rights to delegate. */
export interface DelegationLimits {
  subAgents: string[];
  /** Agents of others that may be called like sub-agents; absent: none. */
  remotes?: string[];
  /** Of the agent itself. */
  depth: number;
  /** Of the whole tree: the root's. */
  maxDepth: number;
  parallel: boolean;
  /** For each sub-agent; 0: all that is left. */
  timeout: Seconds;
  /** Which tools derive sub-agents from the agent, as its file has them; absent: none. */
  ways?: string[];
  /** Whether calls of sub-agents may, or always do, have them go on beside the agent; absent: it waits for each. */
  background?: true | 'always';
  /** Those of the sub-agents that are leaves and may run in Express executions; absent: none. */
  express?: string[];
  /** Models that a derived sub-agent may have. */
  models?: string[];
  /** The properties of copies by `spawn_agent` and `delegate_task`; absent: the agent has neither. */
  spawning?: Spawning;
}

/**
 * The properties of sub-agents that `spawn_agent` and `delegate_task` start, as `[sub_agent]` of the agent's file says.
 */
export interface Spawning {
  /** The deepest level of the tree that they start agents on. */
  maxDepth: number;
  maxConcurrent: number;
  inheritMode: boolean;
  budget: { maxToolCalls: number; maxTokens: number; timeoutMs: number };
  /** Tool calls of the agent itself at which its run ends; none of its sub-agents gets more. 0: no limit. */
  hardStopAt: number;
  /** The model and the tools of the sub-agents, if they are not their caller's: it is computed. */
  model?: string;
  tools?: string[];
}

/** Whether an agent may have others at work beside it. */
export function mayStartBeside({ background, ways }: Pick<DelegationLimits, 'background' | 'ways'>): boolean {
  return background !== undefined || ways?.includes('fork') === true;
}

/** At most this many of a turn's calls are under way at once: what an inline Map does (Step Functions, "Map state"). */
export const PARALLEL_CALLS = 40;

export function callsAtOnce({ parallel }: DelegationLimits): number {
  return parallel ? PARALLEL_CALLS : 1;
}

/** An error result that the model reads and may act on. */
export function refused(text: string): DonePlan {
  return { kind: 'done', text, isError: true };
}
