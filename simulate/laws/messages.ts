import { isIn, OPEN, phases } from '../../src/core/records/phase.ts';
import { pausedAt } from '../../src/core/records/clock.ts';
import { endOfTime } from '../../src/core/records/run.ts';
import { offTreeClock } from '../../src/core/records/times.ts';
import { isComputed } from '../../src/core/model/model-name.ts';
import { MAX_WAKES } from '../../src/core/lifecycle/due.ts';
import { endedCaller } from '../../src/core/lifecycle/ended-caller.ts';
import { callName } from '../../src/core/records/call.ts';
import type { Mail } from '../../src/core/records/mail.ts';
import { resultsIn, type Message } from '../../src/core/records/message.ts';
import type { Turn } from '../../src/core/records/turn.ts';
import type { Law } from './law.ts';

/** A message of an agent or a person. */
const MARKS = /\b[mp]\d+\b/g;

/** The tools by whose results an agent reads messages. */
const READERS = ['mail_read', 'wait'];

/** Before a run can read nothing any more. A reader whose writer died is woken by a sweep, of which one may be lost. */
const LAST_MS = 660_000;

const RESTS = phases('idle', 'answered');

/** Every message is told once, and lost nowhere. */
export const MESSAGES_ARRIVE: Law = {
  says: 'every message is read once, and never lost',
  async atRest({ bare, time: { now } }, roots) {
    const wrong: string[] = [];
    for (const root of roots) {
      const tree = await bare.tree(root);
      const isTired = tree.some(({ woken = [] }) => woken.length >= MAX_WAKES);
      for (const run of tree) {
        const [mails, turns] = await Promise.all([bare.mails(run.id), bare.turns(run.id)]);
        const unheard = mails.filter(({ kind }) => kind === undefined && isComputed(run.model));
        if (unheard.length > 0) wrong.push(`${run.id} has no model, and was sent ${bodiesOf(unheard)}`);
        const told = turns.flatMap(({ received }) => received).flatMap(marksIn);
        const twice = told.filter((mark, index) => told.indexOf(mark) !== index);
        if (twice.length > 0) wrong.push(`${run.id} was told twice of ${twice.join()}`);
        const isRead = isIn(RESTS, run) && run.passedOver === undefined;
        if (!isRead) continue;
        const above = await endedCaller(run, bare);
        // Only a person brings one back that has ended below another.
        if (above !== undefined && !isIn(OPEN, run)) continue;
        const known = new Set(turns.flatMap(({ told: ids = [], noticed = [] }) => [...ids, ...noticed]));
        const timeIsOver = offTreeClock(endOfTime(run), pausedAt(await bare.clock(root), now()));
        // An idle one waits from then on until the other goes on.
        const end =
          above?.endedAt === undefined ? timeIsOver : Math.min(timeIsOver, Date.parse(above.endedAt));
        // Nobody has time left to read messages that come last, or are found then.
        if (Date.parse(run.endedAt ?? '') + LAST_MS >= end) continue;
        const lost = mails
          .filter((mail) => mail.kind === undefined && !mail.isPassedOver && !mail.isDeleted)
          // Agents wake each other no more then.
          .filter(({ from }) => from === undefined || !isTired)
          .filter((mail) => (mail.isRead ? isTakenInVain(mail, turns) : !known.has(mail.id)))
          .filter(({ sentAt }) => Date.parse(sentAt) + LAST_MS < end);
        if (lost.length > 0) wrong.push(`${run.id} ${run.status} was never told of ${bodiesOf(lost)}`);
      }
    }
    return wrong;
  },
};

function bodiesOf(mails: readonly Mail[]): string {
  return mails.map(({ body }) => body).join();
}

/** Whether a call of `wait` took a message without returning it. A failed call may be repeated. */
function isTakenInVain({ takenBy, body }: Mail, turns: readonly Turn[]): boolean {
  if (takenBy === undefined) return false;
  const taker = turns.flatMap(({ number, answer }) =>
    answer.calls.filter((_, index) => callName({ turn: number, call: index + 1 }) === takenBy),
  )[0];
  const result = turns
    .flatMap(({ received }) => resultsIn(received))
    .find(({ callId }) => callId === taker?.id);
  return result !== undefined && !result.isError && !result.text.includes(body);
}

function marksIn(message: Message): string[] {
  if (message.role === 'user') return message.text.match(MARKS) ?? [];
  if (message.role !== 'tool') return [];
  return message.results
    .filter(({ name }) => READERS.includes(name))
    .flatMap(({ text }) => text.match(MARKS) ?? []);
}
