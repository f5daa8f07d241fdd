import { ConfigError, ModelError } from '../../src/errors.ts';
import type { TokenUsage } from '../../src/token-usage.ts';
import { isIn, OPEN } from '../../src/core/records/phase.ts';
import { defined } from '../../src/defined.ts';
import { add, amounts, NOTHING, type Allowance, type Amounts } from '../../src/core/records/amounts.ts';
import { ledgerOfTop } from '../../src/core/records/allotment.ts';
import { free, type Ledger } from '../../src/core/records/ledger.ts';
import type { Run } from '../../src/core/records/run.ts';
import { dayAt } from '../../src/core/records/spent.ts';
import { heldOn } from '../../src/core/spending/allot.ts';
import { createPrices } from '../../src/core/spending/prices.ts';
import { refilled } from '../../src/core/spending/refill.ts';
import { gather } from '../../src/core/spending/shares.ts';
import { createMemoryTable } from '../../src/places/store/memory-table.ts';
import { fromStored } from '../../src/places/store/stored.ts';
import type { Table } from '../../src/places/store/table.ts';
import { Death } from '../fixtures/mortal.ts';
import { choicesOf } from '../../simulate/choices.ts';
import { call } from '../fixtures/stage.ts';
import type { Quotas } from '../../simulate/world/quotas.ts';
import { openAccount, type Account } from '../../simulate/world/account.ts';
import type { Delivery } from '../../simulate/world/callers.ts';
import {
  MOST_FAULTS,
  type Chances as OfFunctions,
  type Fault,
  type Invocation,
} from '../../simulate/world/invocations.ts';
import type { Asked } from '../../simulate/world/models.ts';

/** How the runs of one level behave; the top's is the first. */
export interface Level {
  /** Calls of each turn but the last, at most. */
  calls: number;
  turns: number;
  parallel: boolean;
}

/** How often things happen, from 0 to 1. */
export interface Chances extends OfFunctions {
  /** A function dies when its model's answer arrives. */
  deathAtAnswer: number;
  /** An answer cannot be used. */
  unusable: number;
}
export const NO_FAULTS: Chances = {
  death: 0,
  deathAtAnswer: 0,
  throttle: 0,
  duplicate: 0,
  unusable: 0,
  impatience: 0,
};

export interface Scenario {
  budget: Allowance;
  /** Of the account, in nanodollars a day; absent: none. */
  perDay?: number;
  levels: readonly Level[];
  chances: Chances;
  /** The tree is stopped, and resumed, after so many answers each. */
  stops: readonly number[];
  delivery?: Delivery;
  quotas?: Quotas;
  /** It is not resumed after the last of them. */
  isLeftStopped?: boolean;
  /** Whether those of the last level run in Express executions. */
  express?: boolean;
  /** Whether a hook is asked about each call and each text, and denies some. */
  hooked?: boolean;
  /** The agent whose model's API always fails. */
  failing?: string;
  fault?: Fault;
  seed: number;
  maxTokens?: number;
  /** 1: answers of all lengths; more: most of them short, and few long. */
  evenness: number;
  /** Of models: how many milliseconds an answer takes at most, of which an operation of the store takes two. */
  slowness?: number;
}

/** A put of a ledger, which may have come too late. */
interface Write {
  run: string;
  by: string;
  written: boolean;
}

export interface Played {
  id: string;
  /** The deliveries of providers, which are counted apart from all ledgers, and the calls that were carried out. */
  real: Amounts;
  /** What is gone of the day, as its limit counts it. */
  goneOfDay: number;
  /** The top's, after everything has ended and been gathered. */
  ledger: Ledger;
  /** The most that calls with an unknown end can cost when their run is settled for good. */
  lost: Amounts;
  tree: Run[];
  writes: Write[];
  /** Of the functions' ports. */
  operations: number;
  answers: number;
}

const PRICE = { input: 1, output: 4, cacheRead: 1, cacheWrite: 1 };

/** Ten days, so that no deadline comes. */
const TIMEOUT_SECONDS = 864_000;
const TIMEOUT = `timeout = ${TIMEOUT_SECONDS}\n`;

/** A function of the user's own that is asked before each call, and before a text is shown. */
const HOOKS = `[[functions]]
name = "check"
function = "check"
offer = false

[[hooks]]
function = "check"
on = "before_call"

[[hooks]]
function = "check"
on = "before_answer"
`;

const SWEPT_EVERY_MS = 300_000;
/** An hour's, and as many as random faults may end. */
const MOST_SWEEPS = 12 + MOST_FAULTS;

