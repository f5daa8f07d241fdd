import type { CallKey } from '../../core/records/call.ts';
import type { Question } from '../../core/records/question.ts';
import { treeKey } from '../../core/records/run-id.ts';
import type { Key } from './table.ts';
import { callNumber } from './turn-number.ts';

/** A question, or what stands in its place once a call has ended without one. */
export interface KeptQuestion extends Question {
  isUnasked?: true;
}

export function questionKey(kind: 'question' | 'answer' | 'wait', { run, turn, call }: CallKey): Key {
  return { partition: `run#${run}`, sort: `${kind}#${callNumber(turn, call)}` };
}

export function alwaysKey(run: string, tool: string): Key {
  return { partition: `run#${run}`, sort: `always#${tool}` };
}

export function clockKey(run: string): Key {
  return { partition: `tree#${treeKey(run)}`, sort: 'clock' };
}
