import type { Json } from '../../json.ts';
import type { MapState, NumberField, ParallelState, States } from '../definition/definition.ts';
import { StateFailure } from '../executions/errors.ts';
import { ThreadGroup, type Entered, type Exit, type RunStates, type Thread } from '../executions/thread.ts';
import type { Visit } from '../executions/visit.ts';
import { evaluateItems, EvaluationError } from '../expressions/expression.ts';

/** The most iterations of an inline Map at once, regardless of MaxConcurrency. */
const MAX_CONCURRENCY = 40;

const isCount = (value: number) => Number.isInteger(value) && value >= 0;
const A_COUNT = 'an integer of 0 or more';

/** Runs all branches at once on the same input; the first to fail ends the others. */
export async function enterParallel(visit: Visit, state: ParallelState, run: RunStates): Promise<Exit> {
  const { thread } = visit;
  const input = state.arguments === undefined ? visit.input : await visit.data(state.arguments);
  const { parts } = visit.entered;
  if (parts.length === 0) thread.record('ParallelStateStarted');

  const group = new ThreadGroup(thread, parts);
  const runBranch = async (states: States, index: number): Promise<Json> => {
    const part = parts[index];
    if (isDone(part)) return part.output;
    const branch = group.open(index);
    try {
      const output = await run(branch, states, input);
      group.ended(branch);
      parts[index] = { output };
      return output;
    } catch (thrown) {
      if (thrown instanceof StateFailure) group.fail(branch, thrown);
      throw thrown;
    }
  };
  const result = await group.all(state.branches.map((states, index) => runBranch(states, index)));
  visit.checkSize(result);
  thread.recordAside('ParallelStateSucceeded');
  return visit.exit(state, result, { result });
}

/** Runs the processor for each item; more failures than are tolerated end the iterations that still run. */
export async function enterMap(visit: Visit, state: MapState, run: RunStates): Promise<Exit> {
  const items = await readItems(visit, state);
  const limit = await visit.number(state.maxConcurrency, 'MaxConcurrency', isCount, A_COUNT);
  const tolerated = await toleratedFailures(visit, state, items.length);
  const concurrency = Math.min(limit || MAX_CONCURRENCY, MAX_CONCURRENCY);
  const result = await new Iterations(visit, state, items, tolerated, run).run(concurrency);
  visit.checkSize(result);
  visit.thread.recordAside('MapStateSucceeded');
  return visit.exit(state, result, { result });
}

type Part = Entered['parts'][number];

/** Whether a branch or an iteration has succeeded, be it before a redrive. */
function isDone(part: Part): part is { output: Json } {
  return part !== undefined && 'output' in part;
}

/** The iterations of one attempt at a Map state, or those that a redrive finds undone. */
class Iterations {
  readonly #group: ThreadGroup;
  readonly #parts: Part[];
  /** By index. */
  readonly #undone: number[];
  #failed = 0;

  constructor(
    readonly visit: Visit,
    readonly state: MapState,
    readonly items: Json[],
    readonly tolerated: number,
    readonly runStates: RunStates,
  ) {
    this.#parts = visit.entered.parts;
    this.#group = new ThreadGroup(visit.thread, this.#parts);
    this.#undone = [...items.keys()].filter((index) => !isDone(this.#parts[index]));
  }

  /** @returns the outputs in the order of the items, without those of tolerated failures */
  async run(concurrency: number): Promise<Json[]> {
    if (this.#parts.length === 0) this.visit.thread.record('MapStateStarted', { length: this.items.length });
    const first = this.#undone.splice(0, concurrency).map((index) => this.#start(index));
    await this.#group.all(first.map((thread) => this.#runFrom(thread)));
    return this.#parts.filter(isDone).map(({ output }) => output);
  }

  #start(index: number): Thread {
    const thread = this.#group.open(index, { Item: { Index: index, Value: this.items[index] ?? null } });
    if (thread.iteration !== undefined) return thread;
    thread.iteration = { index, name: this.state.name };
    thread.record('MapIterationStarted', thread.iteration);
    return thread;
  }

  /** Runs an iteration and then, one after another, those that no other worker has taken. */
  async #runFrom(first: Thread): Promise<void> {
    for (let thread = first; ;) {
      await this.#runOne(thread);
      const next = this.#undone.shift();
      if (next === undefined) return;
      thread = this.#start(next);
    }
  }

  async #runOne(thread: Thread): Promise<void> {
    const index = thread.iteration?.index ?? 0;
    try {
      const input = await this.#select(thread, index);
      const output = await this.runStates(thread, this.state.processor, input);
      this.#group.ended(thread);
      const succeededId = thread.recordAside('MapIterationSucceeded', thread.iteration);
      this.#parts[index] = { output };
      // The next iteration follows on the last state of this one, the end of the Map on the iteration's own end.
      if (this.#undone.length === 0) this.visit.thread.lastEventId = succeededId;
    } catch (thrown) {
      if (!(thrown instanceof StateFailure)) throw thrown;
      this.#failed++;
      if (this.#failed > this.tolerated || thrown.errorName === 'States.Runtime') {
        this.#group.fail(thread, thrown);
        throw thrown;
      }
      this.#group.ended(thread);
      thread.recordFailed();
    }
  }

  async #select(thread: Thread, index: number): Promise<Json> {
    const { itemSelector } = this.state;
    if (itemSelector === undefined) return this.items[index] ?? null;
    const selecting = this.visit.within(thread);
    try {
      return await selecting.data(itemSelector);
    } catch (thrown) {
      throw selecting.toFailure(thrown);
    }
  }
}

async function readItems(visit: Visit, { items }: MapState): Promise<Json[]> {
  if (items === undefined) {
    if (Array.isArray(visit.input)) return visit.input;
    throw new EvaluationError(
      `Map state input must be an array but was: ${JSON.stringify(visit.input)}`,
      undefined,
    );
  }
  return Array.isArray(items)
    ? evaluateItems(items, (item) => visit.evaluate(item))
    : visit.valueOf(items, 'array');
}

async function toleratedFailures(visit: Visit, state: MapState, items: number): Promise<number> {
  const { toleratedFailureCount: count, toleratedFailurePercentage: percentage } = state;
  if (count === undefined && percentage === undefined) return 0;
  return Math.min(
    count === undefined ? Infinity : await visit.number(count, 'ToleratedFailureCount', isCount, A_COUNT),
    percentage === undefined ? Infinity : Math.floor((items * (await percentageOf(visit, percentage))) / 100),
  );
}

function percentageOf(visit: Visit, field: NumberField): number | Promise<number> {
  return visit.number(
    field,
    'ToleratedFailurePercentage',
    (value) => value >= 0 && value <= 100,
    'a number from 0 to 100',
  );
}
