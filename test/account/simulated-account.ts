import { setImmediate as tick } from 'node:timers/promises';
import { refilled } from '../../src/core/spending/refill.ts';
import { gather } from '../../src/core/spending/shares.ts';
import { openRun } from '../../src/core/lifecycle/open.ts';
import { NOTHING_RUNS } from '../../src/core/lifecycle/ports.ts';
import { settleRun } from '../../src/core/lifecycle/settle.ts';
import { takeTurn, type TurnOutput } from '../../src/core/turn/turn.ts';
import { ModelError, StoreUnavailableError } from '../../src/errors.ts';
import type { Json } from '../../src/json.ts';
import type { Model } from '../../src/core/model/model.ts';
import { createPrices } from '../../src/core/spending/prices.ts';
import type { TokenUsage } from '../../src/token-usage.ts';
import { free, openLedger, type Ledger } from '../../src/core/records/ledger.ts';
import { MAX_RUNS_PER_TREE } from '../../src/core/records/run.ts';
import { add, amounts, NOTHING, type Amounts } from '../../src/core/records/amounts.ts';
import { executionName, newRunId } from '../../src/core/records/run-id.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { Outcome } from '../../src/core/steps/outcome.ts';
import type { DelegateStep } from '../../src/core/steps/step.ts';
import type { Wave } from '../../src/core/steps/waves.ts';
import { createDocuments } from '../../src/places/store/documents.ts';
import { fromStored } from '../../src/places/store/stored.ts';
import { createRunStore } from '../../src/places/store/runs.ts';
import type { Key, Table } from '../../src/places/store/table.ts';
import { createMemoryTable, NO_BLOBS } from '../../src/places/store/memory-table.ts';
import { call } from '../fixtures/stage.ts';
import type { Scenario } from './scenario.ts';
import { Death } from '../fixtures/mortal.ts';
import { agentsOf, functionPorts, tableThrough } from './function-ports.ts';
import { randomOf } from '../fixtures/random-of.ts';

/**
 * An account in which the functions of the machine carry out one tree of runs, as Lambda and Step Functions would: each
 * call of a function has nothing in memory, is made again where it dies, and may be made twice. The providers' real
 * deliveries are counted apart from all ledgers.
 */

/** Step Functions ended the execution. */
class Aborted extends Error {}

interface Invocation {
  run: string;
  /** The machine does not wait for it: its run may be over while it is still at work. */
  isDuplicate: boolean;
  isDead: boolean;
  /** It threw, and may have left a reservation behind. */
  hasFailed: boolean;
}

export interface Write {
  run: string;
  by: string;
  written: boolean;
}

export interface Played {
  id: string;
  /** The deliveries of providers, and the calls that were carried out. */
  real: Amounts;
  /** The top's, after everything has ended and been gathered. */
  ledger: Ledger;
  /** The most that calls with an unknown end can cost when their run is settled for good. */
  lost: Amounts;
  tree: Run[];
  /** Of ledgers, failed ones too. */
  writes: Write[];
  /** Of the store. */
  operations: number;
  /** The words of each refusal. */
  refusals: string[];
  answers: number;
}

/** Of an account; the machine would give up a function that dies too often. */
const MOST_FAULTS = 100;

/** Time stands still: what happens when follows from the seed. */
const NOW = Date.parse('2026-01-01T00:00:00Z');

/** Of which an answer takes up to 20, and an operation of the store two or three. */
const TICKS_OF_A_SECOND = 20;

const NO_OUTCOMES: Outcome[] = [];

const PRICE = { input: 1, output: 4, cacheRead: 1, cacheWrite: 1 };

