import { runOfExecution } from '../../src/core/records/run-id.ts';
import { settleRun } from '../../src/core/lifecycle/settle.ts';
import type { StatusChangeEvent } from '../../src/asl/executions/descriptions.ts';
import { StoreUnavailableError } from '../../src/errors.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Choices } from '../choices.ts';
import type { Functions } from './functions.ts';
import type { Invocations } from './invocations.ts';
import type { Steps } from './steps.ts';
import type { WorldTime } from './time.ts';

/** How events about ends of executions are delivered, for which Step Functions promises best effort: from 0 to 1. */
export interface Delivery {
  lost: number;
  doubled: number;
  /** By up to ten minutes. */
  late: number;
}

interface CallersOptions {
  time: WorldTime;
  choices: Choices;
  invocations: Invocations;
  functions: Functions;
  /** Absent: each event is delivered at once. */
  delivery?: Delivery | undefined;
  /** Whether functions that are called like this have a minute, and are given up in the end. */
  isLimited: boolean;
}

/** How late an event may be. */
const LATEST_MS = 600_000;

/** The time of a function that a person or an event calls. */
const FUNCTION_MS = 55_000;

/** The pauses after which Lambda repeats a failed call for an event, before it gives up. */
const EVENT_PAUSES = [60_000, 120_000];

/** The attempts of a person. */
const MOST_ATTEMPTS = 100;

/** How late an event that has found no record comes again, in milliseconds, at most. */
const AGAIN_MS = 60;

type Ports = ReturnType<Functions['portsOf']>;
export type Callers = ReturnType<typeof createCallers>;

/** Who calls functions besides the machine: EventBridge, by events, and people, who try again. */
export function createCallers(options: CallersOptions) {
  const { time, choices, invocations, functions, delivery, isLimited } = options;
  /** The events that were given up. */
  const deadLetters: unknown[] = [];

  /** Does something once, in a function of its own. */
  async function once<T>(
    steps: Steps,
    name: string,
    run: string,
    work: (ports: Ports) => Promise<T>,
  ): Promise<T> {
    const until = isLimited ? time.now() + FUNCTION_MS : Infinity;
    const invocation = invocations.begin({ process: steps.process, name, run, until });
    try {
      return await work(functions.portsOf(invocation, steps));
    } finally {
      functions.end(invocation);
    }
  }

  /**
   * Repeats something if a function dies or the store is throttled.
   * @param event that Lambda gives up in the end; absent: a person, who hardly ever does
   */
  async function repeated<T>(
    steps: Steps,
    name: string,
    run: string,
    work: (ports: Ports) => Promise<T>,
    event?: unknown,
  ): Promise<T | undefined> {
    for (let failed = 0; ; failed++) {
      try {
        return await once(steps, name, run, work);
      } catch (thrown) {
        if (!(thrown instanceof Death || thrown instanceof StoreUnavailableError)) throw thrown;
        if (isLimited && event === undefined && failed > MOST_ATTEMPTS) throw thrown;
      }
      if (!isLimited) continue;
      const pause = event === undefined ? 1_000 : EVENT_PAUSES[failed];
      if (pause === undefined) return void deadLetters.push(event);
      await time.pause(pause);
    }
  }

  /** Tells of an end again, since a function that is still at work may be writing the record. */
  async function settle(steps: Steps, event: StatusChangeEvent): Promise<void> {
    const run = runOfExecution(event.detail.name);
    for (let tries = 0; tries < 4; tries++) {
      const isKnown = await repeated(steps, 'settle', run, (ports) => settleRun(event, ports), event);
      if (isKnown !== false) return;
      await time.pause(1 + choices.upTo(AGAIN_MS));
    }
  }

  /** Tells of the end of an execution, if all goes well. */
  function deliver(steps: Steps, event: StatusChangeEvent): void {
    if (choices.happens(delivery?.lost)) return;
    for (let times = choices.happens(delivery?.doubled) ? 2 : 1; times > 0; times--) {
      const late = choices.happens(delivery?.late) ? choices.upTo(LATEST_MS) : 0;
      time.after(late, () => void settle(steps, event));
    }
  }

  return { once, repeated, deliver, deadLetters };
}
