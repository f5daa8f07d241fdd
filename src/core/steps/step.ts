import type { Instant, Seconds, TreeInstant } from '../records/times.ts';

/**
 * The machine's input for one call, the input of one iteration of `Act`: references, never texts. All steps of a turn
 * together stay under 40 KB for 100 calls, and a single one under 4 KB, however long the texts are.
 */
export type Step = DelegateStep | InvokeStep | AskStep;

/** How long a state waits, for a person or for other agents. */
export interface Waiting {
  /** When it stops waiting at the latest. */
  deadline: Instant;
  /** How long it waits. */
  timeout: Seconds;
}

/** Asks a person first, and does what it is there for only if that person approves. */
interface GatedStep {
  gate?: true;
  /** Set with the gate. */
  wait?: Waiting;
}

/** A sub-agent, which is waited for, in a Standard or an Express execution, or a fork, which is not. */
export interface DelegateStep extends GatedStep {
  kind: 'delegate' | 'express' | 'start';
  /** Which call of the turn, from 1. */
  call: number;
  /** The run that the nested execution carries. */
  run: string;
  /** Which execution of that run it is: its name and its right to carry the run follow from it. */
  holder: number;
  agent: string;
  /** The beginning of the task, for people who look at the console. */
  task: string;
  depth: number;
  /** When the sub-agent must be done. */
  deadline: TreeInstant;
  /** How long it may take from its start. */
  timeout: Seconds;
}

/** A call that a function carries out: the one that reaches other agents, or the one for everything else. */
export interface InvokeStep extends GatedStep {
  kind: 'control' | 'invoke';
  /** Which call of the turn, from 1. */
  call: number;
  tool: string;
  /** The beginning of what it is about, for people who look at the console. */
  subject: string;
  /** How long it may take from its start. */
  timeout: Seconds;
}

/** A question to a person, or a wait for other agents. */
export interface AskStep {
  kind: 'ask';
  /** Which call of the turn, from 1. */
  call: number;
  tool: string;
  /** The beginning of the question, or the awaited agents, for people who look at the console. */
  subject: string;
  wait: Waiting;
}
