import { isOutOfReach } from '../../src/core/lifecycle/ended-caller.ts';
import { callName } from '../../src/core/records/call.ts';
import type { Mail } from '../../src/core/records/mail.ts';
import { resultsIn, type Message } from '../../src/core/records/message.ts';
import { isIn, OPEN, phases } from '../../src/core/records/phase.ts';
import { isAhead, isBeside, type Run } from '../../src/core/records/run.ts';
import { hasAnswer, resultOf, type Turn } from '../../src/core/records/turn.ts';
import type { Law } from './law.ts';

const RESTS = phases('idle', 'answered');

/** The phases that an agent comes to by itself. */
const FINISHED = phases('idle', 'limited', 'failed');

/** An agent in the background is never lost without a word, and its caller hears of each end once. */
export const ENDS_ARRIVE: Law = {
  says: 'the caller of an agent in the background is told of each of its ends, once',
  async atRest({ bare }, roots) {
    const wrong: string[] = [];
    for (const root of roots) {
      const tree = await bare.tree(root);
      const waits = await bare.mailWaits(root);
      for (const run of tree) {
        // The process that ended the agent may have died before it told of those: whoever brings it back does.
        const held = isIn(OPEN, run) ? [] : waits.filter(({ isEnd }) => isEnd === true);
        const isHeldBack = ({ id }: Run) => held.some((wait) => wait.run === id);
        const [mails, turns] = await Promise.all([bare.mails(run.id), bare.turns(run.id)]);
        const ends = mails.filter(({ kind }) => kind === 'end');
        for (const end of ends) {
          if (tree.find(({ id }) => id === end.from)?.parent?.run !== run.id) {
            wrong.push(`${run.id} was sent the end of ${end.from}, which it has not started`);
          }
          const alike = ends.filter(({ body }) => body === end.body).length;
          const times = timesTold(end, turns, alike);
          if (times > 1) wrong.push(`${run.id} was told ${times} times of ${end.body}`);
          const isToBeTold = isIn(RESTS, run) && run.passedOver === undefined && !end.isPassedOver;
          const isLost = times === 0 && (end.isRead || isEarly(end, turns));
          if (isToBeTold && isLost && !(await isOutOfReach(run, bare))) {
            wrong.push(`${run.id} was never told of ${end.body}`);
          }
        }
        const children = tree.filter((one) => isInBackground(one) && one.parent?.run === run.id);
        for (const child of children.filter((one) => !isHeldBack(one))) {
          const missing = await missingEnd(child, ends, () => bare.turns(child.id));
          if (missing !== undefined) wrong.push(`${run.id} was not sent the end of ${child.id}: ${missing}`);
        }
      }
    }
    return wrong;
  },
};

function isInBackground(run: Run): boolean {
  return isBeside(run) && run.derivedBy === undefined;
}

/** An end of which no message tells; undefined if there is none. What a person asked for is for that person alone. */
async function missingEnd(
  child: Run,
  ends: readonly Mail[],
  turns: () => Promise<Turn[]>,
): Promise<string | undefined> {
  if (child.isForPerson || child.passedOver !== undefined || isAhead(child)) return undefined;
  if (!isIn(FINISHED, child)) return undefined;
  const own = ends.filter(({ from }) => from === child.id);
  const made = await turns();
  const answer = hasAnswer(child, made) ? [resultOf({ status: 'idle' }, made)] : [];
  // An agent whose execution failed after its answer has ended once: its caller may have been told of the answer.
  const said = child.status === 'idle' ? answer : [`has finished: ${child.status}`, ...answer];
  return own.some(({ body }) => said.some((text) => body.includes(text))) ? undefined : said.join(' or ');
}

/**
 * In how many turns, and results of `wait`, the reader got a message.
 * @param alike how many messages read the same: an agent may rest with the same answer again
 */
function timesTold({ id, body, takenBy }: Mail, turns: readonly Turn[], alike: number): number {
  const told = turns.filter((turn) => turn.told?.includes(id)).length;
  const taker = turns.flatMap(({ number, answer }) =>
    answer.calls.filter((_, index) => callName({ turn: number, call: index + 1 }) === takenBy),
  )[0];
  const received = turns.flatMap((turn) => turn.received);
  const result = resultsIn(received).find(({ callId }) => callId === taker?.id);
  const isTaken = result?.text.includes(JSON.stringify(body).slice(1, -1)) === true;
  const texts = received.filter((message) => isText(message, body)).length;
  return Math.max(told, texts - (alike - 1)) + (isTaken ? 1 : 0);
}

function isText(message: Message, text: string): boolean {
  return message.role === 'user' && message.text === text;
}

/** Whether a turn came after it that could have told of it. */
function isEarly({ sentAt }: Mail, turns: readonly Turn[]): boolean {
  return turns.some(({ at, latencyMs }) => Date.parse(at) - latencyMs > Date.parse(sentAt) + LATE_MS);
}

/** Functions die, and are frozen, between reading mail and asking a model. */
const LATE_MS = 900_000;
