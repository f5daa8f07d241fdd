import type { RunReader } from '../records/ports.ts';
import { preview } from '../records/preview.ts';
import { comparable, countFound } from '../../terms.ts';
import { textsOf } from '../records/words.ts';
import type { FoundWords } from './run-schemas.ts';

/** So many characters are shown around what was found. */
const AROUND = 80;

/** Where a run has most of the terms, with the words around the first of them; undefined if it has none any more. */
export async function foundText(
  id: string,
  terms: readonly string[],
  records: Pick<RunReader, 'opened' | 'run' | 'turns'>,
): Promise<FoundWords | undefined> {
  const [run, opened, turns] = await Promise.all([records.run(id), records.opened(id), records.turns(id)]);
  if (run === undefined) return undefined;
  let best: FoundWords | undefined;
  let most = 0;
  for (const { text, turn } of textsOf({ run, opened, turns })) {
    const count = countFound(terms, comparable(text));
    if (count <= most) continue;
    most = count;
    best = { run_id: id, ...(turn !== undefined && turn > 0 && { turn }), text: around(text, terms) };
  }
  return best;
}

function around(whole: string, terms: readonly string[]): string {
  const text = whole.normalize('NFC');
  const small = comparable(text);
  const places = terms.map((term) => small.indexOf(term)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places) - AROUND);
  const end = start + 2 * AROUND;
  const [before, behind] = [start > 0 ? '… ' : '', end < text.length ? ' …' : ''];
  return `${before}${preview(text.slice(start, end))}${behind}`;
}
