import { answerQuestion, assertAnswerable } from '../../core/lifecycle/answer-question.ts';
import { ConfigError } from '../../errors.ts';
import { openQuestions } from '../../core/reports/open-questions.ts';
import { readerOf, type KeptRuns } from '../../core/reports/shown-tree.ts';
import { callName } from '../../core/records/call.ts';
import { isRunId } from '../../core/records/run-id.ts';
import type { Runs } from './runs.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';

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
  /** The tool whose call waits for approval, and what it is called with; absent where the agent itself asks. */
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

export async function listQuestions(kept: KeptRuns): Promise<OpenQuestion[]> {
  const open = await openQuestions(readerOf(kept));
  return open.map(({ question: asked, wait }) => {
    const { run, root, agent, turn, call, question, choices = [], approval, askedAt } = asked;
    const expires = wait !== undefined && { expiresAt: new Date(wait.until).toISOString() };
    return { run, root, agent, turn, call, question, choices, ...approval, askedAt, ...expires };
  });
}

/**
 * @param changed arguments with which a call is approved, in place of those that the model wrote
 * @throws as `Cadre.answer` does
 */
export async function giveAnswer(
  { run, turn, call }: Pick<OpenQuestion, 'run' | 'turn' | 'call'>,
  text: string,
  changed: OpenQuestion['arguments'],
  { store, now, wakeAsker }: Runs,
): Promise<void> {
  const question = isRunId(run) ? await store.question({ run, turn, call }) : undefined;
  if (question === undefined) {
    throw new ConfigError(`run "${run}" has no question ${callName({ turn, call })}`);
  }
  assertAnswerable(await store.run(run));
  const ports = { store, tools: loadOwnTools, now, wake: wakeAsker };
  await answerQuestion(question, text, undefined, ports, changed);
}
