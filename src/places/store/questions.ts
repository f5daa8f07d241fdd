import type { StandingApproval } from '../../core/records/approval.ts';
import type { CallKey } from '../../core/records/call.ts';
import type { Questions } from '../../core/records/ports.ts';
import type { Answer, AnswerWait, Question } from '../../core/records/question.ts';
import { clockName, resumeAfter, type TreeClock } from '../../core/records/clock.ts';
import { treeKey } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import { StoreUnavailableError } from '../../errors.ts';
import type { Documents } from './documents.ts';
import { backOff, MAX_ATTEMPTS, type BackOff } from './contention.ts';
import { fromItem, fromStored, toStored } from './stored.ts';
import { replace } from './replace.ts';
import type { Item, Key, Table } from './table.ts';
import { callNumber } from './turn-number.ts';

/** The partition in which open questions are listed. */
export const OPEN_QUESTIONS = 'questions';

/** Questions to people and their answers, and a list of those that are open. */
export function createQuestions(
  table: Table,
  documents: Documents,
  runOf: (id: string) => Promise<Run | undefined>,
  stayAway: BackOff = backOff,
): Questions {
  const question = (at: CallKey) => documents.get<Question>(keyOf('question', at));
  const answer = (at: CallKey) => documents.get<Answer>(keyOf('answer', at));
  const answerWait = async (at: CallKey) => {
    const key = keyOf('wait', at);
    const item = await table.get(key);
    return item && fromStored<AnswerWait>(item.value, key.sort);
  };

  const clockItem = (run: string) => table.get(clockKey(run));
  const toClock = (item: Item | undefined) => item && fromItem<TreeClock>(item);

  async function changeClock<T extends TreeClock | undefined>(
    run: string,
    change: (clock: TreeClock | undefined) => T,
  ): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const item = await clockItem(run);
      const before = toClock(item);
      const after = change(before);
      if (after === undefined || after === before) return after;
      const written =
        item === undefined
          ? (await table.putIfAbsent(clockKey(run), toStored(after))).written
          : (await table.putIfVersion(clockKey(run), toStored(after), item.version)) !== undefined;
      if (written) return after;
      await stayAway(attempt);
    }
    throw new StoreUnavailableError(`the clock of run "${run}" changes too often to be changed; try again`);
  }

  /** Takes a question off the list, and lets the clock go on. */
  async function close(asked: CallKey & { root: string }, at: number): Promise<void> {
    await table.delete(listKey(asked));
    await changeClock(asked.root, (clock) => clock && resumeAfter(clock, clockName(asked), at));
  }

  return {
    question,
    async saveQuestion(asked) {
      const { root, run, turn, call } = asked;
      // Listed first: an entry without a question is passed over, but a question without an entry is never seen.
      await table.putIfAbsent(listKey(asked), { root, run, turn, call });
      return documents.putIfAbsent(keyOf('question', asked), asked);
    },

    answer,
    async saveAnswer(asked, given) {
      const kept = await documents.putIfAbsent(keyOf('answer', asked), given);
      await close(asked, Date.parse(kept.at));
      return kept;
    },

    standingApproval: (run, tool) => documents.get<StandingApproval>(alwaysKey(run, tool)),
    saveStandingApproval: (run, tool, approval) => documents.putIfAbsent(alwaysKey(run, tool), approval),

    answerWait,
    saveAnswerWait: (at, wait) =>
      replace(
        table,
        keyOf('wait', at),
        toStored(wait),
        `who waits for an answer in run "${at.run}" changes too often; try again`,
      ),

    async questionsOf(run) {
      const asked = await documents.query<Question>(`run#${run}`, 'question#');
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
    async closeQuestions(root, runs, now) {
      for await (const item of table.query(OPEN_QUESTIONS, `${treeKey(root)}#`)) {
        const at = fromItem<CallKey>(item);
        if (runs.some(({ id }) => id === at.run)) await close({ ...at, root }, now);
      }
    },

    clock: async (run) => toClock(await clockItem(run)),
    changeClock,
  };
}

function keyOf(kind: 'question' | 'answer' | 'wait', { run, turn, call }: CallKey): Key {
  return { partition: `run#${run}`, sort: `${kind}#${callNumber(turn, call)}` };
}

function alwaysKey(run: string, tool: string): Key {
  return { partition: `run#${run}`, sort: `always#${tool}` };
}

function clockKey(run: string): Key {
  return { partition: `tree#${treeKey(run)}`, sort: 'clock' };
}

function listKey({ root, run, turn, call }: CallKey & { root: string }): Key {
  return { partition: OPEN_QUESTIONS, sort: `${treeKey(root)}#${run}#${callNumber(turn, call)}` };
}
