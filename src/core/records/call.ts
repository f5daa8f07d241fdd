import { type Instant, type Seconds } from './times.ts';
import type { WithAttachments } from './attachment.ts';
import type { ToolParameters } from './message.ts';

/** Which call of which turn of a run: turns and calls count from 1; call 0 stands for the turn's text. */
export interface CallKey {
  run: string;
  turn: number;
  call: number;
}

/** The name of a call, and of its question to a person, within its run: `t2c1`. */
export function callName({ turn, call }: Pick<CallKey, 'turn' | 'call'>): string {
  return `t${turn}c${call}`;
}

/** @returns undefined if the text is no such name */
export function parseCallName(name: string): Pick<CallKey, 'turn' | 'call'> | undefined {
  const [, turn, call] = /^t([1-9]\d{0,3})c(0|[1-9]\d{0,3})$/.exec(name) ?? [];
  return turn === undefined || call === undefined ? undefined : { turn: Number(turn), call: Number(call) };
}

/** The result of a call that a function carried out. Written once, before the machine goes on. */
export interface CallResult extends WithAttachments {
  /** For the model. */
  text: string;
  isError: boolean;
  /** As in `ToolResult`. */
  whole?: string;
  /** As in `ToolResult`. */
  skill?: string;
  /** Why it failed, if it did. */
  failure?: CallFailure;
  /** ISO 8601, UTC. */
  startedAt: string;
  durationMs: number;
  /** Its price, in billionths of a dollar; absent: it cost nothing. */
  nanoUsd?: number;
  /** Paths in the workspace; absent: none. */
  filesRead?: string[];
  filesModified?: string[];
}

/** `refused`: the tool, or its target, refused the call in a way that the model can react to. */
export const CALL_FAILURES = ['refused', 'permission_denied', 'timeout', 'outcome_unknown', 'fault'] as const;
export type CallFailure = (typeof CALL_FAILURES)[number];

/**
 * Marks a call as begun. If no result follows, nobody knows whether the call took place. A fresh mark is waited for,
 * since the process that left it may still be at work.
 */
export interface CallMark {
  /** The invocation that began it. */
  by: string;
  /** When that was; absent in what earlier versions wrote. */
  at?: Instant;
  /** When that invocation ends at the latest. */
  until: Instant;
}

/**
 * The function or server that carries out the calls of a tool that is not built in, and the facts that planning them
 * requires.
 */
export type ToolTarget = FunctionTarget | ServerTarget;

/** A function of the user's own, as `[[functions]]` of the agent's file has it. */
export interface FunctionTarget {
  kind: 'function';
  /** A Lambda function, by name or ARN; or a module. */
  source: { function: string } | ModuleSource;
  seconds: Seconds;
  isRepeatable: boolean;
  writes: boolean;
}

/** A module of the project. */
export interface ModuleSource {
  /** Relative to the folder that contains agents/. */
  file: string;
  /** Variables that it is given, in which `${NAME}` stands for a secret; absent: none. */
  env?: Record<string, string>;
}

/** A tool of a server, one of the `servers` that the run was opened with. */
export interface ServerTarget {
  kind: 'mcp';
  server: string;
  /** The server's own name for the tool. */
  tool: string;
  /** As in `ServerTool`. */
  mirrored?: ToolParameters;
  seconds: Seconds;
  isRepeatable: boolean;
  writes: boolean;
}

/** The rules of an agent's file for its tools. */
export interface ToolRules {
  /** Decides about calls that no rule matches. */
  mode: 'auto' | 'ask' | 'plan';
  /** Each list as it is written: `read_file`, `run_command(git diff *)`. */
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
  /** Calls that a person would have to approve are refused: no person is asked. */
  isSilent?: true;
  /** Hosts that it may fetch from. */
  allowedHosts: readonly string[];
  /** What its commands are isolated in; absent: nothing. */
  sandbox?: Sandbox;
}

/** The isolation of commands: they reach the workdir and programs, and nothing else. */
export interface Sandbox {
  network: boolean;
  /** The container image whose programs commands have in an account; absent: those of Lambda's own runtime. */
  image?: string;
}
