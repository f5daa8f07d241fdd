import { StoreUnavailableError } from '../../src/errors.ts';
import { NOTHING_RUNS } from '../../src/core/lifecycle/ports.ts';

/** StopExecution and DescribeExecution in most Regions: at once, and each second (Step Functions, "Quotas"). */
const BURST = 250;
const REFILL = 10;

/** The attempts that the SDK makes, and the seconds between two of them. */
const ATTEMPTS = 3;
const PAUSES = [0.5, 1];

/** Seconds that a request takes. */
const LATENCY = 0.05;

/**
 * Executions of an account that takes no more requests than is documented. Time goes by with requests: those that are
 * made at once share it.
 */
export function stoppingQuota() {
  let now = 0;
  let tokens = BURST;
  let refilledAt = 0;
  let end = Infinity;
  let waiting: { at: number; go: () => void }[] = [];
  const stopped = new Set<string>();

  function take(): boolean {
    tokens = Math.min(BURST, tokens + (now - refilledAt) * REFILL);
    refilledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  }

  /** Goes on when nothing else can: the next that waits is the one whose time comes first. */
  async function wait(seconds: number): Promise<void> {
    const at = now + seconds;
    await new Promise<void>((go) => {
      waiting.push({ at, go });
      setImmediate(() => {
        const next = waiting.toSorted((one, other) => one.at - other.at)[0];
        if (next === undefined) return;
        waiting = waiting.filter((one) => one !== next);
        now = Math.max(now, next.at);
        next.go();
      });
    });
    if (now > end) throw new StoreUnavailableError('the function has lasted for as long as it may');
  }

  return {
    stopped,
    described: 0,
    /** Lets time pass. */
    pass: (seconds: number) => void (now += seconds),
    /** From now on, a function begins that lasts so long. */
    lastFor: (seconds: number) => void (end = now + seconds),
    executions: {
      ...NOTHING_RUNS.executions,
      async isRunning(this: void) {
        return true;
      },
      async stop(arn: string) {
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          await wait(LATENCY);
          if (take()) return void stopped.add(arn);
          const pause = PAUSES[attempt];
          if (pause !== undefined) await wait(pause);
        }
        throw new StoreUnavailableError('too many requests');
      },
    },
  };
}
