import { wholeTurn } from './conversation-part.ts';
import { toTurns, type TurnBlock } from './turns.ts';

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

export async function wholeSystem(run: string): Promise<string> {
  return (await wholeTurn(run, 1)).system;
}

async function turnOf(run: string, turn: number): Promise<TurnBlock> {
  const { turns } = toTurns((await wholeTurn(run, turn)).messages, turn);
  const [found] = turns;
  if (found === undefined) throw new Error('the server no longer has this turn');
  return found;
}
