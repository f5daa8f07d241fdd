import type { ModelRequest } from '../../src/core/model/model.ts';
import { isIn, UNDER_WAY } from '../../src/core/records/phase.ts';
import { newRunId } from '../../src/core/records/run-id.ts';
import { createPrices } from '../../src/core/spending/prices.ts';
import { createMemoryTable } from '../../src/places/store/memory-table.ts';
import type { Choices } from '../choices.ts';
import { askedOnce } from '../laws/batches.ts';
import { ONE_PRICE, withinDays } from '../laws/days.ts';
import { watchers } from '../laws/events.ts';
import { broken, type Laws, lawsOf } from '../laws/laws.ts';
import { remembersOnce } from '../laws/memories.ts';
import { TASKS_ARE_GIVEN_UP } from '../laws/others.ts';
import { openAccount, type Account } from '../world/account.ts';
import type { Asked, Line } from '../world/models.ts';
import { ISSUER } from '../world/function-ports.ts';
import { DOCUMENTED } from '../world/quotas.ts';
import type { WorldTime } from '../world/time.ts';
import { letExpire, listed, removeTree } from './administrator.ts';
import { castOf } from './cast.ts';
import { conditionsOf } from './conditions.ts';
import { decisionOf } from './hooks.ts';
import { lineOf, type Marks } from './lines.ts';
import { actOf, interfere, stopAndRedrive } from './people.ts';

export interface Played {
  turns: number;
  /** What was wrong, the first law that was broken first. */
  broken: string[];
}

export interface PlayOptions {
  /** How many trees, at most. */
  trees: number;
  /** Told of what happens, step by step. */
  trace?: ((line: string) => void) | undefined;
  /** Told of the world's time before anything happens in it. */
  onWorld?: (time: WorldTime) => void;
}

/** The number of sweeps within which everything has to end; the schedule makes one every five minutes. */
const MOST_SWEEPS = 120;
const SWEPT_EVERY_MS = 300_000;

/** After this many sweeps without work, nothing comes late any more: no function stands still for so long. */
const CALM_SWEEPS = 5;

/** Those who start trees, as their tokens name them. */
const OWNERS = ['ann', 'bob'];

/** In nanodollars: some trees come to more. */
const LIMIT_OF_DAY = 60_000_000;

/** What people do in one play, at most. */
const MOST_ACTS = 8;

/** How many operations are made one after the other from an answer to the first turn of what it begins. */
const MEANWHILE = 16;

/** How often models are asked for each tree; from then on they only answer. */
const MOST_ASKS = 100;

/** How often a process dies that carries everything, at most. */
const MOST_CRASHES = 4;

