import * as v from 'valibot';
import { resultsIn } from '../../src/core/records/message.ts';
import { LAST_LINE } from '../world/bucket.ts';
import type { Law } from './law.ts';

/** What a call that edits the file puts in. */
const Edit = v.object({ new_string: v.string() });

/** Several write to the same file at the same time: nobody overwrites what they have not read. */
export const WRITES_STAY: Law = {
  says: 'what was written into a file stays there, once',
  async atRest({ bare, bucket }, roots) {
    const wrong: string[] = [];
    for (const root of roots) {
      const lines = bucket.textOf(root).split('\n');
      const twice = lines.filter((line, index) => lines.indexOf(line) !== index);
      if (twice.length > 0) wrong.push(`${twice.join()} is in the file of ${root} twice`);
      const lost = [...bucket.writtenTo(root)].filter((line) => !lines.includes(line));
      if (lost.length > 0) wrong.push(`${lost.join()} is in the file of ${root} no more`);
      for (const run of await bare.tree(root)) {
        const turns = await bare.turns(run.id);
        const results = turns.flatMap(({ received }) => resultsIn(received));
        const edits = turns.flatMap(({ answer }) => answer.calls.filter(({ name }) => name === 'edit_file'));
        const isDone = (id: string) => results.some(({ callId, isError }) => callId === id && !isError);
        const claimed = edits
          .filter(({ id }) => isDone(id))
          .flatMap((edit) => v.parse(Edit, edit.arguments).new_string.split('\n'));
        const missing = claimed.filter((line) => line !== LAST_LINE && !lines.includes(line));
        if (missing.length > 0)
          wrong.push(`${run.id} was told that it wrote ${missing.join()}, which is nowhere`);
      }
    }
    return wrong;
  },
};
