import { nameInArn } from '../../arn.ts';
import { defined } from '../../defined.ts';
import { loadOnce } from '../../load-once.ts';
import { costOfCalls } from '../records/message.ts';
import { mayStartBeside } from '../records/plan.ts';
import { MAX_RUNS_PER_TREE, type Run } from '../records/run.ts';
import type { SentTurn, Turn } from '../records/turn.ts';
import type { Charged } from '../spending/charge.ts';
import { plansOfExecution, withinHistory } from '../steps/history.ts';
import { startedRuns, withinTree } from '../steps/tree.ts';
import { planCalls } from '../tool-contracts/plan-calls.ts';
import { toMessages } from './messages.ts';
import type { Answered, ConversationSoFar, ModelCall } from './send-prompt.ts';
import type { CheckedAnswer } from './structured-answer.ts';

/**
 * The room for the next answer in tokens, as far as the conversation has limits of its own; 0: there is no limit.
 * @returns or which limit has been reached, in words
 */
export function roomIn({
  opened,
  turns,
  loaded,
  received,
}: ConversationSoFar): number | { exceeded: string } {
  const { caps, maxTokens } = opened;
  return (caps && loaded.caps?.roomForAnswer(caps, turns, received, maxTokens)) ?? maxTokens;
}

/**
 * Makes a turn of a model's answer: checks it, plans its calls, and charges it.
 * @param room for the answer, as it was asked for
 * @returns the turn, which is not saved yet
 */
export async function turnOf(
  { answer: given, account, sentAt }: Answered,
  sent: SentTurn,
  room: number,
  { input, conversation, ports }: Pick<ModelCall, 'conversation' | 'input' | 'ports'>,
): Promise<Turn> {
  const { run, opened, turns, loaded, first, received } = conversation;
  const { output, caps, maxTokens } = opened;
  const at = ports.now();
  const { answer, faults: found }: CheckedAnswer = (output &&
    loaded.output?.checkAnswer(given, output.schema)) ?? { answer: given };
  // An answer that is not the last may be a word in between.
  const isInBetween = found !== undefined && found.length > 0 && mayStartBeside(opened.delegation);
  const isLast = !isInBetween || !(await (await import('./ends.ts')).isAnyBeside(run, ports.store));
  const faults = isLast ? found : undefined;
  const ofAnswer = ports.prices.costOf(opened.model, answer.usage);
  // Calls are paid for with the turn that is told of them.
  const nanoUsd = ofAnswer === undefined ? undefined : ofAnswer + costOfCalls(sent.received);
  const paid = {
    ...sent,
    answer,
    ...defined({ faults, nanoUsd }),
  };
  const tools =
    loaded.skills?.inUse(loaded.tools, opened, toMessages(first.messages, turns, received)) ?? loaded.tools;
  const asked = await planCalls(answer.calls, opened, tools);
  const plans = withinHistory(asked, plansOfExecution(run, turns));
  const capped = caps && loaded.caps?.limitAtAnswer(caps, turns, answer, room, maxTokens);
  const started = startedRuns(plans, { run, turn: sent.number });
  const begun = capped === undefined ? [...started.values()] : [];
  // Charged before it is saved: the answer has to be paid for even if saving fails.
  const isFree = opened.budget === undefined && begun.length === 0;
  const { granted, exceeded = capped }: Charged = isFree
    ? { granted: 0 }
    : await (await loadCharge()).chargeTurn(account, paid, begun, ports);
  return {
    ...paid,
    plans: withinTree(plans, started, granted, MAX_RUNS_PER_TREE),
    at: new Date(at).toISOString(),
    latencyMs: at - sentAt,
    ...(input.attempt > 0 && { retries: input.attempt }),
    ...defined({ exceeded }),
  };
}

const loadCharge = loadOnce(() => import('../spending/charge.ts'));

/** The name of the execution that carries a run; undefined for its first, which is called as the run is. */
export function laterExecution({ id, execution }: Run): string | undefined {
  const name = nameInArn(execution);
  return name === id ? undefined : name;
}
