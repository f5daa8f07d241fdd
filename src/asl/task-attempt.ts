import type { Json } from '../json.ts';
import type { Abandon } from './cancellation.ts';
import { dataLimitExceeded, StateFailure } from './failure.ts';
import type { EventDetails } from './history.ts';
import { fitsDataLimit } from './json-value.ts';
import type { Visit } from './visit.ts';

/** The most characters of a cause. That of a child or a function that failed is a JSON text, which this may cut. */
const MAX_CAUSE = 32_768;

/** How long an attempt at a task may take, as its state says. */
export interface TaskLimits {
  timeoutSeconds: number | undefined;
  heartbeatSeconds: number | undefined;
}

/** What the events of a task say of it: a resource of the service, or the Lambda function that it names outright. */
export type TaskKind =
  { resourceType: string; resource: string; arn: string } | { resourceType?: undefined; arn: string };

/** The time of a task is up. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';

  constructor(readonly alsoKnownAs: string[] = []) {
    super('timed out');
  }
}

/** What a resource is given to run one attempt at a task. */
export interface TaskRequest {
  visit: Visit;
  /** The resource, as it stands in the definition. */
  arn: string;
  arguments: Json;
  limits: TaskLimits;
}

/** One attempt at a task: its events, its clock, and how it ends. */
export class TaskAttempt {
  readonly #deadline: number | undefined;

  /** Records that the task is scheduled and started, which starts its clock. */
  constructor(
    readonly visit: Visit,
    readonly kind: TaskKind,
    readonly limits: TaskLimits,
    /** What the task is given. */
    readonly parameters: Json,
  ) {
    const { environment } = visit.thread.execution;
    const limit = { timeoutInSeconds: limits.timeoutSeconds, heartbeatInSeconds: limits.heartbeatSeconds };
    if (kind.resourceType === undefined) {
      visit.thread.record('LambdaFunctionScheduled', { resource: kind.arn, input: parameters, ...limit });
      visit.thread.record('LambdaFunctionStarted');
    } else {
      this.#record('Scheduled', { region: environment.region, parameters, ...limit });
      this.#record('Started', {});
    }
    if (limits.timeoutSeconds !== undefined) {
      this.#deadline = environment.clock.now() + 1000 * limits.timeoutSeconds;
    }
  }

  /**
   * Waits for `begin` to resolve, to reject or to time out. When the task's own time is up, or its thread is given
   * up, calls what `begin` returned.
   * @throws StateFailure States.Timeout
   */
  async wait<T>(
    begin: (resolve: (value: T) => void, reject: (reason: unknown) => void) => Abandon,
  ): Promise<T> {
    const { clock } = this.visit.thread.execution.environment;
    try {
      return await this.visit.thread.cancellation.wait<T>((resolve, reject) => {
        let stopClock: Abandon = () => {};
        let settled = false;
        const settle = () => {
          settled = true;
          stopClock();
        };
        const abandon = begin(
          (value) => {
            settle();
            resolve(value);
          },
          (reason) => {
            settle();
            reject(reason);
          },
        );
        if (this.#deadline !== undefined && !settled) {
          stopClock = clock.after(this.#deadline - clock.now(), () => {
            abandon();
            reject(new TimedOut());
          });
        }
        return () => {
          stopClock();
          abandon();
        };
      });
    } catch (thrown) {
      if (!(thrown instanceof TimedOut)) throw thrown;
      this.#record('TimedOut', { error: 'States.Timeout' });
      throw new StateFailure('States.Timeout', undefined, thrown.alsoKnownAs);
    }
  }

  /** Records what the service that was called answered, before it is waited for what it started. */
  submitted(output: Json): void {
    this.#record('Submitted', { output });
  }

  /**
   * Ends the attempt with a result.
   * @param counted the part of it that counts against the limit
   * @throws StateFailure States.DataLimitExceeded if it is too large
   */
  succeed(result: Json, counted = result): Json {
    if (!fitsDataLimit(JSON.stringify(counted))) {
      const { errorName, causeText } = dataLimitExceeded(this.kind.arn);
      throw this.fail(errorName, causeText);
    }
    this.#record('Succeeded', { output: result });
    return result;
  }

  /** Ends the attempt with a failure, to be thrown. */
  fail(errorName: string | undefined, causeText: string | undefined): StateFailure {
    const cause = causeText?.slice(0, MAX_CAUSE);
    this.#record('Failed', { error: errorName, cause });
    return new StateFailure(errorName, cause);
  }

  #record(what: string, details: EventDetails): void {
    const { resourceType } = this.kind;
    if (resourceType === undefined) this.visit.thread.record(`LambdaFunction${what}`, details);
    else this.visit.thread.record(`Task${what}`, { ...details, resourceType, resource: this.kind.resource });
  }
}
