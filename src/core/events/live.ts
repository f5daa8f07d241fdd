import type { RunEvent } from './event.ts';
import type { BegunTurn } from '../records/run.ts';

/**
 * Takes events that no record holds, as they happen: whoever listens at that moment hears them, and otherwise they are
 * lost. A port; absent where nothing listens.
 */
export interface LiveBus {
  tell(event: LiveEvent): void;
}

/** The events that are told beside the list. */
export type LiveEvent =
  BegunAnswer | AnswerPiece | Extract<RunEvent, { type: 'turn_waiting' | 'call_output' | 'warning' }>;

/** A model has been asked. */
export interface BegunAnswer extends BegunTurn {
  type: 'begun';
  run: string;
}

/** A piece of an answer, while a model writes it. */
export interface AnswerPiece extends Pick<BegunTurn, 'turn' | 'at'> {
  type: 'piece';
  run: string;
  kind: 'text' | 'thinking';
  /** How many characters of its kind came before it in this answer. */
  offset: number;
  text: string;
}

const LIVE: ReadonlySet<string> = new Set<LiveEvent['type']>([
  'begun',
  'piece',
  'turn_waiting',
  'call_output',
  'warning',
]);

/** Whether an event is heard, and in no record. */
export function isLive(news: { type: string }): news is LiveEvent {
  return LIVE.has(news.type);
}
