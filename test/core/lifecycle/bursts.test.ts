import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEAD, isIn } from '../../../src/core/records/phase.ts';
import { isBeside, type Run } from '../../../src/core/records/run.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';
import { cases } from '../../fixtures/cases.ts';
import { call, use } from '../../fixtures/stage.ts';
import { checkRest, faults, openPlay, type Play } from './play.ts';

// Everything at once: all models answer at the same moment, people write meanwhile, and functions die. The outcome
// depends on the order in which operations take effect, but the promises hold in any order.

const WHATS = [
  'fork',
  'mail',
  'mail',
  'kill',
  'wait',
  'answer',
  'answer',
  'fail',
  'ask',
  'kid',
  'person',
] as const;

interface Deed {
  what: (typeof WHATS)[number];
  /** Which of the agents, where another one is needed. */
  whom: number;
}

const rounds = fc.array(
  fc.array(fc.record<Deed>({ what: fc.constantFrom(...WHATS), whom: fc.nat(8) }), {
    minLength: 1,
    maxLength: 6,
  }),
  { minLength: 2, maxLength: 6, size: 'max' },
);

test('no message is lost or doubled in any burst, and every tree comes to rest', async () => {
  await fc.assert(
    fc.asyncProperty(rounds, fc.nat(), faults, async (all, seed, fault) => {
      const play = await openPlay(createMemoryTable(), seed, fault);
      let next = 1;
      for (const round of all) {
        const tree = await play.tree();
        const people: Promise<unknown>[] = [];
        for (const [index, asked] of [...play.account.asked].entries()) {
          const deed = round[index % round.length];
          if (deed === undefined) continue;
          const whom = tree[deed.whom % tree.length]?.id ?? play.root;
          const number = next++;
          if (deed.what === 'person') {
            people.push(play.account.send(whom, `p${number}`).catch(() => {}));
          } else {
            asked.say(lineOf(deed.what, whom, number));
          }
        }
        await play.settle();
        await Promise.all(people);
      }
      await drain(play, next);
      await checkRest(play);
      await checkMessages(play);
    }),
    { numRuns: cases(25) },
  );
});

function lineOf(what: Exclude<Deed['what'], 'person'>, whom: string, number: number) {
  const calls: Record<Exclude<typeof what, 'answer' | 'fail'>, ToolCall> = {
    fork: use('fork', { prompt: 'p', name: `fork${number}` }),
    mail: use('mail_send', { to: whom, body: `m${number}` }),
    kill: use('kill', { uuid: whom }),
    wait: use('wait', { timeout: 600, ...(number % 2 === 0 && { from_agents: [whom] }) }),
    ask: use('ask_user', { question: 'which?' }),
    kid: call('kid', 't'),
  };
  if (what === 'fail') return new Error('broken');
  return what === 'answer' ? { text: `a${number}` } : { calls: [calls[what]] };
}

/** Brings all agents to an end: they answer, people do, and waits for time end. */
async function drain({ account, root, settle }: Play, from: number): Promise<void> {
  for (let number = from; number < from + 200; number++) {
    const asked = [...account.asked];
    for (const one of asked) one.say({ text: `a${number}` });
    const questions = await account.questions(root);
    for (const question of questions) await account.answer(question, 'yes');
    if (asked.length + questions.length === 0) {
      if (account.live().length === 0) return;
      await account.pass(601_000);
    }
    await settle();
  }
  throw new Error('the tree does not come to an end');
}

/**
 * Each message was told once to every recipient that did not end before, and those of one writer in their order. The
 * answer of a recipient stands where the turn for its messages failed, which it is told with the next one.
 */
async function checkMessages(play: Play): Promise<void> {
  const store = play.account.store();
  const tree = await play.tree();
  expect(tree.filter(({ status }) => status === 'running')).toEqual([]);
  expect(tree.filter((run) => run.status === 'idle' && !isBeside(run))).toEqual([]);
  const boxes = await Promise.all(
    tree.map(async (run) => ({ run, mails: await store.mails(run.id), seen: await play.seen(run) })),
  );
  const kept = new Set(boxes.flatMap(({ mails }) => mails.map(({ id }) => id)));
  expect((await sentIds(play, tree)).filter((id) => !kept.has(id))).toEqual([]);
  for (const { run, mails, seen } of boxes) {
    const written = mails.map(({ body }) => body).filter((body) => /^[mp]\d+$/.test(body));
    const told = seen.filter((mark) => /^[mp]/.test(mark));
    expect({ run: run.id, twice: told.filter((mark, index) => told.indexOf(mark) !== index) }).toEqual({
      run: run.id,
      twice: [],
    });
    if (!isIn(DEAD, run) && run.passedOver === undefined)
      expect({ run: run.id, told: told.toSorted() }).toEqual({ run: run.id, told: written.toSorted() });
    for (const writer of new Set(mails.flatMap(({ from = [] }) => from))) {
      const own = mails.filter(({ from }) => from === writer).map(({ body }) => body);
      const read = told.filter((mark) => own.includes(mark));
      expect(read).toEqual(read.toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1))));
    }
  }
}

/** The ids that senders were given. */
async function sentIds({ account }: Play, tree: readonly Run[]): Promise<string[]> {
  const turns = (await Promise.all(tree.map(({ id }) => account.store().turns(id)))).flat();
  return turns
    .flatMap(({ received }) => received)
    .flatMap((message) => (message.role === 'tool' ? message.results : []))
    .filter(({ name, isError }) => name === 'mail_send' && !isError)
    .map(({ text }) => JSON.parse(text).sent);
}
