import { StoreUnavailableError } from '../../src/errors.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Choices } from '../choices.ts';
import type { WorldTime } from './time.ts';

/** The work in one process, or in an account for its whole life: a crash ends it without a trace. */
export interface Process {
  isDead: boolean;
}

/** One call of a function, or one request of a person, with everything that it does at once. */
export interface Invocation {
  process: Process;
  /** `send` neither dies nor runs out of time: a person's message is repeated by that person alone. */
  name: string;
  run: string;
  isDead: boolean;
  /** It threw, or nobody waits for its answer: it may have left a reservation behind. */
  mayLeave: boolean;
  /** When its time is over. */
  until: number;
  /** How many of its operations wait for their end: if none does, it is at work, and no time passes. */
  waiting: number;
  isOver: boolean;
  /** It has stood still, which it does once at most: so it is known when nothing comes late any more. */
  hasFrozen: boolean;
}

/** What happens to one of all operations of functions, counted from 0: a death before or after it, or throttling. */
export interface Fault {
  at: number;
  when: 'before' | 'after' | 'throttled';
}

/** How often things happen to functions, from 0 to 1. */
export interface Chances {
  /** One dies at an operation, before or after it took effect. */
  death: number;
  /** The name of functions that die far more often than others. */
  frail?: string | undefined;
  /** The store is asked too much. */
  throttle: number;
  /** A function is called twice: the machine does not wait for the second call. */
  duplicate: number;
  /** How late the second call may come, in milliseconds; absent: hardly later than the first. */
  lateness?: number;
  /** A caller gives up its sub-agent, whose execution is stopped: a function of it that is at work continues. */
  impatience: number;
  /** The service has no room for an execution that a state starts. */
  refusal?: number;
  /** A file is being written by somebody else. */
  conflict?: number;
  /** A call is served by a process that has served others, and still knows what it read; absent: never. */
  warmth?: number;
  /** A function stands still at an operation, like a frozen process, and continues with a clock that has jumped. */
  freeze?: number;
}

/** How many times as often frail functions die. */
const FRAILTY = 10;

/** The longest that a function stands still. */
const FROZEN_MS = 1_200_000;

/** So that random faults come to an end. */
export const MOST_FAULTS = 100;

interface InvocationsOptions {
  time: WorldTime;
  choices: Choices;
  chances?: Chances | undefined;
  fault?: Fault | undefined;
  /** Milliseconds that an operation takes at most. */
  latency: number;
}

export type Invocations = ReturnType<typeof createInvocations>;

/** Carries out the operations of functions: each takes time, and may be the last. */
export function createInvocations({ time, choices, chances, fault, latency }: InvocationsOptions) {
  let operations = 0;
  let faults = 0;

  function begin(given: Pick<Invocation, 'process' | 'name' | 'run'> & Partial<Invocation>): Invocation {
    time.hold();
    const fresh = { isDead: false, mayLeave: false, waiting: 0, isOver: false, hasFrozen: false };
    return { ...fresh, until: Infinity, ...given };
  }

  function end(invocation: Invocation): void {
    invocation.isOver = true;
    if (invocation.waiting === 0 && !invocation.process.isDead) time.release();
  }

  /** Waits for work of somebody else. */
  async function away<T>(invocation: Invocation, work: () => Promise<T> | T): Promise<T> {
    if (invocation.process.isDead) return never();
    if (invocation.waiting++ === 0 && !invocation.isOver) time.release();
    try {
      return await work();
    } finally {
      if (invocation.process.isDead) await never();
      if (--invocation.waiting === 0 && !invocation.isOver) time.hold();
    }
  }

  /** One operation of a function. There are so many that each takes one promise, and few more. */
  function operate<T>(invocation: Invocation, effect: () => Promise<T> | T): Promise<T> {
    if (invocation.process.isDead) return never();
    if (invocation.waiting++ === 0 && !invocation.isOver) time.release();
    return new Promise<T>((resolve, reject) => {
      const back = () => {
        if (invocation.process.isDead) return false;
        if (--invocation.waiting === 0 && !invocation.isOver) time.hold();
        return true;
      };
      const fail = (thrown: unknown) => {
        if (back()) reject(thrown);
      };
      const begin = () => {
        if (invocation.process.isDead) return;
        try {
          carryOut(invocation, effect, (result) => back() && resolve(result), fail);
        } catch (thrown) {
          fail(thrown);
        }
      };
      if (invocation.isDead) return fail(new Death());
      time.after(1 + choices.upTo(latency - 1), () => {
        if (invocation.hasFrozen || !choices.happens(chances?.freeze)) return begin();
        invocation.hasFrozen = true;
        time.after(choices.upTo(FROZEN_MS), begin);
      });
    });
  }

  /** @throws what befalls the operation before it takes effect */
  function carryOut<T>(
    invocation: Invocation,
    effect: () => Promise<T> | T,
    done: (result: T) => void,
    fail: (thrown: unknown) => void,
  ): void {
    if (invocation.isDead) throw new Death();
    const isSend = invocation.name === 'send';
    if (!isSend && time.now() > invocation.until) throw new StoreUnavailableError('its time is over');
    const befalls = isSend ? undefined : operations++ === fault?.at ? fault.when : byChance(invocation);
    if (befalls === 'throttled') throw new StoreUnavailableError('too many requests at once');
    if (befalls === 'before') die(invocation);
    Promise.resolve(effect()).then((result) => {
      if (befalls !== 'after') return done(result);
      invocation.isDead = true;
      fail(new Death());
    }, fail);
  }

  function die(invocation: Invocation): never {
    invocation.isDead = true;
    throw new Death();
  }

  function byChance({ name }: Invocation): Fault['when'] | undefined {
    if (faults >= MOST_FAULTS) return undefined;
    const isThrottled = choices.happens(chances?.throttle);
    const death = (chances?.death ?? 0) * (name === chances?.frail ? FRAILTY : 1);
    if (!isThrottled && !choices.happens(death)) return undefined;
    faults += 1;
    if (isThrottled) return 'throttled';
    return choices.happens(0.5) ? 'after' : 'before';
  }

  return {
    begin,
    end,
    away,
    operate,
    /** How many there were. */
    operations: () => operations,
  };
}

/** Nothing goes on in a process that is gone. */
function never<T>(): Promise<T> {
  return new Promise(() => {});
}