/** Has an account carry out a tree of runs whose models answer at random. What happens follows from the seed. */
export async function play(scenario: Scenario, table: Table = createMemoryTable()): Promise<Played> {
  const { budget, levels, chances, seed, evenness, fault } = scenario;
  const choices = choicesOf(seed);
  const { happens } = choices;
  const writes: Write[] = [];
  const reserved = new Map<string, { by: Invocation; amounts: Amounts }>();
  const forgotten: Amounts[] = [];
  const prices = createPrices(new Map(levels.map((_, depth) => [`m/l${depth}`, PRICE])));
  let real = NOTHING;
  let answers = 0;

  function answer({ request: { messages, maxTokens }, by }: Asked): Parameters<Asked['say']>[0] {
    const name = /^[^-]*/.exec(by.run)?.[0] ?? '';
    if (name === scenario.failing) return new ModelError('server', 'no');
    const depth = Number(name.slice(1));
    const level = levels[depth];
    const turn = 1 + messages.filter(({ role }) => role === 'assistant').length;
    const usage: TokenUsage = {
      inputTokens: Math.ceil(JSON.stringify(messages).length / 5),
      outputTokens: Math.floor((maxTokens || 1_000) * choices.fraction() ** evenness),
    };
    const tokens = usage.inputTokens + usage.outputTokens;
    real = add(real, { ...NOTHING, tokens, nanoUsd: prices.costOf(`m/${name}`, usage) ?? 0 });
    answers += 1;
    if (happens(chances.deathAtAnswer)) return new Death();
    if (happens(chances.unusable)) {
      const spent = happens(0.5) ? usage : 'unknown';
      const own = [...reserved.values()].findLast((one) => one.by === by)?.amounts;
      if (spent === 'unknown') forgotten.push({ ...NOTHING, ...own });
      return new ModelError('server', 'nothing in it', { spent });
    }
    const calls = level === undefined || depth + 1 >= levels.length || turn >= level.turns ? 0 : level.calls;
    return { text: 'k', usage, calls: Array.from({ length: calls }, () => call(`l${depth + 1}`, 'x')) };
  }

  const account = await openAccount({
    table,
    choices,
    chances,
    prices,
    fault,
    ...defined({ delivery: scenario.delivery, quotas: scenario.quotas }),
    ...(scenario.perDay !== undefined && { limits: { perDay: { nanoUsd: scenario.perDay } } }),
    agents: Object.fromEntries(
      levels.map(({ parallel }, depth) => {
        const below = depth + 1 < levels.length ? `sub_agents = ["l${depth + 1}"]\n` : '';
        const limits = `[sub_agents_config]\nmax_depth = 5\nparallel = ${parallel}\nexpress = ${scenario.express === true}\n`;
        // Of those that run for days, none does so in an Express execution.
        const timeout = scenario.express && below === '' ? '' : TIMEOUT;
        const params =
          scenario.maxTokens === undefined ? '' : `[params]\nmax_tokens = ${scenario.maxTokens}\n`;
        return [`l${depth}`, `${timeout}${below}${limits}${params}${scenario.hooked ? HOOKS : ''}`];
      }),
    ),
    callFunction: async () => ({ value: { decision: happens(0.8) ? 'allow' : 'deny' } }),
    onPut(by, { sort, partition }, value, written) {
      if (sort !== 'ledger') return;
      writes.push({ run: partition.slice('run#'.length), by: by.run, written });
      if (!written) return;
      for (const [owner, { amounts: of }] of Object.entries(fromStored<Ledger>(value, partition).reserved)) {
        if (!reserved.has(owner)) reserved.set(owner, { by, amounts: of });
      }
    },
    onAsked: (asked) =>
      void account.time.after(1 + choices.upTo(scenario.slowness ?? 20), () => asked.say(answer(asked))),
  });
  try {
    return await playOut();
  } finally {
    account.crash();
  }

  async function playOut(): Promise<Played> {
    const bare = account.bare;

    const day = dayAt(account.time.now());
    const id = await account.start('l0', { budget });
    for (const [index, after] of scenario.stops.entries()) {
      const until = answers + after;
      await account.time.goOn({ within: Infinity }, () => answers >= until);
      if (answers < until) break;
      for (const { arn, run } of account.live()) if (run === id) await account.stop(arn);
      if (scenario.isLeftStopped && index === scenario.stops.length - 1) break;
      // It has its answer, or was stopped before it began.
      if ((await bare.run(id)) === undefined) break;
      await account.resume(id).catch((refusal: unknown) => {
        if (!(refusal instanceof ConfigError)) throw refusal;
      });
    }
    await account.run();
    if (scenario.delivery !== undefined || scenario.quotas !== undefined) await sweepAll(account, id);
    // It takes back what a dead function did not.
    else if (scenario.perDay !== undefined) {
      for (let sweeps = 0; sweeps < MOST_SWEEPS && !(await account.sweep()); sweeps++) await account.run();
    }

    const tree = await bare.tree(id);
    const turns = (await Promise.all(tree.map((run) => bare.turns(run.id)))).flat();
    const toolCalls = turns
      .filter(({ exceeded }) => exceeded === undefined)
      .reduce((sum, turn) => sum + turn.answer.calls.length, 0);
    real = add(real, { ...NOTHING, turns: turns.length, toolCalls, runs: tree.length - 1 });
    const ledger = (await bare.ledger(id)) ?? ledgerOfTop(budget);
    const left = [...reserved.values()].filter(({ by }) => by.mayLeave).map((one) => one.amounts);
    return {
      id,
      real,
      goneOfDay: await heldOn(day, { scope: 'all' }, bare),
      ledger: refilled(ledger, await gather(ledger, true, bare)),
      lost: [...left, ...forgotten].reduce(add, NOTHING),
      tree,
      writes,
      answers,
      operations: account.operations(),
    };
  }
}

/** What no event has closed is closed once its time is over. */
async function sweepAll(account: Account, id: string): Promise<void> {
  await account.time.goOn({ to: account.time.now() + 1000 * TIMEOUT_SECONDS });
  for (let sweeps = 0; sweeps < MOST_SWEEPS; sweeps++) {
    const tree = await account.bare.tree(id);
    if (tree.every((run) => !isIn(OPEN, run))) return;
    await account.time.goOn({ to: account.time.now() + SWEPT_EVERY_MS });
    await account.sweep();
    await account.run();
  }
}

/** The tree's spending by the top's ledger. */
export function countedIn({ ledger }: Pick<Played, 'ledger'>): Amounts {
  const left = free(ledger);
  return amounts((limit) => (ledger.received[limit] ?? Infinity) - left[limit]);
}
