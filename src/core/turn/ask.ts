import { nameInArn } from '../../arn.ts';
import { withOutputSchema } from '../agent-schema/output-prompt.ts';
import { MAX_RUNS_PER_TREE } from '../records/run.ts';
import { resultsIn, type Message } from '../records/message.ts';
import { mayStartBeside } from '../records/plan.ts';
import type { Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import { plansOfExecution, withinHistory } from '../steps/history.ts';
import { startedRuns, withinTree } from '../steps/tree.ts';
import { planCalls } from '../tool-contracts/plan-calls.ts';
import type { Charged } from '../spending/charge.ts';
import { beginAnswer } from './begun-answer.ts';
import { toMessages } from './messages.ts';
import { fitWindow } from './fit-window.ts';
import type { Refused } from './make-room.ts';
import { sendPrompt, waiting, type AskPorts, type ConversationSoFar } from './send-prompt.ts';
import type { CheckedAnswer } from './structured-answer.ts';
import type { TimedTurnInput } from './turn-input.ts';
import type { TurnWait } from './wait.ts';
import { defined } from '../../defined.ts';

/**
 * Asks the model for its next answer and plans the calls in it, within what the tree may spend and what the model's
 * window holds.
 * @param refused the prompt for this turn that the API refused for its length, if it did
 * @returns the turn, which is not saved yet, or has been `made` by another; or the limit that stands in its way; or how long to leave the API alone
 * @throws the error of the model's API, if it is not asked again
 */
export async function askModel(
  input: TimedTurnInput,
  conversation: ConversationSoFar,
  ports: AskPorts,
  signal: AbortSignal,
  refused?: Refused,
): Promise<{ turn: Turn } | { made: Turn } | { exceeded: string } | TurnWait> {
  const { run, opened, turns, loaded, first, received, waited, news, resting } = conversation;
  const { now } = ports;
  const { caps, maxTokens } = opened;
  const limits = caps && loaded.caps && { caps, ...loaded.caps };
  const room = limits?.roomForAnswer(limits.caps, turns, received, maxTokens) ?? maxTokens;
  if (typeof room !== 'number') return room;
  const asking = { input, conversation, ports, signal, ...(await ports.models.open(opened.model)) };
  if (resting !== undefined) return waiting(resting.wait, resting.reason, asking);
  const number = turns.length + 1;
  const fitted = await fitWindow(conversation, refused, ports.store, async (wanted, messages) => {
    const { summarise } = await import('./summarise.ts');
    return summarise(wanted, messages, asking);
  });
  const again = (tooLong: Refused) => askModel(input, conversation, ports, signal, tooLong);
  if ('refused' in fitted) return again(fitted.refused);
  if (!('messages' in fitted)) return fitted;
  const { messages, tokens, compaction, showing } = fitted;
  const execution = laterExecution(run);
  const sent = {
    number,
    ...defined({ execution }),
    messages: messages.length,
    received: fitted.received,
    ...(news.ids.length > 0 && { told: news.ids }),
    ...(news.noticed.length > 0 && { noticed: news.noticed }),
    ...defined({ compaction }),
    ...(waited.length > 0 && { waited }),
  };
  const { output } = opened;
  const prompt = {
    system: withOutputSchema(opened.system, output?.schema),
    messages,
    tools: opened.tools,
    maxTokens: room,
    tokens,
    ...(output !== undefined && { outputSchema: output.parameters }),
    ...defined({ showing }),
  };
  // The provider's earlier count no longer holds where something is left out.
  const answered = await sendPrompt(prompt, compaction === undefined ? turns : [], asking, (at) => {
    const begun = {
      turn: number,
      at,
      messages: sent.messages,
      pendingCalls: resultsIn(sent.received).length,
    };
    return beginAnswer(run, begun, conversation.watchedUntil > at, ports);
  });
  if ('refused' in answered) return again(answered.refused);
  if (!('answer' in answered)) return answered;
  const { account, sentAt } = answered;
  const at = now();
  const { answer, faults: found }: CheckedAnswer =
    (output && loaded.output?.checkAnswer(answered.answer, output.schema)) ?? answered;
  // An answer that is not the last may be a word in between.
  const isInBetween = found !== undefined && found.length > 0 && mayStartBeside(opened.delegation);
  const isLast = !isInBetween || !(await (await import('./ends.ts')).isAnyBeside(run, ports.store));
  const faults = isLast ? found : undefined;
  const nanoUsd = withCalls(ports.prices.costOf(opened.model, answer.usage), sent.received);
  const paid = {
    ...sent,
    answer,
    ...defined({ faults, nanoUsd }),
  };
  const tools =
    loaded.skills?.inUse(loaded.tools, opened, toMessages(first.messages, turns, received)) ?? loaded.tools;
  const asked = planCalls(answer.calls, opened, tools);
  const plans = withinHistory(asked, plansOfExecution(run, turns));
  const capped = limits?.limitAtAnswer(limits.caps, turns, answer, room, maxTokens);
  const started = startedRuns(plans, { run, turn: number });
  const begun = capped === undefined ? [...started.values()] : [];
  // Charged before it is saved: the answer has to be paid for even if saving fails.
  const isFree = opened.budget === undefined && begun.length === 0;
  const { granted, exceeded = capped }: Charged = isFree
    ? { granted: 0 }
    : await (await import('../spending/charge.ts')).chargeTurn(account, paid, begun, ports);
  const turn: Turn = {
    ...paid,
    plans: withinTree(plans, started, granted, MAX_RUNS_PER_TREE),
    at: new Date(at).toISOString(),
    latencyMs: at - sentAt,
    ...(input.attempt > 0 && { retries: input.attempt }),
    ...defined({ exceeded }),
  };
  return { turn };
}

/** What an answer and the calls before it cost: they are paid for with the turn that is told of them. */
function withCalls(nanoUsd: number | undefined, received: readonly Message[]): number | undefined {
  if (nanoUsd === undefined) return undefined;
  return resultsIn(received).reduce((sum, result) => sum + (result.nanoUsd ?? 0), nanoUsd);
}

/** The name of the execution that carries a run; undefined for its first, which is called as the run is. */
function laterExecution({ id, execution }: Run): string | undefined {
  const name = nameInArn(execution);
  return name === id ? undefined : name;
}
