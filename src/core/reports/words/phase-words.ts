import type { RunOverview } from '../run-schemas.ts';

/** A run as people see it: `asking` a person; `waiting`, because its model's API asked for patience. */
export type ShownPhase = RunOverview['status'] | 'asking' | 'waiting' | 'killed';

/** How a phase looks. */
export interface PhaseLook {
  /** For those who see no colours. */
  symbol: string;
  word: string;
  /** What its colour says. */
  tone: 'good' | 'bad' | 'attention' | 'quiet' | 'work';
}

/** The one list of symbols and words for the state of a run, on the page and on terminals. */
export const PHASES: Readonly<Record<ShownPhase, PhaseLook>> = {
  running: { symbol: '▸', word: 'running', tone: 'work' },
  asking: { symbol: '●', word: 'asking', tone: 'attention' },
  waiting: { symbol: '…', word: 'waiting', tone: 'work' },
  idle: { symbol: '◦', word: 'idle', tone: 'quiet' },
  succeeded: { symbol: '✓', word: 'succeeded', tone: 'good' },
  budget_exceeded: { symbol: '$', word: 'budget exceeded', tone: 'attention' },
  failed: { symbol: '✗', word: 'failed', tone: 'bad' },
  timed_out: { symbol: '✗', word: 'timed out', tone: 'bad' },
  stopped: { symbol: '■', word: 'stopped', tone: 'quiet' },
  killed: { symbol: '■', word: 'killed', tone: 'quiet' },
  interrupted: { symbol: '?', word: 'interrupted', tone: 'bad' },
};

/** Who did something, in words for a reader who may be that person. @param you the reader, as records name them */
export function whoWords(by: string, you: string | undefined): string {
  return by === you ? 'you' : by;
}
