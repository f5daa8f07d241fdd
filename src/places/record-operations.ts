import type { Instant } from '../core/records/times.ts';
import type { CallKey } from '../core/records/call.ts';
import { callName } from '../core/records/call.ts';
import type { RunStore } from '../core/records/ports.ts';
import type { Question } from '../core/records/question.ts';
import { isRunId } from '../core/records/run-id.ts';
import { ConfigError } from '../errors.ts';
import type { Environment } from './environment.ts';

/**
 * The operations that every environment does in the same way: by records, and by waking agents that wait for an answer.
 */
export type RecordOperations = Pick<
  Environment,
  'addBudget' | 'answer' | 'decline' | 'fork' | 'mailbox' | 'once'
>;

export interface RecordPorts extends Pick<Environment, 'start'> {
  store: RunStore;
  now: () => Instant;
  /** Wakes the execution that waits for the answer to a question, which is in the store. */
  wakeAsker(question: CallKey): Promise<void>;
}

/** Each operation loads what it needs: functions start faster without it. */
export function createRecordOperations({ store, now, wakeAsker, start }: RecordPorts): RecordOperations {
  async function find(at: CallKey): Promise<Question> {
    const question = isRunId(at.run) ? await store.question(at) : undefined;
    if (question !== undefined) return question;
    throw new ConfigError(`run "${at.run}" has no question ${callName(at)}`);
  }

  return {
    async answer(at, { text, arguments: changed }, by) {
      const [{ answerQuestion, assertAnswerable }, { loadOwnTools: tools }] = await Promise.all([
        import('../core/lifecycle/answer-question.ts'),
        import('../tools/load-own-tools.ts'),
      ]);
      const question = await find(at);
      assertAnswerable(await store.run(question.run));
      return answerQuestion(question, text, by, { store, tools, now, wake: wakeAsker }, changed);
    },
    async decline(at) {
      await store.saveAnswer(await find(at), { at: new Date(now()).toISOString() });
      await wakeAsker(at);
    },
    async fork(run, copy = {}) {
      if ('id' in copy) {
        const { forkFromTurn } = await import('../core/lifecycle/fork-from-turn.ts');
        const { id, once, ...point } = copy;
        return start({ id, once, ...(await forkFromTurn(run, point, store)) });
      }
      const { forkForPerson } = await import('../core/lifecycle/fork-for-person.ts');
      return forkForPerson(run, { store, now }, copy.once);
    },
    async addBudget(root, more, by) {
      const { addToBudget } = await import('../core/lifecycle/add-budget.ts');
      await addToBudget(root, more, by, { store, now });
    },
    mailbox: (run) => ({
      list: () => store.mails(run),
      async capture(body) {
        const sentAt = new Date(now()).toISOString();
        const mail = await store.saveMail(run, { body, kind: 'capture', isRead: true, sentAt });
        await store.updateRun(run, (current) =>
          current.hasCaptured ? current : { ...current, hasCaptured: true },
        );
        return mail;
      },
      endCapture: (mail, fork) => store.endCapture(run, mail, fork),
      markRead: (mail) => store.markRead(run, mail),
      delete: (mail) => store.deleteMail(run, mail),
    }),
    once: (key, binding, of) => store.bind(key, binding, of),
  };
}