export async function play(scenario: Scenario, table: Table = createMemoryTable()): Promise<Played> {
  const { budget, levels, chances, seed, evenness } = scenario;
  const random = randomOf(seed);
  const happens = (chance: number) => chance > 0 && random() < chance;
  const idle = async (most: number) => {
    for (let ticks = Math.floor(random() * most); ticks > 0; ticks--) await tick();
  };
  let faults = 0;
  const fails = (chance: number) => faults < MOST_FAULTS && happens(chance) && ++faults > 0;
  const writes: Write[] = [];
  const reserved = new Map<string, { by: Invocation; amounts: Amounts }>();
  const forgotten: Amounts[] = [];
  const lingering: Promise<unknown>[] = [];
  const refusals: Played['refusals'] = [];
  let real = NOTHING;
  let answers = 0;
  let operations = 0;

  const prices = createPrices(new Map(levels.map((_, depth) => [`m/l${depth}`, PRICE])));
  const pay = (model: string, usage: TokenUsage) => {
    const tokens = usage.inputTokens + usage.outputTokens;
    real = add(real, { ...NOTHING, tokens, nanoUsd: prices.costOf(model, usage) ?? 0 });
  };

  /** The table as one call of a function sees it. */
  function tableOf(invocation: Invocation): Table {
    async function ask<T>(effect: () => Promise<T>): Promise<T> {
      if (invocation.isDead) throw new Death();
      await idle(3);
      const fault = operations++ === scenario.fault?.at ? scenario.fault.what : undefined;
      if (fault === 'is throttled' || fails(chances.throttle)) {
        throw new StoreUnavailableError('too many requests at once');
      }
      const dies = fault !== undefined || fails(chances.death);
      if (dies && (fault === undefined ? happens(0.5) : fault === 'dies before it')) invocation.isDead = true;
      if (invocation.isDead) throw new Death();
      const result = await effect();
      if (dies) invocation.isDead = true;
      if (invocation.isDead) throw new Death();
      await tick();
      return result;
    }
    const note = (key: Key, value: Json, written: boolean) => {
      if (key.sort !== 'ledger') return;
      writes.push({ run: key.partition.slice('run#'.length), by: invocation.run, written });
      if (!written) return;
      const ledger = fromStored<Ledger>(value, key.partition);
      for (const [owner, { amounts: of }] of Object.entries(ledger.reserved)) {
        if (!reserved.has(owner)) reserved.set(owner, { by: invocation, amounts: of });
      }
    };
    return tableThrough(table, ask, note);
  }

  function modelOf(name: string, invocation: Invocation): Model {
    const depth = Number(name.slice(1));
    const level = levels[depth];
    return {
      async send({ messages, maxTokens }) {
        await idle(scenario.slowness ?? 20);
        if (name === scenario.failing) throw new ModelError('server', 'no');
        const turn = 1 + messages.filter(({ role }) => role === 'assistant').length;
        const most = maxTokens || 1_000;
        const usage = {
          inputTokens: Math.ceil(JSON.stringify(messages).length / 5),
          outputTokens: Math.floor(most * random() ** evenness),
        };
        pay(`m/${name}`, usage);
        answers += 1;
        if (fails(chances.deathAtAnswer)) invocation.isDead = true;
        if (invocation.isDead) throw new Death();
        if (happens(chances.unusable)) {
          const spent = happens(0.5) ? usage : 'unknown';
          if (spent === 'unknown') {
            forgotten.push({
              ...NOTHING,
              ...[...reserved.values()].findLast(({ by }) => by === invocation)?.amounts,
            });
          }
          throw new ModelError('server', 'nothing in it', { spent });
        }
        const calls =
          level === undefined || depth + 1 >= levels.length || turn >= level.turns ? 0 : level.calls;
        return {
          text: 'k',
          calls: Array.from({ length: calls }, () => call(`l${depth + 1}`, 'x')),
          stopReason: 'end',
          rawStopReason: '',
          usage,
        };
      },
    };
  }

  const agents = await agentsOf(
    Object.fromEntries(
      levels.map(({ parallel }, depth) => {
        const below = depth + 1 < levels.length ? `sub_agents = ["l${depth + 1}"]\n` : '';
        const limits = `[sub_agents_config]\nmax_depth = 5\nparallel = ${parallel}\n`;
        const params =
          scenario.maxTokens === undefined ? '' : `[params]\nmax_tokens = ${scenario.maxTokens}\n`;
        return [`l${depth}`, `${below}${limits}${params}`];
      }),
    ),
  );

  function portsOf(invocation: Invocation) {
    const backOff = (attempts: number) => idle(Math.min(300, 10 * 4 ** attempts));
    return {
      ...functionPorts(tableOf(invocation), agents, (model) => modelOf(model.slice(2), invocation), backOff),
      prices,
      now: () => NOW,
      random,
    };
  }
  type Ports = ReturnType<typeof portsOf>;

  /** Calls a function as often as it dies, and sometimes once more than that. */
  async function invoke<T>(run: string, work: (ports: Ports) => Promise<T>): Promise<T> {
    const once = async (isDuplicate: boolean) => {
      const invocation = { run, isDuplicate, isDead: false, hasFailed: false };
      try {
        return await work(portsOf(invocation));
      } catch (thrown) {
        invocation.hasFailed = !(thrown instanceof ModelError);
        throw thrown;
      }
    };
    if (happens(chances.duplicate)) {
      lingering.push(
        (async () => {
          await idle(60);
          await once(true).catch(() => {});
        })(),
      );
    }
    for (let attempt = 0; ; attempt++) {
      try {
        return await once(false);
      } catch (thrown) {
        const passes = thrown instanceof Death || thrown instanceof StoreUnavailableError;
        if (!passes || attempt === 2 * MOST_FAULTS) throw thrown;
      }
    }
  }

  const deadline = NOW + 3_600_000;
  interface Execution {
    isAborted: boolean;
  }

  async function carry(
    run: string,
    holder: number,
    input: object,
    execution: Execution,
    depth: number,
  ): Promise<void> {
    const name = executionName(run, holder);
    const unlessAborted = <T>(value: T): T => {
      if (execution.isAborted) throw new Aborted();
      return value;
    };
    try {
      unlessAborted(undefined);
      await invoke(run, (ports) =>
        openRun(
          { execution: `arn:${name}`, name, redrives: 0, input: { run, holder, depth, ...input } },
          ports,
        ),
      );
      const always = { run, holder, execution: `arn:${name}`, deadline, timeout: 3600 };
      const begin = { attempt: 0, shortages: 0 };
      let event = { ...always, ...begin, turn: 1, outcomes: NO_OUTCOMES, waits: 0 };
      for (;;) {
        const output: TurnOutput = unlessAborted(
          await invoke(run, (ports) => takeTurn(event, ports, new AbortController().signal)),
        );
        if (output.next === 'answered' && output.status === 'budget_exceeded') {
          refusals.push((await bare.run(run))?.exceeded ?? '');
        }
        if (output.next === 'wait') {
          const { outcomes, attempt, shortages, waits } = output;
          const seconds = (Date.parse(output.until) - NOW) / 1000;
          for (let ticks = TICKS_OF_A_SECOND * seconds; ticks > 0; ticks--) await tick();
          event = { ...event, outcomes, attempt, shortages, waits };
        } else if (output.next === 'act') {
          const outcomes = await act(run, output.turn, delegations(output.waves), execution, depth);
          event = { ...event, ...begin, turn: output.turn + 1, outcomes };
        } else {
          return;
        }
        unlessAborted(undefined);
      }
    } catch (thrown) {
      if (thrown instanceof Aborted) {
        // EventBridge tells of the end again and again, until there is a record or the run cannot be opened any more.
        const detail = { executionArn: `arn:${name}`, name, status: 'ABORTED' };
        await invoke(run, (ports) => settleRun({ detail }, { ...NOTHING_RUNS, ...ports }));
        return;
      }
      const error = thrown instanceof Error ? thrown.name : 'Error';
      const detail = { executionArn: `arn:${name}`, name, status: 'FAILED', error, cause: String(thrown) };
      if (!(thrown instanceof ModelError)) throw thrown;
      await invoke(run, (ports) => settleRun({ detail }, { ...NOTHING_RUNS, ...ports }));
    }
  }

  async function act(
    parent: string,
    turn: number,
    steps: readonly DelegateStep[],
    execution: Execution,
    depth: number,
  ): Promise<Outcome[]> {
    const waiting = [...steps];
    const outcomes: Outcome[] = [];
    const one = async () => {
      for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
        const input = { agent: step.agent, deadline, parent: { run: parent, turn, call: step.call } };
        const child = carry(step.run, step.holder, input, execution, depth + 1);
        if (happens(chances.impatience)) {
          lingering.push(child);
          await idle(30);
          outcomes.push({ call: step.call, error: 'States.Timeout', cause: '' });
        } else {
          await child;
          outcomes.push({ call: step.call });
        }
      }
    };
    const isParallel = levels[depth]?.parallel ?? true;
    await Promise.all(Array.from({ length: isParallel ? 40 : 1 }, one));
    return outcomes;
  }

  const bare = createRunStore(table, createDocuments(table, NO_BLOBS));
  const id = newRunId('l0', NOW);
  await bare.saveRequest(id, { agent: 'l0', prompt: 'go', overrides: { budget } });
  let execution: Execution = { isAborted: false };
  let holder = 1;
  let ended = carry(id, holder, { agent: 'l0' }, execution, 0);
  for (const after of scenario.stops) {
    const until = answers + after;
    let isOver = false;
    void ended.finally(() => (isOver = true)).catch(() => {});
    while (answers < until && !isOver) await tick();
    if (isOver) break;
    execution.isAborted = true;
    lingering.push(ended);
    for (const run of await bare.tree(id)) {
      if (run.status !== 'running') continue;
      const detail = { executionArn: run.execution, name: run.execution.slice(4), status: 'ABORTED' };
      await invoke(run.id, (ports) => settleRun({ detail }, { ...NOTHING_RUNS, ...ports }));
    }
    if (scenario.isLeftStopped && after === scenario.stops.at(-1)) break;
    execution = { isAborted: false };
    holder += 1;
    ended = carry(id, holder, { agent: 'l0' }, execution, 0);
  }
  await ended;
  while (lingering.length > 0) await lingering.shift();

  const tree = await bare.tree(id);
  let carriedOut = 0;
  let made = 0;
  for (const run of tree) {
    const turns = await bare.turns(run.id);
    made += turns.length;
    carriedOut += turns
      .filter(({ exceeded }) => exceeded === undefined)
      .reduce((sum, { answer }) => sum + answer.calls.length, 0);
  }
  real = add(real, { ...NOTHING, turns: made, toolCalls: carriedOut, runs: tree.length - 1 });

  let ledger = (await bare.ledger(id)) ?? openLedger({ ...budget, runs: MAX_RUNS_PER_TREE });
  ledger = refilled(ledger, await gather(ledger, bare));
  const dead = [...reserved.values()]
    .filter(({ by }) => by.hasFailed || by.isDuplicate)
    .map((one) => one.amounts);
  return {
    id,
    real,
    ledger,
    lost: [...dead, ...forgotten].reduce(add, NOTHING),
    tree,
    writes,
    refusals,
    answers,
    operations,
  };
}

/** The tree's spending by the top's ledger. */
export function countedIn({ ledger }: Pick<Played, 'ledger'>): Amounts {
  const left = free(ledger);
  return amounts((limit) => (ledger.received[limit] ?? Infinity) - left[limit]);
}

/** Sub-agents are all that there is to call here. */
function delegations(waves: readonly Wave[]): DelegateStep[] {
  return waves.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === 'delegate' ? [step] : [])));
}
