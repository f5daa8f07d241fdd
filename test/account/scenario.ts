import type { Allowance } from '../../src/core/records/amounts.ts';

/** How the runs of one level behave; the top's is the first. */
export interface Level {
  /** Calls of each turn but the last, at most. */
  calls: number;
  turns: number;
  parallel: boolean;
}

/** How often things happen, from 0 to 1. */
export interface Chances {
  /** A function dies at an operation of the store, before or after it took effect. */
  death: number;
  /** A function dies when its model's answer arrives. */
  deathAtAnswer: number;
  /** The store is asked too much. */
  throttle: number;
  /** A function is called twice. */
  duplicate: number;
  /** An answer cannot be used. */
  unusable: number;
  /** A caller does not wait for its sub-agent, which goes on. */
  impatience: number;
}
export const NO_FAULTS: Chances = {
  death: 0,
  deathAtAnswer: 0,
  throttle: 0,
  duplicate: 0,
  unusable: 0,
  impatience: 0,
};

export interface Scenario {
  budget: Allowance;
  levels: readonly Level[];
  chances: Chances;
  /** The tree is stopped, and resumed, after so many answers each. */
  stops: readonly number[];
  /** It is not resumed after the last of them. */
  isLeftStopped?: boolean;
  /** The agent whose model's API always fails. */
  failing?: string;
  /** The fault of one operation of the store, counted from 0. */
  fault?: { at: number; what: 'dies before it' | 'dies after it' | 'is throttled' };
  seed: number;
  maxTokens?: number;
  /** 1: answers of all lengths; more: most of them short, and few long. */
  evenness: number;
  /** Of models: how many ticks an answer takes at most, of which an operation of the store takes two or three. */
  slowness?: number;
}
