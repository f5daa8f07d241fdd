/** What became of an evaluation, as `cadre eval --json` has it. */
export interface Evaluated {
  /** Relative to the project's folder. */
  file: string;
  agent: string;
  /** Whether all thresholds hold. */
  passed: boolean;
  thresholds: {
    variant: string;
    threshold: 'pass' | 'usd' | 'p95_seconds';
    wanted: number;
    /** null: not known, which does not pass. */
    found: number | null;
    passed: boolean;
  }[];
  variants: {
    name: string;
    tries: number;
    /** The mean of the shares of tries that passed, with the interval that contains it with 95 % confidence. */
    pass: { rate: number; low: number; high: number };
    /** For k from 1: the chance that at least one of k tries passes, and that all of them do. */
    pass_at: number[];
    pass_hat: number[];
    /** Dollars; null if a price is not known. */
    usd: number | null;
    /** Of the tries that were played; null if none was. */
    p50_seconds: number | null;
    p95_seconds: number | null;
  }[];
  cases: EvaluatedCase[];
}

export interface EvaluatedCase {
  name: string;
  variant: string;
  /** How many of its tries passed. */
  passed: number;
  tries: {
    /** From 1. */
    repeat: number;
    run_id: string;
    passed: boolean;
    answer: string;
    /** Why there is no whole answer; then nothing else was graded. */
    error?: string;
    grades: {
      /** What was expected, such as `contains "volume 7"`. */
      grader: string;
      passed: boolean;
      /** From 1 to 5 of a judge; what a function returned. */
      score?: number;
      /** Why it failed, or what the grader said. */
      reason?: string;
    }[];
  }[];
}
