import type { Run } from '../records/run.ts';
import { callSpans } from './call-spans.ts';
import { executionSpans } from './execution-spans.ts';
import type { TraceOptions, TraceReader, TraceSpan } from './trace-span.ts';
import { turnSpan } from './turn-span.ts';

/** Every span of a tree that has ended, the executions first. */
export async function treeSpans(top: Run, records: TraceReader, options: TraceOptions): Promise<TraceSpan[]> {
  const tree = await records.tree(top.id);
  const all = await Promise.all(
    tree.map(async (run) => {
      const turns = await records.turns(run.id);
      const made = await Promise.all(
        turns.map(async (turn, index) => [
          await turnSpan(run, turn, records, options),
          ...(await callSpans(run, turn, turns[index + 1], records, options)),
        ]),
      );
      return [...executionSpans(run, turns, options), ...made.flat()];
    }),
  );
  return all.flat();
}
