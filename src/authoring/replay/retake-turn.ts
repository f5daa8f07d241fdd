import { isDeepStrictEqual } from 'node:util';
import { compactionOf, sentForTurn } from '../../core/turn/messages.ts';
import { takeTurn, type TurnPorts } from '../../core/turn/turn.ts';
import { messageOf, ModelError } from '../../errors.ts';
import type { Model, ModelRequest } from '../../core/model/model.ts';
import type { Message } from '../../core/records/message.ts';
import type { Turn } from '../../core/records/turn.ts';
import { toText, type Difference } from './difference.ts';
import { recordedMemories } from './recorded-context.ts';
import type { RecordedStore } from './recorded-store.ts';
import { askedAt, type RecordedRun } from './recording.ts';
import { turnDifference, type TurnPoint } from './turn-difference.ts';
import { loadOwnTools } from '../../tools/load-own-tools.ts';

/** Makes one turn of a conversation again: its model is sent what there is now, and answers as it did. */
export async function retakeTurn(
  recorded: RecordedRun,
  number: number,
  world: RecordedStore,
): Promise<Difference | undefined> {
  const { run, turns } = recorded;
  const turn = turns[number - 1];
  if (turn === undefined) return undefined;
  const at: TurnPoint = { run: run.id, path: run.path, agent: run.agent, turn: number };
  const before = await sentBefore(recorded, turn, world);
  const made = world.goTo({ recorded, turn: number });
  const { model, sent } = recordedModel(turn, turns.slice(0, number - 1), before);
  const now = askedAt(turn);
  const ports: TurnPorts = {
    store: world.store,
    tools: loadOwnTools,
    models: { open: async (name) => ({ name, model }) },
    memories: recordedMemories(recorded.opened),
    prices: { costOf: () => undefined, tokenPrice: () => undefined },

    now: () => now,
    random: () => 0,
  };
  const input = {
    run: run.id,
    holder: run.holder,
    execution: run.execution,
    turn: number,
    deadline: now + UNLIMITED_MS,
    timeout: run.timeout,
    outcomes: [],
    attempt: 0,
    waits: 0,
  };
  let failure: unknown;
  try {
    await takeTurn(input, ports, new AbortController().signal);
  } catch (thrown) {
    failure = thrown;
  }
  const messages = sent();
  if (messages !== undefined && made.turn !== undefined) {
    return turnDifference(at, recorded, { before, now: messages, turn: made.turn }, world);
  }
  const why = failure === undefined ? (made.exceeded ?? 'it ends before this turn') : messageOf(failure);
  return { at, what: 'whether there is such a turn', recorded: toText(turn.answer.text), now: why };
}

/** Deadlines are times of a day that is over. */
const UNLIMITED_MS = 86_400_000;

/** The messages that were sent then. */
async function sentBefore({ opened, turns }: RecordedRun, turn: Turn, { recorded }: RecordedStore) {
  if (opened === undefined) return [];
  return (await sentForTurn(turn.number, opened, turns, recorded)).messages;
}

/** How often a prompt may be refused for its length. */
const MAX_REFUSALS = 10;

/**
 * A model that answers as it did then; and that refuses prompts for their length as it did then, until one is as short
 * as the one that it took.
 */
function recordedModel(
  turn: Turn,
  earlier: readonly Turn[],
  before: readonly Message[],
): { model: Model; sent: () => Message[] | undefined } {
  const { compaction } = turn;
  let refusals = compaction?.window !== compactionOf(earlier)?.window ? MAX_REFUSALS : 0;
  let sent: ModelRequest | undefined;
  const model: Model = {
    async send(request) {
      sent = request;
      if (refusals > 0 && !isDeepStrictEqual(request.messages, before)) {
        refusals -= 1;
        throw new ModelError('bad_request', 'prompt is too long');
      }
      return turn.answer;
    },
  };
  return { model, sent: () => sent?.messages };
}
