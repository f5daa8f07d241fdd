import type { StandingApproval } from '../../core/records/approval.ts';
import type { TreeClock } from '../../core/records/clock.ts';
import type { Questions } from '../../core/records/ports.ts';
import type { Answer, AnswerWait } from '../../core/records/question.ts';
import type { Run } from '../../core/records/run.ts';
import type { AskedQuestions } from './asking.ts';
import { backOff, type BackOff } from './contention.ts';
import type { Documents } from './documents.ts';
import { alwaysKey, clockKey, questionKey, type KeptQuestion } from './question-keys.ts';
import { fromItem } from './stored.ts';
import type { Table } from './table.ts';

/** Questions to people and their answers. */
export function createQuestions(
  table: Table,
  documents: Documents,
  runOf: (id: string) => Promise<Run | undefined>,
  stayAway: BackOff = backOff,
): Questions {
  const one: AskedQuestions = {
    async question(at) {
      const kept = await documents.get<KeptQuestion>(questionKey('question', at));
      return kept?.isUnasked ? undefined : kept;
    },
    answer: (at) => documents.get<Answer>(questionKey('answer', at)),
    async answerWait(at) {
      const item = await table.get(questionKey('wait', at));
      return item && fromItem<AnswerWait>(item);
    },
  };
  // Few runs ask anybody.
  const asking = async () =>
    (await import('./asking.ts')).createAsking(table, documents, one, runOf, stayAway);

  return {
    ...one,
    standingApproval: (run, tool) => documents.get<StandingApproval>(alwaysKey(run, tool)),
    async clock(run) {
      const item = await table.get(clockKey(run));
      return item && fromItem<TreeClock>(item);
    },

    questionsOf: async (run) => (await asking()).questionsOf(run),
    saveQuestion: async (...given) => (await asking()).saveQuestion(...given),
    saveAnswer: async (...given) => (await asking()).saveAnswer(...given),
    saveStandingApproval: async (...given) => (await asking()).saveStandingApproval(...given),
    saveAnswerWait: async (...given) => (await asking()).saveAnswerWait(...given),
    async *openQuestions(root) {
      yield* (await asking()).openQuestions(root);
    },
    closeQuestions: async (...given) => (await asking()).closeQuestions(...given),
    changeClock: async (run, change) => (await asking()).changeClock(run, change),
  };
}
