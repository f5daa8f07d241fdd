import { withOutputSchema } from '../agent-schema/output-prompt.ts';
import { offTreeClock, timeBetween, type After, type Instant } from '../records/times.ts';
import { countedByProvider } from '../spending/count.ts';
import type { Delta, Model, ModelRequest, Models } from '../model/model.ts';
import { pausedAt } from '../records/clock.ts';
import { untilDeadline } from '../records/deadline.ts';
import { identityOf } from '../events/event.ts';
import type { MailNews } from '../records/mail.ts';
import type { FirstMessages } from './messages.ts';
import type { Message, ModelResponse } from '../records/message.ts';
import { isWithheld, temperatureOf, type Opened } from '../records/opened.ts';
import type { RunStore } from '../records/ports.ts';
import type { Span } from '../records/spans.ts';
import type { Turn } from '../records/turn.ts';
import type { WatchedAnswer, LivePorts } from './begun-answer.ts';
import type { Refused } from './make-room.ts';
import { untilQuiet } from './sign-of-life.ts';
import type { Account, SpendingPorts } from '../spending/spending.ts';
import type { TimedTurnInput } from './turn-input.ts';
import { shortageWait, type Resting, type TurnWait, type WaitPorts } from './wait.ts';
import type { Loaded } from './load-turn.ts';
import { defined } from '../../defined.ts';
import { loadOnce } from '../../load-once.ts';

export interface AskPorts extends SpendingPorts, WaitPorts, LivePorts {
  store: RunStore;
  models: Models;
  now: () => Instant;
  /** Has the time that a model may take pass; absent: the system's timers. */
  after?: After | undefined;
}

/** A conversation up to the moment at which its model is asked again. */
export interface ConversationSoFar extends Account {
  turns: readonly Turn[];
  loaded: Loaded;
  /** The messages before its own turns. */
  first: FirstMessages;
  /** The messages that it is sent now. */
  received: Message[];
  /** As in `Turn`; []: nothing. */
  waited: Span[];
  /** The part that comes from its mailbox. */
  news: MailNews;
  /** Set if the model must not be asked for now. */
  resting: Resting | undefined;
  /** The time until which clients watch the tree, in milliseconds since 1970. */
  watchedUntil: number;
}

/** Why there is no answer: a limit, a wait, a prompt that is too long, or a turn that was made meanwhile. */
export type NotAnswered = NotReserved | { refused: Refused };

/** The same before its model is asked. */
export type NotReserved = { exceeded: string } | TurnWait | { made: Turn };

/** The needs of any call of the model. */
export interface ModelCall {
  input: TimedTurnInput;
  conversation: ConversationSoFar;
  ports: AskPorts;
  signal: AbortSignal;
  model: Model;
  /** Without the provider. */
  name: string;
}

/** An answer of a model, which is still to be charged to the account. */
export interface Answered {
  answer: ModelResponse;
  account: Account;
  sentAt: Instant;
}

/** The content that the model is sent. */
export interface Prompt extends Pick<
  ModelRequest,
  'system' | 'messages' | 'tools' | 'maxTokens' | 'outputSchema' | 'showing'
> {
  /** An estimate of its tokens. */
  tokens: number;
}

/**
 * Makes one call of the model: reserves what it can cost and settles that if it fails.
 * @param turns those whose prompts begin like this one
 * @param onSend called when it is certain that the model is asked, with the time; returns the answer's followers
 * @returns the answer, which is still to be charged
 */
