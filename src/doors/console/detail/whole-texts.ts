import { wholeTurn } from './conversation-part.ts';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { toTurns, type SaidByUser, type TurnBlock } from './turns.ts';

/** Texts that are cut where they are shown, fetched when a reader wants them. */

export async function wholeAnswer(run: string, turn: number): Promise<string> {
  return (await turnOf(run, turn)).answer.text;
}

/** @param index of the call in its turn, from 0 */
export async function wholeCall(
  run: string,
  turn: number,
  index: number,
): Promise<TurnBlock['calls'][number]> {
  const call = (await turnOf(run, turn)).calls[index];
  if (call === undefined) throw new Error('the server no longer has this call');
  return call;
}

/** @param index of the messages before the turn, from 0 */
export async function wholeSaid(run: string, turn: number, index: number): Promise<string> {
  return (await turnOf(run, turn)).said[index]?.text ?? '';
}

/** @param index of the message before the first turn, from 0 */
export async function wholeBefore(run: string, index: number): Promise<string> {
  const { before } = toTurns((await wholeTurn(run, 1)).messages, 1);
  const message = before[index];
  return message === undefined || message.role === 'tool' ? '' : message.text;
}

/** The words that a turn was made for: the task, or messages since the turn before it; "" for results alone. */
export async function wordsOf({ run_id: id, forked_from: from }: RunOverview, turn: number): Promise<string> {
  if (turn > 1) return joined((await turnOf(id, turn)).said);
  const { messages, input_characters: input = 0 } = await wholeTurn(id, 1);
  const { before } = toTurns(messages, 1);
  const last = before.findLastIndex(({ role }) => role !== 'user');
  const said = before.slice(last + 1).flatMap((message) => (message.role === 'user' ? message : []));
  // A copy in the same tree has its own words after the inherited ones.
  const words = joined(from === undefined ? said.slice(-1) : said);
  return words.slice(0, words.length - input);
}

function joined(said: readonly SaidByUser[]): string {
  return said.map(({ text }) => text).join('\n\n');
}

export async function wholeSystem(run: string): Promise<string> {
  return (await wholeTurn(run, 1)).system;
}

async function turnOf(run: string, turn: number): Promise<TurnBlock> {
  const { turns } = toTurns((await wholeTurn(run, turn)).messages, turn);
  const [found] = turns;
  if (found === undefined) throw new Error('the server no longer has this turn');
  return found;
}
