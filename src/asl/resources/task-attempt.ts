import { isJsonObject, type Json, type JsonObject } from '../../json.ts';
import type { TaskResource } from '../definition/definition.ts';
import type { Soon } from '../expressions/soon.ts';
import type { Abandon } from '../executions/cancellation.ts';
import { dataLimitFailure, StateFailure } from '../executions/errors.ts';
import type { EventDetails } from '../executions/execution.ts';
import type { Callback, CallbackResult } from '../executions/task-tokens.ts';
import type { Visit } from '../executions/visit.ts';

/** The most characters of a cause. That of a child or a function that failed is a JSON text, which this may cut. */
const MAX_CAUSE = 32_768;

/** How long an attempt at a task may take, as its state says. */
export interface TaskLimits {
  timeoutSeconds: number | undefined;
  heartbeatSeconds: number | undefined;
}

/** One attempt at a task: its events, its clock, and how it ends. */
export class TaskAttempt {
  readonly #callback: Callback | undefined;
  #deadline: number | undefined;

  constructor(
    readonly visit: Visit,
    readonly resource: TaskResource,
    readonly limits: TaskLimits,
    /** The task's input. */
    readonly input: Json,
  ) {
    const { taskToken, thread } = visit;
    this.#callback =
      taskToken === undefined ? undefined : thread.execution.environment.tokens.expect(taskToken);
  }

  /** From now on messages for the task's token come too late. */
  close(): void {
    this.#callback?.close();
  }

  /**
   * The arguments for an operation of a service, and the one of them that names what it is about.
   * @throws StateFailure States.Runtime if that is missing
   */
  target(field: string): [name: string, given: JsonObject] {
    const given = isJsonObject(this.input) ? this.input : {};
    const name = given[field];
    if (typeof name === 'string') return [name, given];
    throw this.visit.runtimeFailure(
      `The Arguments '${JSON.stringify(this.input)}' could not be used to start the Task: [The required field '${field}' is missing or no text]`,
    );
  }

  /** Records that the task is scheduled and started, which starts its clock. */
  start(): void {
    const { thread } = this.visit;
    const { environment } = thread.execution;
    const { timeoutSeconds, heartbeatSeconds } = this.limits;
    const details: EventDetails = {
      timeoutInSeconds: timeoutSeconds,
      heartbeatInSeconds: heartbeatSeconds,
    };
    if (this.resource.resourceType === undefined) {
      details.resource = this.resource.arn;
      details.input = this.input;
      thread.record('LambdaFunctionScheduled', details);
      thread.record('LambdaFunctionStarted');
    } else {
      details.region = environment.region;
      details.parameters = this.input;
      this.#record('Scheduled', details);
      this.#record('Started', {});
    }
    if (timeoutSeconds !== undefined) this.#deadline = environment.clock.now() + 1000 * timeoutSeconds;
  }

  /**
   * Waits for `begin` to resolve, to reject or to time out. When the task's own time is up, or its thread is given
   * up, calls what `begin` returned.
   * @throws StateFailure States.Timeout
   */
  wait<T>(begin: (resolve: (value: T) => void, reject: (reason: unknown) => void) => Abandon): Promise<T> {
    const { cancellation, execution } = this.visit.thread;
    const { clock } = execution.environment;
    const deadline = this.#deadline;
    return cancellation.wait<T>((resolve, reject) => {
      const timeOut = () => {
        abandon();
        reject(this.#timedOut());
      };
      const stopClock = deadline === undefined ? () => {} : clock.after(deadline - clock.now(), timeOut);
      const abandon = begin(
        (value) => {
          stopClock();
          resolve(value);
        },
        (reason) => {
          stopClock();
          reject(reason);
        },
      );
      return () => {
        stopClock();
        abandon();
      };
    });
  }

  /**
   * Records the time-out. An exception thrown in a timer would go uncaught, so the failure is returned.
   * @param alsoKnownAs other names under which a retrier or catcher may list the failure
   * @returns the failure; or why there is no room for it in the history
   */
  #timedOut(alsoKnownAs?: string[]): unknown {
    try {
      this.#record('TimedOut', { error: 'States.Timeout' });
      return new StateFailure('States.Timeout', undefined, alsoKnownAs);
    } catch (thrown) {
      return thrown;
    }
  }

  /** Records what the service that was called answered, before it is waited for what it started. */
  submitted(answer: Json): void {
    this.#record('Submitted', { output: answer });
  }

  /**
   * Ends the attempt with the service's answer, or, where the task has a token, with the message for that.
   * @param counted the part of the answer that counts against the limit
   * @throws StateFailure
   */
  answered(answer: Json, counted = answer): Soon<Json> {
    if (this.#callback === undefined) return this.succeed(answer, counted);
    this.submitted(answer);
    return this.#waitFor(this.#callback).then((sent) => {
      if ('output' in sent) return this.succeed(sent.output);
      throw this.fail(sent.error, sent.cause);
    });
  }

  /** Waits until the token comes back, as long as the task and its heartbeat allow. */
  #waitFor(callback: Callback): Promise<CallbackResult> {
    const { clock } = this.visit.thread.execution.environment;
    const { heartbeatSeconds } = this.limits;
    return this.wait<CallbackResult>((resolve, reject) => {
      let stopClock = () => {};
      const restartClock = () => {
        stopClock();
        if (heartbeatSeconds === undefined) return;
        stopClock = clock.after(1000 * heartbeatSeconds, () =>
          reject(this.#timedOut(['States.HeartbeatTimeout'])),
        );
      };
      restartClock();
      callback.listen({
        onHeartbeat: restartClock,
        onSent(sent) {
          stopClock();
          resolve(sent);
        },
      });
      return () => stopClock();
    });
  }

  /**
   * Ends the attempt with a result.
   * @param counted the part of it that counts against the limit
   * @throws StateFailure States.DataLimitExceeded if it is too large
   */
  succeed(result: Json, counted = result): Json {
    const failure = dataLimitFailure(counted, this.resource.arn);
    if (failure !== undefined) throw this.fail(failure.errorName, failure.causeText);
    this.#record('Succeeded', { output: result });
    return result;
  }

  /** Ends the attempt with a failure, to be thrown. */
  fail(errorName: string | undefined, causeText: string | undefined): StateFailure {
    const cause = causeText?.slice(0, MAX_CAUSE);
    this.#record('Failed', { error: errorName, cause });
    return new StateFailure(errorName, cause);
  }

  /** @param details of this event alone, which the resource is added to */
  #record(what: string, details: EventDetails): void {
    const { thread } = this.visit;
    if (this.resource.resourceType === undefined) {
      thread.record(`LambdaFunction${what}`, details);
      return;
    }
    details.resourceType = this.resource.resourceType;
    details.resource = this.resource.resource;
    thread.record(`Task${what}`, details);
  }
}
