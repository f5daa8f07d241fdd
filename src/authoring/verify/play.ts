import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { nameInArn } from '../../arn.ts';
import { RESERVED_PREFIX } from '../../core/agent-schema/agent-name.ts';
import { newRunId, treeKey } from '../../core/records/run-id.ts';
import type { Run } from '../../core/records/run.ts';
import { resultOf } from '../../core/records/turn.ts';
import { deployedName, type VerificationAgent } from './agents.ts';
import { ServiceEvent, isEnd, nested, toBranches } from './history.ts';
import { unlessEnded } from '../../places/environment-errors.ts';
import type { Rig } from './rig.ts';
import { counted } from '../../counted.ts';

/** The observations that are compared with another place's of the same scenario: lines of text by subject. */
export type Observed = ReadonlyMap<string, readonly string[]>;

/** One scenario as it is played in one place, with what it observes and what it has to clean up. */
export class Play {
  readonly #runs: string[] = [];
  readonly #observed = new Map<string, readonly string[]>();
  #status = '';
  #executions = 0;
  #events = 0;
  #transitions = 0;

  /** @param signal ends the wait */
  constructor(
    readonly rig: Rig,
    readonly signal: AbortSignal,
  ) {}

  /** The ids of the tops of the trees that it started. */
  get runs(): readonly string[] {
    return this.#runs;
  }

  get observed(): Observed {
    return this.#observed;
  }

  /** Of the run at the top, when it was observed; "" before. */
  get status(): string {
    return this.#status;
  }

  get counts() {
    return { executions: this.#executions, events: this.#events, transitions: this.#transitions };
  }

  /** Starts an agent, as `cadre run` does. */
  async start(agent: VerificationAgent): Promise<Run> {
    const name = deployedName(agent);
    const id = newRunId(name, Date.now());
    this.own(id);
    return this.rig.start({ id, request: { agent: name, prompt: 'go' } });
  }

  /** Takes charge of a run that was started in another way. */
  own(run: string): void {
    this.#runs.push(run);
  }

  /** Looks again and again until there is something. @throws what the signal was aborted with */
  async until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (;;) {
      this.signal.throwIfAborted();
      const seen = await look();
      if (seen !== undefined) return seen;
      await delay(this.rig.pollMs, undefined, { signal: this.signal }).catch(() => {});
    }
  }

  /** The history of an execution so far. */
  async history(execution: string): Promise<ServiceEvent[]> {
    return v.parse(v.array(ServiceEvent), await this.rig.history(execution));
  }

  /** Waits until the newest event of an execution is of this type, with nothing to follow it for a while. */
  async comesTo(execution: string, type: string): Promise<void> {
    await this.until(async () => ((await this.history(execution)).at(-1)?.type === type ? true : undefined));
  }

  /** The history of an execution once it has ended this many times. */
  ended(execution: string, times = 1): Promise<ServiceEvent[]> {
    return this.until(async () => {
      const events = await this.history(execution);
      const last = events.at(-1);
      const hasEnded = last !== undefined && isEnd(last) && events.filter(isEnd).length >= times;
      return hasEnded ? events : undefined;
    });
  }

  /** Waits until an execution has ended and all nested in it: with one that is stopped, these are stopped after it. */
  async endedWithNested(execution: string): Promise<void> {
    for (const child of nested(await this.ended(execution))) await this.endedWithNested(child);
  }

  /** The whole tree of a run, when all records in it are closed. */
  closed(run: string): Promise<Run[]> {
    return this.until(async () => {
      const tree = await this.rig.records.tree(run);
      return tree.length > 0 && tree.every(({ status }) => status !== 'running') ? tree : undefined;
    });
  }

  note(about: string, ...lines: string[]): void {
    this.#observed.set(about, lines);
  }

  /**
   * Waits for the end of a tree, and notes its result: its records, and the histories of its executions.
   * @param executions the ARNs of those that no other of them started
   */
  async observe(run: string, ...executions: string[]): Promise<void> {
    for (const execution of executions) await this.#observeExecution(execution, run);
    const tree = await this.closed(run);
    for (const each of tree) {
      const { status, failure, usage } = each;
      this.note(
        `run ${shortName(each.id, run)}`,
        failure === undefined ? status : `${status}: ${failure.error}`,
        `${counted(usage.turns, 'turn')}, ${counted(usage.toolCalls, 'call')}`,
      );
    }
    const top = tree.find(({ id }) => id === run);
    if (top === undefined) return;
    this.#status = top.status;
    this.note('answer', resultOf(top, await this.rig.records.turns(run)));
  }

  async #observeExecution(execution: string, run: string): Promise<void> {
    const events = await this.ended(execution);
    this.#executions += 1;
    this.#events += events.length;
    this.#transitions += events.filter(({ type }) => type.endsWith('StateEntered')).length;
    const name = shortName(nameInArn(execution), run);
    for (const [branch, lines] of toBranches(events)) {
      this.note(['execution', name, ...(branch === '' ? [] : [branch])].join(' '), ...lines);
    }
    for (const child of nested(events)) await this.#observeExecution(child, run);
  }

  /** Stops everything that the scenario left running. */
  async stop(cause: string): Promise<void> {
    for (const id of this.#runs) {
      for (const run of await this.rig.records.tree(id)) {
        if (run.status === 'running') await this.rig.stop(run, cause).catch(unlessEnded);
      }
    }
  }
}

/**
 * The name of a run or an execution without the parts that differ from tree to tree; `schedule` for one of another
 * machine.
 */
function shortName(name: string, run: string): string {
  const key = `-${treeKey(run)}`;
  return name.includes(key) ? name.replace(key, '').slice(RESERVED_PREFIX.length) : 'schedule';
}
