import { isAboutTool } from './hooked-tool.ts';
import type { CallResult, FunctionTarget } from './call.ts';
import type { ToolResult } from './message.ts';
import type { Json } from '../../json.ts';
import type { Seconds } from './times.ts';

/** When hooks are asked. */
export const HOOK_POINTS = ['before_call', 'after_call', 'before_answer'] as const;
export type HookPoint = (typeof HOOK_POINTS)[number];

/** A function of the user's own that is asked before something happens. */
export interface Hook {
  on: HookPoint;
  /** Its name in messages and records: that of its function, or its module's path. */
  name: string;
  /** The tools that it is asked about, in which `*` stands for any text; absent: all. */
  tools?: readonly string[];
  /** What it is called by, as with `FunctionCall`. */
  function: string;
  source: FunctionTarget['source'];
  /** The longest that it may take, after which it denies. */
  seconds: Seconds;
}

export const HOOK_WORDS = ['allow', 'deny', 'replace', 'ask'] as const;

/** What a hook decided. Written once, before anything that it is about happens. */
export interface HookDecision {
  /** Its name. */
  hook: string;
  on: HookPoint;
  /** `ask`: a person decides. */
  decision: (typeof HOOK_WORDS)[number];
  /** In the hook's words. */
  reason?: string;
  /** Why the call was denied, if the hook came to no decision, in words for people. */
  fault?: string;
  /** What stands in place of the call's own, if it replaces them. */
  arguments?: Record<string, Json>;
  /** The same of the call's result. */
  result?: string;
  /** The same of the answer. */
  text?: string;
  /** ISO 8601, UTC. */
  at: string;
  durationMs: number;
}

/** Which decision it is: of which hook, and about what. */
export interface DecisionKey {
  run: string;
  turn: number;
  /** From 1; 0: about the text of the turn. */
  call: number;
  /** Which of the conversation's hooks, from 0. */
  hook: number;
  /** Whether it is about the arguments with which a person approved the call, and not the model's. */
  isEdited?: boolean;
}

/** A decision with its key. */
export interface KeptDecision extends Omit<DecisionKey, 'run'> {
  decided: HookDecision;
}

/** The result of a call that no model is shown before hooks have decided about it. */
export type WithheldResult = CallResult & Pick<ToolResult, 'spawned'>;

/** What hooks are asked about: a call before or after it is made, or a turn's text. */
export interface HookSubject {
  on: HookPoint;
  /** "" for a text. */
  tool: string;
  /** From 1; 0: the text of the turn. */
  call: number;
  isEdited: boolean;
}

/** The hooks that are asked about something, by their numbers in the conversation. */
export function hooksAbout(
  { on, tool }: Pick<HookSubject, 'on' | 'tool'>,
  hooks: readonly Hook[],
): [number, Hook][] {
  return [...hooks.entries()].filter(
    ([, hook]) => hook.on === on && (on === 'before_answer' || isAboutTool(hook, tool)),
  );
}

/** How far hooks have decided about something. */
export interface Decided {
  /** Hooks that are still to be asked, with their numbers, in order; none after a denial. */
  open: [number, Hook][];
  denied: HookDecision | undefined;
  /** Whether one of them wants a person to decide. */
  isAsked: boolean;
  /** The last one that replaced anything. */
  replaced: HookDecision | undefined;
}

/**
 * How far hooks have decided about something.
 * @param decisions of the turn
 */
export function decidedOf(
  asked: HookSubject,
  hooks: readonly Hook[] | undefined,
  decisions: readonly KeptDecision[],
): Decided {
  const about = hooksAbout(asked, hooks ?? []);
  const find = (hook: number, isEdited: boolean) =>
    decisions.find(
      (one) => one.call === asked.call && one.hook === hook && (one.isEdited ?? false) === isEdited,
    )?.decided;
  const made = about.flatMap(([hook]) => find(hook, asked.isEdited) ?? []);
  const denied = made.find(({ decision }) => decision === 'deny');
  return {
    open: denied === undefined ? about.filter(([hook]) => find(hook, asked.isEdited) === undefined) : [],
    denied,
    // A person who has changed the arguments has been asked.
    isAsked: about.some(([hook]) => find(hook, false)?.decision === 'ask'),
    replaced: made.findLast(({ decision }) => decision === 'replace'),
  };
}

/** A denial as the model reads it. @param what the tool's name */
export function hookDenial(
  what: string,
  { hook, reason, fault }: Pick<HookDecision, 'fault' | 'hook' | 'reason'>,
): string {
  const why = fault === undefined ? (reason ?? 'it gave no reason') : 'it failed';
  return `Permission denied: hook ${JSON.stringify(hook)} denied ${what}: ${why}`;
}

/** What replaces a result once hooks have decided about it; undefined if they left it as it is. */
export function resultAfter(
  tool: string,
  { denied, replaced }: Decided,
): Pick<CallResult, 'text' | 'isError' | 'failure'> | undefined {
  if (denied !== undefined) {
    return { text: hookDenial(tool, denied), isError: true, failure: 'permission_denied' };
  }
  return replaced?.result === undefined ? undefined : { text: replaced.result, isError: false };
}