export async function sendPrompt(
  prompt: Prompt,
  turns: readonly Turn[],
  asking: ModelCall,
  onSend: (at: number) => WatchedAnswer | undefined,
): Promise<Answered | NotAnswered> {
  const { input, conversation, ports, signal, model } = asking;
  const { run, opened } = conversation;
  const { store, now } = ports;
  const request = toModelRequest(prompt, asking);
  const reserved = await reserveFor(request, turns, conversation, asking);
  if (!('maxTokens' in reserved)) return reserved;
  const { account } = reserved;
  const sentAt = now();
  const begun = onSend(sentAt);
  const allowed = {
    until: input.until,
    seconds: input.timeout,
    now: sentAt,
    after: ports.after,
    ...(input.patience > 0 && {
      left: async () =>
        timeBetween(now(), offTreeClock(input.deadline, pausedAt(await store.clock(run.id), now()))),
    }),
  };
  let isSent = false;
  try {
    const answer = await untilDeadline(allowed, signal, (untilThen) => {
      isSent = true;
      const send = (untilEither: AbortSignal, alive: () => void) => {
        const onDelta = (delta: Delta) => {
          alive();
          if (!isWithheld(opened)) begun?.hear(delta);
        };
        return model.send({ ...request, maxTokens: reserved.maxTokens }, untilEither, onDelta);
      };
      return untilQuiet(opened.quietSeconds, untilThen, send, ports.after);
    });
    await begun?.written();
    return { answer, account, sentAt };
  } catch (thrown) {
    await begun?.unanswered();
    const { afterFailure } = await import('./after-failure.ts');
    return afterFailure(thrown, isSent, prompt.tokens, account, asking);
  }
}

/** Tells watchers of a wait. */
export function waiting(wait: TurnWait, reason: string, { conversation, ports }: ModelCall): TurnWait {
  const { run, turns } = conversation;
  const delayMs = Date.parse(wait.until) - ports.now();
  ports.live?.tell({ type: 'turn_waiting', ...identityOf(run), turn: turns.length + 1, delayMs, reason });
  return wait;
}

/** What a conversation is sent, with the messages that are. @param room for the answer in tokens; 0: no limit */
export function promptOf(
  { system, tools, output }: Pick<Opened, 'output' | 'system' | 'tools'>,
  messages: Message[],
  room: number,
): Omit<Prompt, 'showing' | 'tokens'> {
  return {
    system: withOutputSchema(system, output?.schema),
    messages,
    tools,
    maxTokens: room,
    ...(output !== undefined && { outputSchema: output.parameters }),
  };
}

/** The request for a prompt of a conversation. */
export function toModelRequest(
  prompt: Omit<Prompt, 'tokens'>,
  { conversation: { opened }, name }: Pick<ModelCall, 'conversation' | 'name'>,
): ModelRequest {
  return {
    model: name,
    system: prompt.system,
    messages: prompt.messages,
    tools: prompt.tools,
    maxTokens: prompt.maxTokens,
    ...defined({
      temperature: temperatureOf(opened),
      reasoningEffort: opened.reasoningEffort,
      api: opened.api,
      // What goes into a batch says so itself.
      service: opened.service === 'batch' ? undefined : opened.service,
      guardrail: opened.guardrail,
    }),
    ...(opened.stream === false && { stream: false }),
    ...defined({ outputSchema: prompt.outputSchema, showing: prompt.showing }),
  };
}

const loadReserve = loadOnce(() => import('../spending/reserve.ts'));

/**
 * Reserves the most that a request can cost.
 * @param turns those whose prompts begin like this one
 * @returns how long the answer may be, and the account with what is reserved; or why the model is not asked
 */
export async function reserveFor(
  request: ModelRequest,
  turns: readonly Turn[],
  given: Account,
  asking: ModelCall,
): Promise<{ maxTokens: number; account: Account } | NotReserved> {
  const { input, conversation, ports, signal, model } = asking;
  const { run, opened } = conversation;
  const { store } = ports;
  if (opened.budget === undefined) return { maxTokens: request.maxTokens, account: given };
  const number = conversation.turns.length + 1;
  const count = () => countedByProvider(model, request, signal);
  const { reserveTurn } = await loadReserve();
  const reserved = await reserveTurn(given, number, request, turns, ports, count);
  if ('exceeded' in reserved) {
    const wait = reserved.isReserved ? shortageWait(input, ports) : undefined;
    return wait === undefined ? reserved : waiting(wait, 'budget', asking);
  }
  const { maxTokens, ledger, isBegun } = reserved;
  const account = { ...given, ledger };
  // Another invocation has begun this turn, and may have finished it after all.
  const there = isBegun ? await store.turn(run.id, number) : undefined;
  if (there === undefined) return { maxTokens, account };
  const { returnReservation } = await import('../spending/spending.ts');
  await returnReservation(account, store);
  return { made: there };
}
