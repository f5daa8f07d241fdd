import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { LambdaServiceError } from '../../src/asl/executions/ports.ts';
import type { LoadedAgent } from '../../src/core/agent-schema/agent-source.ts';
import { advanceBucket } from '../../src/core/batches/advance-bucket.ts';
import { control } from '../../src/core/lifecycle/control.ts';
import { giveUpRemote } from '../../src/core/lifecycle/give-up-remote.ts';
import { openRun } from '../../src/core/lifecycle/open.ts';
import { settleRun } from '../../src/core/lifecycle/settle.ts';
import { EXPRESS_SECONDS, isExpress } from '../../src/core/machine/express.ts';
import type { ExecutionEnd } from '../../src/core/machine/executions.ts';
import { RemoteRequest } from '../../src/core/records/remote.ts';
import type { Run } from '../../src/core/records/run.ts';
import type { PlaceLimits } from '../../src/core/spending/allot.ts';
import type { Prices } from '../../src/core/spending/prices.ts';
import type { CallFunction, ToolServers } from '../../src/core/tool-contracts/tool.ts';
import { carryOutCall } from '../../src/core/turn/call.ts';
import { takeTurn } from '../../src/core/turn/turn.ts';
import { ModelError } from '../../src/errors.ts';
import type { Json } from '../../src/json.ts';
import { createOpenBucket } from '../../src/places/aws/open-bucket.ts';
import { createEmbeddedExecutions, createEmbeddedWake } from '../../src/places/local/embedded.ts';
import type { Key, Table } from '../../src/places/store/table.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Choices } from '../choices.ts';
import type { Bucket } from './bucket.ts';
import { toClaim } from './claims.ts';
import { createContainers } from './containers.ts';
import { functionPorts, type Kept, keptOn, tableThrough } from './function-ports.ts';
import type { Chances, Invocation, Invocations } from './invocations.ts';
import type { Models } from './models.ts';
import type { OtherAgents } from './other-agents.ts';
import { controlPlaneOf, type Quotas } from './quotas.ts';
import type { Steps } from './steps.ts';
import type { WorldTime } from './time.ts';

export interface FunctionsOptions {
  time: WorldTime;
  choices: Choices;
  invocations: Invocations;
  models: Models;
  table: Table;
  agents: ReadonlyMap<string, LoadedAgent>;
  bucket: Bucket;
  prices: Prices;
  limits?: PlaceLimits | undefined;
  chances?: Chances | undefined;
  quotas?: Quotas | undefined;
  others: OtherAgents;
  /** Whether functions end when their time is over, and models are given up; absent: everything may take any time. */
  isTimed: boolean;
  callFunction?:
    ((by: Invocation, call: Parameters<CallFunction>[0]) => ReturnType<CallFunction>) | undefined;
  onPut(by: Invocation, key: Key, value: Json, written: boolean): void;
  onBegun(by: Invocation, payload: Json): void;
  onFailed(by: Invocation, thrown: unknown): void;
}

/** How late the second of two calls of a function comes at most, in milliseconds, by default. */
const LATEST_DUPLICATE_MS = 60;

/** How often nobody hears that a task is to be given up, where functions die: Lambda may lose what it has accepted. */
const UNHEARD = 0.3;

/** How often it loses the same request at most, sweeps included. */
const MOST_UNHEARD = 3;

/** The longest that a function lasts (Lambda, "Quotas"). */
const LAMBDA_MS = 900_000;

/** The margin in which it says so. */
const FUNCTION_MS = LAMBDA_MS - 5_000;

export type Functions = ReturnType<typeof createFunctions>;

