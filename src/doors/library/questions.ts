import { openQuestions } from '../../core/reports/open-questions.ts';
import type { RunReader } from '../../core/records/ports.ts';

/** An agent's open question to a person. */
export interface OpenQuestion {
  /** The run that asks, and the run at the top of its tree. */
  run: string;
  root: string;
  agent: string;
  /** The call that asks. Turns and calls count from 1. */
  turn: number;
  call: number;
  question: string;
  /** The tool whose call waits for approval, and the call's arguments; absent if the agent itself asks. */
  tool?: string;
  /** Long texts are cut. */
  arguments?: Record<string, unknown>;
  /** Answers to choose from; any other text is an answer too. */
  choices: string[];
  /** ISO 8601, UTC. */
  askedAt: string;
  /** ISO 8601, UTC; absent while the run has no carrier. */
  expiresAt?: string;
}

export async function listQuestions(records: RunReader): Promise<OpenQuestion[]> {
  const open = await openQuestions(records);
  return open.map(({ question: asked, wait }) => {
    const { run, root, agent, turn, call, question, choices = [], approval, askedAt } = asked;
    const expires = wait !== undefined && { expiresAt: new Date(wait.until).toISOString() };
    return { run, root, agent, turn, call, question, choices, ...approval, askedAt, ...expires };
  });
}
