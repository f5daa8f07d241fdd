import type { CallKey } from '../../core/records/call.ts';
import { clockName, resumeAfter, type TreeClock } from '../../core/records/clock.ts';
import type { Questions } from '../../core/records/ports.ts';
import type { AnswerWait } from '../../core/records/question.ts';
import { treeKey } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import { changeItem } from './change-item.ts';
import type { BackOff } from './contention.ts';
import type { Documents } from './documents.ts';
import { OPEN_QUESTIONS } from './partitions.ts';
import { alwaysKey, clockKey, questionKey, type KeptQuestion } from './question-keys.ts';
import { fromItem } from './stored.ts';
import { withEarlier } from './earlier-tokens.ts';
import type { Key, Table } from './table.ts';
import { callNumber } from './turn-number.ts';

/** The reads of one question. */
export type AskedQuestions = Pick<Questions, 'question' | 'answer' | 'answerWait'>;

/** What asking and answering need of the store of questions, and the list of open questions. */
export function createAsking(
  table: Table,
  documents: Documents,
  { question, answer, answerWait }: AskedQuestions,
  runOf: (id: string) => Promise<Run | undefined>,
  stayAway: BackOff,
): Omit<Questions, 'clock' | 'standingApproval' | keyof AskedQuestions> {
  function changeClock<T extends TreeClock | undefined>(
    run: string,
    change: (clock: TreeClock | undefined) => T,
  ): Promise<T> {
    const tooOften = `the clock of run "${run}" changes too often to be changed; try again`;
    return changeItem(table, clockKey(run), change, { stayAway, tooOften });
  }

  /** Takes a question off the list, and lets the clock go on. */
  async function close(asked: CallKey & { root: string }, at: number): Promise<void> {
    await table.delete(listKey(asked));
    await changeClock(asked.root, (clock) => clock && resumeAfter(clock, clockName(asked), at));
  }

  /** A function that was given up may still be about to ask: it finds that there is nothing to ask any more. */
  async function unask(at: CallKey & { root: string }, askedAt: string): Promise<void> {
    const unasked: KeptQuestion = { ...at, agent: '', question: '', askedAt, isUnasked: true };
    await documents.putIfAbsent(questionKey('question', at), unasked);
  }

  return {
    async saveQuestion(asked) {
      const { root, run, turn, call } = asked;
      // Listed first: an entry without a question is skipped, but a question without an entry would never be seen.
      await table.putIfAbsent(listKey(asked), { root, run, turn, call });
      const kept = await documents.putIfAbsent<KeptQuestion>(questionKey('question', asked), asked);
      return kept.isUnasked ? undefined : kept;
    },
    async saveAnswer(asked, given) {
      if (!('question' in asked)) await unask(asked, given.at);
      const kept = await documents.putIfAbsent(questionKey('answer', asked), given);
      await close(asked, Date.parse(kept.at));
      return kept;
    },
    saveStandingApproval: (run, tool, approval) => documents.putIfAbsent(alwaysKey(run, tool), approval),
    async saveAnswerWait(at, wait) {
      const tooOften = `who waits for an answer in run "${at.run}" changes too often; try again`;
      const change = (kept: AnswerWait | undefined) => withEarlier(wait, kept);
      await changeItem(table, questionKey('wait', at), change, { stayAway, tooOften });
    },
    async questionsOf(run) {
      const kept = await documents.query<KeptQuestion>(`run#${run}`, 'question#');
      const asked = kept.filter(({ isUnasked }) => !isUnasked);
      return Promise.all(asked.map(async (each) => ({ question: each, answer: await answer(each) })));
    },
    async *openQuestions(root) {
      const of = root === undefined ? '' : `${treeKey(root)}#`;
      for await (const item of table.query(OPEN_QUESTIONS, of)) {
        const at = fromItem<CallKey>(item);
        const [asked, ended, run, wait] = await Promise.all([
          question(at),
          answer(at),
          runOf(at.run),
          answerWait(at),
        ]);
        if (asked === undefined || ended !== undefined || run?.status !== 'running') continue;
        yield { question: asked, ...(wait !== undefined && { wait }) };
      }
    },
    async closeQuestions(root, runs, now, asked) {
      const open = asked === undefined ? [] : [asked];
      for await (const item of table.query(OPEN_QUESTIONS, `${treeKey(root)}#`)) open.push(fromItem(item));
      for (const at of open.filter(({ run }) => runs.some(({ id }) => id === run))) {
        // A slow function may come to this when the run has gone on, and asks anew.
        if ((await runOf(at.run))?.status !== 'running') await close({ ...at, root }, now);
      }
    },
    changeClock,
  };
}

function listKey({ root, run, turn, call }: CallKey & { root: string }): Key {
  return { partition: OPEN_QUESTIONS, sort: `${treeKey(root)}#${run}#${callNumber(turn, call)}` };
}