/** The functions of an account. */
export function createFunctions(options: FunctionsOptions) {
  const { time, choices, invocations, models, table, agents, bucket, prices, chances, quotas, isTimed } =
    options;
  const { begin, operate, away } = invocations;
  const limited = quotas && controlPlaneOf(quotas, time);
  const { store: records } = keptOn(table);
  const containers = createContainers(choices, keptFor, chances?.warmth);
  /** How often nobody heard that a run's task is to be given up. */
  const unheard = new Map<string, number>();
  let called = 0;

  const pauseOf = (invocation: Invocation, milliseconds: number) =>
    away(invocation, () => time.pause(milliseconds));

  /** @param by which function uses it now */
  function keptFor(by: () => Invocation): Kept {
    const own = tableThrough(
      table,
      (effect) => operate(by(), effect),
      (...put) => options.onPut(by(), ...put),
    );
    return keptOn(own, (attempts) => pauseOf(by(), choices.upTo(Math.min(300, 10 * 4 ** attempts))));
  }

  function end(invocation: Invocation): void {
    invocations.end(invocation);
    containers.release(invocation);
  }

  function portsOf(invocation: Invocation, steps: Steps, run = '', wasWanted = true) {
    const { machines, machine, bucketMachine } = steps;
    const executions = createEmbeddedExecutions(machines, machine);
    const plain = {
      executions: {
        start: executions.start,
        isRunning: async (arn: string, since = -Infinity) =>
          isExpress(arn) ? time.now() - since < 1000 * EXPRESS_SECONDS : executions.isRunning(arn),
        stop: async (arn: string, cause: string) => {
          if (!isExpress(arn)) await executions.stop(arn, cause);
        },
      },
      wake: createEmbeddedWake(machines),
    };
    const { executions: plane, wake } = limited?.(plain) ?? plain;
    const openBucket = createOpenBucket(createEmbeddedExecutions(machines, bucketMachine));
    const isRunning = (arn: string, since?: number) =>
      operate(invocation, () => plane.isRunning(arn, since ?? -Infinity));
    return {
      ...functionPorts(containers.of(invocation), agents, () => models.open(invocation, run, wasWanted)),
      prices,
      limits: options.limits,
      now: time.now,
      ...(isTimed && { after: time.after }),
      random: choices.fraction,
      invocation: randomUUID,
      openBucket: (bucketName: string, model: string) =>
        operate(invocation, () => openBucket(bucketName, model)),
      mayBeAtWork: () => isTimed,
      sleep: (milliseconds: number) => pauseOf(invocation, milliseconds),
      executions: {
        start: (name: string, input: Json) => operate(invocation, () => plane.start(name, input)),
        isRunning,
        stop: (arn: string, cause: string) => operate(invocation, () => plane.stop(arn, cause)),
      },
      wake: (...given: Parameters<typeof wake>) => operate(invocation, () => wake(...given)),
      ...(!WITHOUT_OTHERS.has(invocation.name) && {
        giveUp: (of: string) => operate(invocation, () => void giveUp(steps, of)),
      }),
      async endOf(execution: string, since: number): Promise<ExecutionEnd | undefined> {
        if (await isRunning(execution, since)) return undefined;
        return isExpress(execution) ? { status: 'TIMED_OUT' } : executions.wait(execution);
      },
      reach: ({ root }: Pick<Run, 'root'>) => ({
        workspace: bucket.workspaceOf(root, (effect) => operate(invocation, effect)),
        callFunction: (call: Parameters<CallFunction>[0]) =>
          away(invocation, async () => (await options.callFunction?.(invocation, call)) ?? { value: null }),
        servers: serversOf(invocation),
      }),
    };
  }

  /** Of agents of others. @param isLast whether they are asked in order to give a task up */
  function serversOf(invocation: Invocation, isLast = false): ToolServers {
    return {
      list: async () => ({ tools: [], notes: [], until: 0 }),
      call: (_, { arguments: given }) =>
        away(invocation, async () => {
          await time.pause(1 + choices.upTo(2_000));
          return options.others.ask(invocation.run, v.parse(RemoteRequest, given), isLast);
        }),
    };
  }

  /** Has a function tell a remote agent that its task is no longer wanted, as Lambda does, without waiting for it. */
  async function giveUp(steps: Steps, run: string): Promise<void> {
    const lost = unheard.get(run) ?? 0;
    if (choices.happens(lost < MOST_UNHEARD && (chances?.death ?? 0) > 0 ? UNHEARD : 0)) {
      unheard.set(run, lost + 1);
      return;
    }
    for (const pause of [1, 60_000, 120_000]) {
      await time.pause(pause);
      const invocation = begin({ process: steps.process, name: 'ToolFunction', run, mayLeave: true });
      const isDone = await call(steps, invocation, { giveUp: run }).then(
        () => true,
        () => false,
      );
      if (isDone) return;
    }
  }

  /** Calls a function as the machine does. */
  async function invoke(steps: Steps, name: string, payload: Json) {
    const { run } = toClaim(payload);
    const over = isTimed ? { until: time.now() + LAMBDA_MS } : {};
    const given = { process: steps.process, name, run, ...over };
    if (choices.happens(chances?.duplicate)) {
      const late = 1 + choices.upTo(chances?.lateness ?? LATEST_DUPLICATE_MS);
      time.after(late, () => void call(steps, begin({ ...given, mayLeave: true }), payload).catch(() => {}));
    }
    if (called >= (quotas?.functions ?? Infinity)) {
      const details = { status: 429, requestId: 'none' };
      throw new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.', details);
    }
    const invocation = begin(given);
    called += 1;
    try {
      return { payload: await call(steps, invocation, payload) };
    } catch (thrown) {
      invocation.mayLeave = !(thrown instanceof ModelError);
      if (thrown instanceof Death) throw thrown;
      const { name: errorType, message: errorMessage } = thrown instanceof Error ? thrown : new Error();
      return { payload: { errorType, errorMessage }, functionError: 'Unhandled' };
    } finally {
      called -= 1;
    }
  }

  async function call(steps: Steps, invocation: Invocation, payload: Json): Promise<unknown> {
    const work = new AbortController();
    const cancel = isTimed
      ? time.after(FUNCTION_MS, () => work.abort(new DOMException('the time is up', 'TimeoutError')))
      : () => {};
    try {
      options.onBegun(invocation, payload);
      return await carryOut(steps, invocation, payload, work.signal);
    } catch (thrown) {
      options.onFailed(invocation, thrown);
      throw thrown;
    } finally {
      cancel();
      end(invocation);
    }
  }

  async function carryOut(steps: Steps, invocation: Invocation, payload: Json, signal: AbortSignal) {
    const { name } = invocation;
    if (name === 'TurnFunction') {
      const { run, holder } = toClaim(payload);
      const record = await away(invocation, () => records.run(run));
      const isDead = record !== undefined && ['failed', 'stopped'].includes(record.status);
      const wasWanted = record !== undefined && (record.holder < holder || !isDead);
      return takeTurn(payload, portsOf(invocation, steps, run, wasWanted), signal);
    }
    const ports = portsOf(invocation, steps);
    if (name === 'BatchFunction') return advanceBucket(payload, ports, signal);
    if (name === 'OpenFunction') return openRun(payload, ports);
    if (name === 'ControlFunction') return control(payload, ports, signal);
    if (name === 'ToolFunction' && v.is(GiveUp, payload))
      return giveUpRemote(payload.giveUp, { store: ports.store, servers: serversOf(invocation, true) });
    if (name === 'ToolFunction') return carryOutCall(payload, ports, signal);
    return settleRun(payload, ports);
  }

  return { portsOf, invoke, end };
}

/** Functions that close records, and cannot reach remote agents. */
const WITHOUT_OTHERS: ReadonlySet<string> = new Set(['OpenFunction', 'TurnFunction']);

const GiveUp = v.object({ giveUp: v.string() });
