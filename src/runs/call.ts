import type { ToolParameters } from './message.ts';

/** Which call of which turn of a run: turns and calls count from 1. */
export interface CallKey {
  run: string;
  turn: number;
  call: number;
}

/** What a call came to that a function carried out. Written once, before the machine goes on. */
export interface CallResult {
  /** For the model. */
  text: string;
  isError: boolean;
  /** Why it failed, where it did. */
  failure?: CallFailure;
  /** ISO 8601, UTC. */
  startedAt: string;
  durationMs: number;
  /** Paths in the workspace; absent: none. */
  filesRead?: string[];
  filesModified?: string[];
}

/** `refused`: the tool, or what it works on, said no, and the model can do something about it. */
export type CallFailure = 'refused' | 'permission_denied' | 'timeout' | 'outcome_unknown' | 'fault';

/**
 * That a call was begun. Where no result follows, whoever comes next cannot tell whether it took place.
 * A fresh mark is waited for: whoever left it may be at work still.
 */
export interface CallMark {
  /** The invocation that began it. */
  by: string;
  /** When that invocation ends at the latest, in milliseconds since 1970. */
  until: number;
}

/** Who carries out the calls of a tool that is not built in, and what planning them needs to know. */
export type ToolTarget = FunctionTarget | ServerTarget;

/** A function of the user's own, as `[[functions]]` of the agent's file has it. */
export interface FunctionTarget {
  kind: 'function';
  /** A Lambda function, by name or ARN; or a module, by its path below the folder that contains agents/. */
  source: { function: string } | { file: string };
  seconds: number;
  isRepeatable: boolean;
  writes: boolean;
}

/** A tool of a server, which is among the `servers` of what the run was opened with. */
export interface ServerTarget {
  kind: 'mcp';
  server: string;
  /** The server's own name for the tool. */
  tool: string;
  /** As in `ServerTool`. */
  mirrored?: ToolParameters;
  seconds: number;
  isRepeatable: boolean;
  writes: boolean;
}

/** What an agent may do with its tools, as its file has it. */
export interface ToolRules {
  /** What is allowed that no rule names. */
  mode: 'auto' | 'ask' | 'plan';
  /** Each list as it is written: `read_file`, `run_command(git diff *)`. */
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
  /** Hosts that it may fetch from. */
  allowedHosts: readonly string[];
}
