import type { CallKey, CallMark, CallResult } from '../records/call.ts';
import type { RunStore } from '../records/ports.ts';
import type { Answer, Question } from '../records/question.ts';
import type { Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';

/** A write to a store that events are derived from. */
export type Write =
  | { type: 'run'; before: Run | undefined; after: Run }
  | { type: 'opened'; run: string }
  /** Also of a turn that another was faster with: it was paid for, too. */
  | { type: 'turn'; run: string; turn: Turn }
  | { type: 'call_begun'; at: CallKey; mark: CallMark }
  | { type: 'call_ended'; at: CallKey; result: CallResult }
  | { type: 'asked'; question: Question }
  | { type: 'answered'; at: CallKey; answer: Answer };

/** The run that a write is about. */
export function runOf(write: Write): string {
  switch (write.type) {
    case 'run':
      return write.after.id;
    case 'asked':
      return write.question.run;
    case 'call_begun':
    case 'call_ended':
    case 'answered':
      return write.at.run;
    default:
      return write.run;
  }
}

/**
 * A store that hands on its writes, once they are stored.
 * @param wrote called with writes that took effect, and waited for
 */
export function observed(store: RunStore, wrote: (write: Write) => void | Promise<void>): RunStore {
  return {
    ...store,
    async insertRun(run) {
      const kept = await store.insertRun(run);
      // The record may have been written ahead of the execution that opens the run.
      if (kept.execution === run.execution) await wrote({ type: 'run', before: undefined, after: kept });
      return kept;
    },
    async updateRun(id, change, known) {
      let before: Run | undefined;
      let isChanged = false;
      const note = (run: Run) => {
        const changed = change(run);
        before = run;
        isChanged = changed !== run;
        return changed;
      };
      const after = await store.updateRun(id, note, known);
      if (isChanged && after !== undefined) await wrote({ type: 'run', before, after });
      return after;
    },
    async saveOpened(id, opened) {
      const kept = await store.saveOpened(id, opened);
      await wrote({ type: 'opened', run: id });
      return kept;
    },
    async saveTurn(id, turn) {
      try {
        return await store.saveTurn(id, turn);
      } finally {
        await wrote({ type: 'turn', run: id, turn });
      }
    },
    async markCall(at, mark, over) {
      const kept = await store.markCall(at, mark, over);
      // Releasing a call begins none.
      const isOwn = kept.by === mark.by && kept.at === mark.at && mark.until > 0;
      if (isOwn) await wrote({ type: 'call_begun', at, mark });
      return kept;
    },
    async saveCallResult(at, result) {
      const kept = await store.saveCallResult(at, result);
      if (kept.startedAt === result.startedAt) await wrote({ type: 'call_ended', at, result: kept });
      return kept;
    },
    async saveQuestion(question) {
      const kept = await store.saveQuestion(question);
      if (kept?.askedAt === question.askedAt) await wrote({ type: 'asked', question: kept });
      return kept;
    },
    async saveAnswer(question, answer) {
      // One that is there is saved again, to take its question off the list.
      const before = await store.answer(question);
      const kept = await store.saveAnswer(question, answer);
      if (before === undefined && kept.at === answer.at)
        await wrote({ type: 'answered', at: question, answer });
      return kept;
    },
  };
}