/** Plays some trees from their starts until nothing is left to do, and holds every step to the laws. */
export async function play(choices: Choices, { trees, trace, onWorld }: PlayOptions): Promise<Played> {
  const { happens, pick, upTo } = choices;
  const conditions = conditionsOf(choices);
  const { isFolder, isRough, isLimited, isBatched, hasOthers, rough, chances, delivery } = conditions;
  const { favourites, looks, lostTicks, trouble, lies, neglect, haste, diligence } = conditions;
  const latency = pick([3, 40, 400]);
  let numbers = 0;
  let asks = 0;
  const say = (line: string) =>
    trace?.(`${new Date(account.time.now()).toISOString().slice(11, 23)} ${line}`);
  const table = listed(createMemoryTable());
  const laws = lawsOf(trace && say);
  const noteAsked = (asked: Asked) => {
    laws.onAsked(asked);
    asks += 1;
  };
  const lineFor = (run: string, request: ModelRequest): Line => {
    const tree = laws.treeOf(run);
    const marks: Marks = {
      next(kind) {
        const mark = `${kind}${++numbers}`;
        laws.noteMark(mark, run);
        return mark;
      },
    };
    const isTired = asks > MOST_ASKS * roots.length;
    const known = { runs: tree ?? [run], favourites, trouble, lies, diligence: isTired ? 0 : diligence };
    const line = lineOf(request, known, choices, marks);
    if (!(line instanceof Error)) {
      laws.noteAnswer(run, line);
      if (!isTired && happens(haste)) {
        const addition = line.calls === undefined ? `p${++numbers}` : undefined;
        account.time.after(upTo(MEANWHILE * latency), () => {
          void account.time.during(interfere(account, run, addition, say));
        });
      }
    }
    say(`${run} says ${tell(line)}`);
    return line;
  };
  const account: Account = await openAccount({
    table,
    isTableAtOnce: true,
    choices,
    agents: castOf(choices, { isBatched, hasOthers }),
    chances,
    delivery,
    ...(!isFolder && happens(0.5) && { quotas: DOCUMENTED }),
    ...(isLimited
      ? { prices: ONE_PRICE, limits: { perDay: { nanoUsd: LIMIT_OF_DAY } } }
      : { prices: createPrices(new Map()) }),
    isTimed: true,
    latency,
    onPut(...put) {
      laws.onPut(...put);
      if (happens(looks)) void account.time.during(watching.look());
    },
    onBegun: (...begun) => laws.onBegun(...begun),
    onFailed: (...failed) => laws.onFailed(...failed),
    callFunction: async (by, called) => {
      const { name, arguments: args } = called;
      await account.time.pause(1 + upTo(happens(0.1) ? 40_000 : 2_000));
      const decision = decisionOf(called, choices);
      if (decision !== undefined) return { value: decision };
      laws.onDeed(by, name, String(args['mark']));
      return { value: `done ${String(args['mark'])}` };
    },
    ...(isBatched && {
      batches: {
        keepsNames: happens(0.5),
        lost: rough(0.1, 0.5),
        expiry: rough(0.1),
        onAsked: noteAsked,
        answer: lineFor,
      },
    }),
    onAsked(asked) {
      noteAsked(asked);
      account.time.after(500 + upTo(happens(0.05) ? 200_000 : 9_500), () => {
        // It was given up meanwhile.
        if (!account.asked.includes(asked)) return;
        asked.say(lineFor(asked.run, asked.request));
      });
    },
  });
  onWorld?.(account.time);

  const roots = Array.from({ length: 1 + upTo(trees - 1) }, (_, index) =>
    newRunId('top', account.time.now() + index),
  );
  const watching = watchers(roots, account.bare, account.time.now);
  if (isLimited) laws.laws.push(withinDays(LIMIT_OF_DAY, laws.spent, !isFolder));
  // A folder has no sweep: what a process was about to tell others dies with it.
  if (hasOthers && !isFolder) laws.laws.push(TASKS_ARE_GIVEN_UP);
  if (account.batches !== undefined) laws.laws.push(askedOnce(account.batches));
  laws.laws.push(watching, remembersOnce(table, ISSUER, OWNERS));
  for (const id of roots) {
    const tokens = pick([0, 100_000, 20_000, 8_000]);
    const owner = pick(OWNERS);
    laws.noteTree(id, owner, tokens);
    const overrides = tokens === 0 ? {} : { overrides: { budget: { tokens } } };
    const start = () => {
      say(`${owner} starts ${id}`);
      void account.people.start(id, { agent: 'top', prompt: 'go', owner, issuer: ISSUER, ...overrides });
    };
    const at = upTo(pick([5_000, 300_000]));
    account.time.plan(at, start);
    // A schedule may tick twice.
    if (happens(delivery.doubled)) account.time.plan(at + upTo(300_000), start);
  }
  if (happens(0.3)) {
    account.time.plan(upTo(60_000), () => {
      say('other agents are deployed');
      void account.time.during(account.deploy(castOf(choices, { isBatched, hasOthers })));
    });
  }
  if (happens(0.3)) {
    account.time.plan(upTo(120_000), () => {
      say('another release is deployed');
      account.upgrade();
    });
  }
  for (let crashes = isFolder ? upTo(MOST_CRASHES) : 0; crashes > 0; crashes--) {
    account.time.plan(upTo(120_000), () => {
      say('the process dies');
      account.crash();
    });
  }
  for (let acts = upTo(MOST_ACTS); acts > 0; acts--) {
    account.time.plan(upTo(isRough ? 120_000 : 20_000), () => {
      const root = pick(roots);
      const noteMore = (tokens: number) => laws.noteMore(root, tokens);
      const act = actOf(account, root, choices, () => `p${++numbers}`, noteMore, say);
      void account.time.during(act);
    });
  }
  if (!isFolder && happens(0.3)) {
    account.time.plan(upTo(120_000), () => void stopAndRedrive(account, pick(roots), choices, say));
  }
  const tend = async () => {
    if (!isFolder) return !happens(lostTicks) && account.sweep();
    for (const root of roots) await account.goOn(root);
    return true;
  };
  await playOut(account, roots, laws, tend, neglect, choices);
  const wrong = await broken(laws, account, roots);
  if (wrong.length === 0 && happens(0.3)) {
    const root = pick(roots);
    say(`${root} is removed`);
    const left = isFolder
      ? await removeTree(table, root, choices)
      : await letExpire(table, root, account, choices);
    wrong.push(...left.map((one) => `what is removed is gone, and nothing else: ${one}`));
  }
  return { turns: laws.turns(), broken: wrong };
}

/**
 * Lets time pass, with people who answer, until everything has ended.
 * @param tend makes up for losses, every five minutes, and says whether it did
 */
async function playOut(
  account: Account,
  roots: readonly string[],
  laws: Laws,
  tend: () => Promise<boolean>,
  neglect: number,
  { happens, pick }: Choices,
): Promise<void> {
  let calm = 0;
  for (let sweeps = 0; sweeps < MOST_SWEEPS && calm < CALM_SWEEPS; sweeps++) {
    await account.time.goOn({ to: account.time.now() + SWEPT_EVERY_MS }, () => laws.isBroken());
    if (laws.isBroken()) return;
    for (const root of roots) {
      for (const question of await account.questions(root)) {
        if (happens(neglect)) continue;
        const said = question.question.approval === undefined ? 'yes' : pick(['approve', 'deny']);
        await account.answer(question, said).catch(() => {});
      }
    }
    const isSwept = await tend();
    const trees = await Promise.all(roots.map((root) => account.bare.tree(root)));
    const isOver = trees.every((tree) => tree.length > 0 && tree.every((run) => !isIn(UNDER_WAY, run)));
    calm = isSwept && isOver && account.isAtRest() ? calm + 1 : 0;
  }
  await account.time.goOn({ within: 2 * SWEPT_EVERY_MS });
}

function tell(line: unknown): string {
  if (line instanceof Error) return `${line.name}: ${line.message}`;
  return JSON.stringify(line);
}
