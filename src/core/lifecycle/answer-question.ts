import type { Instant } from '../records/times.ts';
import { ConfigError } from '../../errors.ts';
import type { Wake } from '../machine/wake.ts';
import { callName, type CallKey } from '../records/call.ts';
import { isApproved, parseDecision } from '../records/approval.ts';
import type { ToolCall } from '../records/message.ts';
import type { Questions, RunStore } from '../records/ports.ts';
import { preview } from '../records/preview.ts';
import { MAX_ANSWER_CHARACTERS, type Answer, type Question } from '../records/question.ts';
import { phaseOf } from '../records/phase.ts';
import type { Run } from '../records/run.ts';
import { keepStanding } from '../records/standing-approval.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import type { WrongArgument } from '../turn/changed-arguments.ts';
import { defined } from '../../defined.ts';

export interface AnswerPorts {
  store: Questions & Pick<RunStore, 'opened' | 'turn'>;
  tools: LoadOwnTools;
  now: () => Instant;
  /** Wakes the agent that waits for the answer, which has been stored before. */
  wake(question: Question): Promise<void>;
}

/** A person's answer. */
export interface PersonsAnswer {
  text: string;
  /** The arguments with which a call is approved, instead of those that the model wrote. */
  arguments?: ToolCall['arguments'] | undefined;
}

/** The arguments with which a call is approved do not fit the tool's parameters. */
export class WrongArgumentsError extends ConfigError {
  constructor(
    message: string,
    readonly faults: readonly WrongArgument[],
  ) {
    super(message);
  }
}

/** Another answer was quicker, the time for an answer is over, or the agent was killed. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError';
}

/**
 * Doors call this first with the record of the run that asks, which some of them have read anyway.
 * @throws {AnsweredError} if nothing reaches the run any more
 */
export function assertAnswerable(run: Run | undefined): void {
  if (run === undefined || phaseOf(run) !== 'killed') return;
  throw new AnsweredError(`run "${run.id}" was killed; nothing reaches it any more`);
}

/**
 * Answers a question: the first answer wins. The same answer of the same person is taken as often as it comes, since
 * the response to the first may have been lost.
 * @param by the person who answers, if known
 * @param changed arguments with which a call is approved, in place of those that the model wrote
 * @throws {AnsweredError} if it was answered otherwise, or its time is over
 * @throws {ConfigError} if the answer is empty or too long, or an approval is asked for and the answer is something
 * else
 */
export async function answerQuestion(
  question: Question,
  text: string,
  by: string | undefined,
  { store, tools, now, wake }: AnswerPorts,
  changed?: ToolCall['arguments'],
): Promise<Answer> {
  const given = text.trim();
  if (given === '') throw new ConfigError('the answer is empty');
  if (given.length > MAX_ANSWER_CHARACTERS) {
    throw new ConfigError(
      `the answer has ${given.length} characters; at most ${MAX_ANSWER_CHARACTERS} are allowed`,
    );
  }
  const decided = decisionIn(question, given, changed);
  if (changed !== undefined) {
    // Loaded late: most answers change nothing, and answering alone needs no tools.
    const { checkChanges } = await import('./check-changes.ts');
    await checkChanges(question, changed, { store, tools });
  }
  const answer: Answer = {
    text: given,
    ...decided,
    ...defined({ arguments: changed, by }),
    at: new Date(now()).toISOString(),
  };
  const kept = await store.saveAnswer(question, answer);
  if (question.approval !== undefined) await keepStanding(question.run, question.approval.tool, kept, store);
  // Woken even if another answer was quicker: its process may have died in between.
  await wake(question);
  const isSame = JSON.stringify(kept.arguments) === JSON.stringify(changed);
  if (isSame && kept.text === answer.text && kept.by === by) return kept;
  const what = `question ${callName(question)} of run "${question.run}"`;
  if (kept.text === undefined) throw new AnsweredError(`the time to answer ${what} is over`);
  throw new AnsweredError(`${what} was answered already${kept.by === undefined ? '' : ` by ${kept.by}`}`);
}

/** @throws {ConfigError} if a call waits for a decision and this is not one */
function decisionIn(
  { approval, choices }: Question,
  given: string,
  changed: ToolCall['arguments'] | undefined,
): Pick<Answer, 'decision' | 'reason'> {
  if (approval === undefined) {
    if (changed === undefined) return {};
    throw new ConfigError('arguments can only be given with the approval of a call');
  }
  const decided = parseDecision(given);
  if (decided === undefined) {
    const shown = JSON.stringify(preview(given));
    throw new ConfigError(
      `the answer to an approval is approve, always, or deny with a reason, not ${shown}`,
    );
  }
  if (choices?.includes(decided.decision) === false) {
    throw new ConfigError(
      `the answer is approve, or deny with a reason, not "${decided.decision}": the hook asks each time anew`,
    );
  }
  if (changed !== undefined && decided.decision === 'deny') {
    throw new ConfigError('a call that is denied takes no arguments');
  }
  return decided;
}

/** Wakes the execution that waits for an answer by its token, whichever of those that were left that is. */
export async function wakeAsker(at: CallKey, store: Questions, wake: Wake): Promise<void> {
  const [wait, answer] = await Promise.all([store.answerWait(at), store.answer(at)]);
  if (wait === undefined) return;
  for (const token of [wait.token, ...(wait.earlier ?? [])])
    await wake(token, { approved: isApproved(answer) });
}
