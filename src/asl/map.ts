import type { Json } from '../json.ts';
import type { MapState } from './definition.ts';
import { dataLimitExceeded, EvaluationError, StateFailure } from './failure.ts';
import { fitsDataLimit } from './json-value.ts';
import type { RunStates } from './run-states.ts';
import { ThreadGroup } from './thread-group.ts';
import type { Thread } from './thread.ts';
import type { Exit, Visit } from './visit.ts';

/** The most iterations of an inline Map at once, whatever MaxConcurrency says. */
const MAX_CONCURRENCY = 40;

const isCount = (value: number) => Number.isInteger(value) && value >= 0;
const isPercentage = (value: number) => value >= 0 && value <= 100;

/** Runs the processor for each item; more failures than are tolerated end the iterations that still run. */
export async function enterMap(visit: Visit, state: MapState, run: RunStates): Promise<Exit> {
  const items = await readItems(visit, state);
  const concurrency = (await count(visit, state, 'maxConcurrency', 'MaxConcurrency')) || MAX_CONCURRENCY;
  const tolerated = await toleratedFailures(visit, state, items.length);
  const result = await new Iterations(visit, state, items, tolerated, run).run(
    Math.min(concurrency, MAX_CONCURRENCY),
  );
  if (!fitsDataLimit(JSON.stringify(result))) throw dataLimitExceeded(state.name);
  visit.thread.recordAside('MapStateSucceeded');
  return visit.exit(state, result, { result });
}

/** The iterations of one attempt at a Map state. */
class Iterations {
  readonly #group: ThreadGroup;
  readonly #results: Json[] = [];
  readonly #failed = new Set<number>();
  #next = 0;

  constructor(
    readonly visit: Visit,
    readonly state: MapState,
    readonly items: Json[],
    readonly tolerated: number,
    readonly runStates: RunStates,
  ) {
    this.#group = new ThreadGroup(visit);
  }

  /** @returns the outputs in the order of the items, without those of tolerated failures */
  async run(concurrency: number): Promise<Json[]> {
    this.visit.thread.record('MapStateStarted', { length: this.items.length });
    const first = Array.from({ length: Math.min(concurrency, this.items.length) }, () => this.#start());
    await this.#group.all(first.map((iteration) => this.#runFrom(iteration)));
    return this.#results.filter((_, index) => !this.#failed.has(index));
  }

  #start(): { thread: Thread; index: number } {
    const index = this.#next++;
    const thread = this.#group.add({ Item: { Index: index, Value: this.items[index] ?? null } });
    thread.iteration = { index, name: this.state.name };
    thread.record('MapIterationStarted', thread.iteration);
    return { thread, index };
  }

  /** Runs an iteration and then, one after another, those for which nobody else has time. */
  async #runFrom(first: { thread: Thread; index: number }): Promise<void> {
    for (let { thread, index } = first; ; { thread, index } = this.#start()) {
      await this.#runOne(thread, index);
      if (this.#next >= this.items.length) return;
    }
  }

  async #runOne(thread: Thread, index: number): Promise<void> {
    try {
      const input = await this.#select(thread, index);
      this.#results[index] = await this.runStates(thread, this.state.processor, input);
      this.#group.ended(thread);
      const succeededId = thread.recordAside('MapIterationSucceeded', thread.iteration);
      // The next iteration follows on the last state of this one, the end of the Map on the iteration's own end.
      if (this.#next >= this.items.length) this.visit.thread.lastEventId = succeededId;
    } catch (thrown) {
      if (!(thrown instanceof StateFailure)) throw thrown;
      this.#failed.add(index);
      this.#results[index] = null;
      if (this.#failed.size > this.tolerated || thrown.errorName === 'States.Runtime') {
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
  const value = await visit.evaluate(items);
  if (Array.isArray(value)) return value;
  if (items.kind === 'expression') throw items.expression.unexpectedType('array', value);
  throw new TypeError(`Items of state "${visit.state.name}" are no array`);
}

async function toleratedFailures(visit: Visit, state: MapState, items: number): Promise<number> {
  const number = await count(visit, state, 'toleratedFailureCount', 'ToleratedFailureCount');
  const field = state.toleratedFailurePercentage;
  const percentage =
    field === undefined
      ? 0
      : await visit.number(field, 'ToleratedFailurePercentage', isPercentage, 'a number from 0 to 100');
  return Math.max(number, Math.floor((items * percentage) / 100));
}

async function count(
  visit: Visit,
  state: MapState,
  key: 'maxConcurrency' | 'toleratedFailureCount',
  name: string,
): Promise<number> {
  const field = state[key];
  return field === undefined ? 0 : visit.number(field, name, isCount, 'an integer of 0 or more');
}
