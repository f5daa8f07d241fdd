import { randomUUID } from 'node:crypto';
import { setImmediate as tick } from 'node:timers/promises';
import { createStateMachines } from '../../src/asl/create-state-machines.ts';
import { LambdaServiceError } from '../../src/asl/executions/ports.ts';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import { answerQuestion, wakeAsker } from '../../src/core/lifecycle/answer-question.ts';
import { openRun } from '../../src/core/lifecycle/open.ts';
// Loaded on demand, on which no order of events may depend.
import '../../src/places/store/rest-writes.ts';
import '../../src/places/store/sending.ts';
import '../../src/core/turn/overflow.ts';
import { startRun } from '../../src/core/lifecycle/start.ts';
import { takeTurn } from '../../src/core/turn/turn.ts';
import { createEmbeddedExecutions, createEmbeddedWake } from '../../src/places/local/embedded.ts';
import type { Json } from '../../src/json.ts';
import { EXPRESS_SECONDS, isExpress } from '../../src/core/machine/express.ts';
import { createConversationMachines } from '../../src/places/local/conversation-machines.ts';
import type { Model, ModelRequest } from '../../src/core/model/model.ts';
import { createPrices, type Prices } from '../../src/core/spending/prices.ts';
import { control } from '../../src/core/lifecycle/control.ts';
import { killForPerson } from '../../src/core/lifecycle/kill-for-person.ts';
import { resumeRun } from '../../src/core/lifecycle/resume.ts';
import { leaveMessage } from '../../src/core/lifecycle/leave-message.ts';
import { wakeForPerson } from '../../src/core/lifecycle/wake-for-person.ts';
import { settleRun } from '../../src/core/lifecycle/settle.ts';
import { sweepTrees } from '../../src/core/lifecycle/sweep.ts';
import type { ModelResponse, ToolCall } from '../../src/core/records/message.ts';
import type { UnansweredQuestion } from '../../src/core/records/question.ts';
import type { RunStore } from '../../src/core/records/ports.ts';
import type { RunRequest } from '../../src/core/records/request.ts';
import type { Run } from '../../src/core/records/run.ts';
import { newRunId, runOfExecution } from '../../src/core/records/run-id.ts';
import { createDocuments } from '../../src/places/store/documents.ts';
import { createRunStore } from '../../src/places/store/runs.ts';
import type { Key, Table } from '../../src/places/store/table.ts';
import { NO_BLOBS } from '../../src/places/store/memory-table.ts';
import { AlreadyStartedError, type ExecutionEnd } from '../../src/core/machine/executions.ts';
import { Death } from '../fixtures/mortal.ts';
import { ConfigError, ModelError, StoreUnavailableError } from '../../src/errors.ts';
import { defined } from '../../src/defined.ts';
import type { TokenUsage } from '../../src/token-usage.ts';
import { agentsOf, functionPorts, tableThrough } from './function-ports.ts';
import { controlPlaneOf, limitedTable, type Quotas } from './quotas.ts';
import { createTestClock } from './test-clock.ts';
import { randomOf } from '../fixtures/random-of.ts';
// Loaded when a model fails for the first time, which no test here waits for.
import '../../src/asl/expressions/evaluator.ts';

/**
 * An account in which the deployed definition is run by the interpreter, on a clock that a test moves, with functions
 * that keep nothing in memory and that may die at any operation of their ports. Models are played by the test: each
 * one that is asked waits until it is told what to say. All that happens follows from the seed.
 */

/** A model that is asked, and has not answered yet. */
export interface Asked {
  run: string;
  request: ModelRequest;
  /** Whether the record of the run was open, and held by the execution, when the function was called. */
  wasWanted: boolean;
  by: Invocation;
  /** A death ends the function that has asked. */
  say(line: { text?: string; calls?: ToolCall[]; usage?: TokenUsage } | Error): void;
}

/** What befalls one of the operations of all functions, counted from 0: a death before or after it, or too many requests. */
export interface Fault {
  at: number;
  when: 'before' | 'after' | 'throttled';
}

/** How often things happen to functions, from 0 to 1. */
export interface Chances {
  /** One dies at an operation, before or after it took effect. */
  death: number;
  /** The store is asked too much. */
  throttle: number;
  /** One is called twice: the machine does not wait for the second, which may come late. */
  duplicate: number;
  /** A caller gives its sub-agent up, whose execution is stopped then: a function of it at work goes on. */
  impatience: number;
}

/** How Step Functions' events about the ends of executions are delivered, which it does at best effort: from 0 to 1. */
export interface Delivery {
  lost: number;
  doubled: number;
  /** By up to ten minutes. */
  late: number;
}

export interface AccountOptions {
  table: Table;
  /** Of the order in which operations of different functions take effect. */
  seed: number;
  agents: Record<string, string>;
  fault?: Fault | undefined;
  chances?: Chances;
  /** Absent: each event is delivered at once. */
  delivery?: Delivery | undefined;
  /** Absent: nothing is throttled but by chance, and events are handled until that succeeds. */
  quotas?: Quotas | undefined;
  prices?: Prices;
  /** Told of each question to a model, which it may answer in its time. */
  onAsked?: (asked: Asked) => Promise<void>;
  /** Told of each put that took effect, or came too late. */
  onPut?: (by: Invocation, key: Key, value: Json, written: boolean) => void;
}

/** So that random faults come to an end. */
const MOST_FAULTS = 100;

/** Of which an operation takes up to three. */
const TICKS_OF_A_SECOND = 20;

/** How late an event may be. */
const LATEST_MS = 600_000;

/** The time that a function has which a person or an event calls. */
const FUNCTION_MS = 55_000;

/** The pauses after which Lambda calls a function again that an event has called in vain, before it gives up. */
const EVENT_PAUSES = [60_000, 120_000];

/** Longer than the machine waits before it calls a function again. */
const RETRY_MS = 60_000;

const NAMES = ['OpenFunction', 'TurnFunction', 'ToolFunction', 'ControlFunction', 'SettleFunction'] as const;

const START = Date.parse('2030-01-01T00:00:00Z');

/** The work in one process, or in an account as long as it lasts: a crash ends it. */
interface Process {
  machines: StateMachines;
  machine: string;
  isDead: boolean;
  /** Functions at work that do not wait for a model. */
  busy: number;
  /** Those of them whose work takes its time: that of all others takes none. */
  idle: number;
  /** Requests of theirs that wait for time to pass. */
  paused: number;
  /** Those that the machine has called. */
  called: number;
}

/** One call of a function. */
export interface Invocation {
  process: Process;
  isDead: boolean;
  /** A person's message is repeated by that person alone: its receiver does not die here. */
  name: string;
  run: string;
  /** It threw, or its answer is not waited for: it may have left a reservation behind. */
  mayLeave: boolean;
  /** When its time is over; absent: never. */
  until?: number;
}

export type Account = Awaited<ReturnType<typeof openAccount>>;

export async function openAccount({ table, seed, agents: files, fault, ...options }: AccountOptions) {
  const { chances, delivery, quotas, prices = createPrices(new Map()) } = options;
  const { onAsked = async () => {}, onPut = () => {} } = options;
  const random = randomOf(seed);
  const happens = (chance = 0) => chance > 0 && random() < chance;
  const idle = async (own: Process, most: number) => {
    own.idle += 1;
    for (let ticks = Math.floor(random() * most); ticks > 0; ticks--) await tick();
    own.idle -= 1;
  };
  const clock = createTestClock(START);
  const time = {
    now: clock.now,
    async pause(milliseconds: number): Promise<void> {
      const own = process;
      own.idle += 1;
      own.paused += 1;
      let isOver = false;
      clock.after(milliseconds, () => void (isOver = true));
      while (!isOver && !own.isDead) {
        await tick();
        // All that is at work waits for time to pass, some of it in several requests at once.
        if (own.busy <= own.paused) clock.advanceWithin(Infinity);
      }
      own.idle -= 1;
      own.paused -= 1;
    },
  };
  const throughQuotas = quotas && controlPlaneOf(quotas, time);
  const kept = quotas === undefined ? table : limitedTable(table, quotas, time);
  const asked: Asked[] = [];
  /** The events that were given up. */
  const deadLetters: unknown[] = [];
  /** The answers of models that were kept or charged, by run. */
  const said: { run: string; tokens: number }[] = [];
  /** Work that functions began for runs that had ended. */
  const wrongs: string[] = [];
  let operations = 0;
  let faults = 0;
  let tokens = 0;
  let process = begin();

  const agents = await agentsOf(files);

  function begin(): Process {
    const own: Process = {
      isDead: false,
      busy: 0,
      idle: 0,
      paused: 0,
      called: 0,
      machine: '',
      machines: createStateMachines({
        clock,
        random,
        keepEnded: 10_000,
        invokeLambda: (name, payload) => invoke(own, name, payload),
        onStatusChange(status, toEvent) {
          if (own.isDead || status === 'SUCCEEDED') return;
          const event = toEvent();
          const { name, executionArn } = event.detail;
          if (status !== 'RUNNING') {
            deliver(own, runOfExecution(name), event);
          } else if (isNested(event.detail.input) && happens(chances?.impatience)) {
            void beside(own, 30, async () => void own.machines.stopExecution({ executionArn }));
          }
        },
      }),
    };
    const names = Object.fromEntries(NAMES.map((name) => [name, name]));
    [own.machine] = createConversationMachines(own.machines, names);
    return own;
  }

  /** One operation of a function: it takes its time, and may be the last. */
  async function operate<T>(invocation: Invocation, effect: () => Promise<T> | T): Promise<T> {
    const alive = () => {
      if (invocation.process.isDead) return never<void>();
      if (invocation.isDead) throw new Death();
      return undefined;
    };
    await alive();
    await idle(invocation.process, 3);
    await alive();
    if (clock.now() > (invocation.until ?? Infinity)) throw new StoreUnavailableError('its time is over');
    if (invocation.name === 'send') return effect();
    const befalls = operations++ === fault?.at ? fault.when : byChance();
    if (befalls === 'throttled') throw new StoreUnavailableError('too many requests at once');
    if (befalls === 'before') invocation.isDead = true;
    await alive();
    const result = await effect();
    if (befalls === 'after') invocation.isDead = true;
    await alive();
    return result;
  }

  function byChance(): Fault['when'] | undefined {
    if (faults >= MOST_FAULTS) return undefined;
    const isThrottled = happens(chances?.throttle);
    if (!isThrottled && !happens(chances?.death)) return undefined;
    faults += 1;
    if (isThrottled) return 'throttled';
    return happens(0.5) ? 'before' : 'after';
  }

  function deliver(own: Process, run: string, event: unknown): void {
    if (happens(delivery?.lost)) return;
    const times = happens(delivery?.doubled) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const settle = () => void settleLater(own, run, event);
      if (happens(delivery?.late)) clock.after(random() * LATEST_MS, settle);
      else settle();
    }
  }

  /** Tells of an end again, since a function that is at work yet may be writing the record. */
  async function settleLater(own: Process, run: string, event: unknown): Promise<void> {
    for (let tries = 0; tries < 4; tries++) {
      const isKnown = await repeated(own, 'settle', run, (ports) => settleRun(event, ports), event);
      if (isKnown !== false) return;
      await beside(own, 60, async () => {});
    }
  }

  /** Does something in a while, which no state of the machine waits for. */
  async function beside(own: Process, ticks: number, work: () => Promise<unknown>): Promise<void> {
    own.busy += 1;
    await idle(own, ticks);
    await work().catch(() => {});
    own.busy -= 1;
  }

  function portsOf(invocation: Invocation, run = '', wasWanted = true) {
    const { machines, machine } = invocation.process;
    const executions = createEmbeddedExecutions(machines, machine);
    const wake = createEmbeddedWake(machines);
    const own = tableThrough(
      kept,
      (effect) => operate(invocation, effect),
      (...put) => onPut(invocation, ...put),
    );
    const plane = {
      executions: {
        start: (name: string, input: Json) => operate(invocation, () => executions.start(name, input)),
        isRunning: (arn: string, since = -Infinity) =>
          operate(invocation, () =>
            isExpress(arn) ? clock.now() - since < 1000 * EXPRESS_SECONDS : executions.isRunning(arn),
          ),
        stop: (arn: string, cause: string) =>
          operate(invocation, () => (isExpress(arn) ? undefined : executions.stop(arn, cause))),
      },
      wake: (...given: Parameters<typeof wake>) => operate(invocation, () => wake(...given)),
    };
    return {
      ...functionPorts(
        own,
        agents,
        () => modelOf(invocation, run, wasWanted),
        (attempts) => idle(invocation.process, Math.min(300, 10 * 4 ** attempts)),
      ),
      prices,
      now: clock.now,
      random,
      invocation: randomUUID,
      mayBeAtWork: () => false,
      sleep: async () => {},
      ...(throughQuotas?.(plane) ?? plane),
      async endOf(execution: string, since: number): Promise<ExecutionEnd | undefined> {
        const runs = await (throughQuotas?.(plane) ?? plane).executions.isRunning(execution, since);
        if (runs) return undefined;
        return isExpress(execution) ? { status: 'TIMED_OUT' } : executions.wait(execution);
      },
    };
  }
  type Ports = ReturnType<typeof portsOf>;

  function modelOf(invocation: Invocation, run: string, wasWanted: boolean): Model {
    return {
      async send(request) {
        const own = invocation.process;
        if (!wasWanted) wrongs.push(`the model of ${run} was asked after its end`);
        own.busy -= 1;
        const line = await new Promise<Parameters<Asked['say']>[0]>((resolve) => {
          const question: Asked = {
            run,
            request,
            wasWanted,
            by: invocation,
            say(told) {
              own.busy += 1;
              asked.splice(asked.indexOf(question), 1);
              resolve(told);
            },
          };
          asked.push(question);
          void onAsked(question);
        });
        if (line instanceof Death) invocation.isDead = true;
        if (line instanceof Error) throw line;
        const { usage = { inputTokens: ++tokens, outputTokens: 1 } } = line;
        said.push({ run, tokens: tokens + 1 });
        return toResponse(line, usage);
      },
    };
  }

  /** Calls a function as the machine does. */
  async function invoke(own: Process, name: string, payload: Json) {
    const { run } = toClaim(payload);
    const begin = (mayLeave: boolean) => ({ process: own, isDead: false, name, run, mayLeave });
    if (happens(chances?.duplicate)) void beside(own, 60, () => call(begin(true), name, payload));
    const invocation = begin(false);
    if (own.called >= (quotas?.functions ?? Infinity))
      throw new LambdaServiceError('TooManyRequestsException', 'Rate Exceeded.', {
        status: 429,
        requestId: 'none',
      });
    own.busy += 1;
    own.called += 1;
    try {
      return { payload: await call(invocation, name, payload) };
    } catch (thrown) {
      invocation.mayLeave = !(thrown instanceof ModelError);
      if (thrown instanceof Death) throw thrown;
      const { name: errorType, message: errorMessage } = thrown instanceof Error ? thrown : new Error();
      return { payload: { errorType, errorMessage }, functionError: 'Unhandled' };
    } finally {
      own.called -= 1;
      own.busy -= 1;
    }
  }

  async function call(invocation: Invocation, name: string, payload: Json): Promise<unknown> {
    const signal = new AbortController().signal;
    if (name === 'OpenFunction') return openRun(payload, portsOf(invocation));
    if (name === 'TurnFunction') {
      const { run, holder } = toClaim(payload);
      const record = await store().run(run);
      const wasWanted =
        record !== undefined && (record.holder < holder || !['failed', 'stopped'].includes(record.status));
      return takeTurn(payload, portsOf(invocation, run, wasWanted), signal);
    }
    const ports = portsOf(invocation);
    if (name === 'ControlFunction') return control(payload, ports, signal);
    return settleRun(payload, ports);
  }

  /**
   * Calls a function as EventBridge and people do: again, where it dies or the store is asked too much. @param event
   * that Lambda gives up at last; absent: a person never does
   */
  async function repeated<T>(
    own: Process,
    name: string,
    run: string,
    work: (ports: Ports) => Promise<T>,
    event?: unknown,
  ): Promise<T | undefined> {
    own.busy += 1;
    try {
      for (let failed = 0; ; failed++) {
        try {
          const until = quotas === undefined ? Infinity : clock.now() + FUNCTION_MS;
          return await work(portsOf({ process: own, isDead: false, name, run, mayLeave: false, until }));
        } catch (thrown) {
          if (!(thrown instanceof Death || thrown instanceof StoreUnavailableError)) throw thrown;
          if (quotas !== undefined && event === undefined && failed > MOST_FAULTS) throw thrown;
        }
        if (quotas === undefined) continue;
        const pause = event === undefined ? 1_000 : EVENT_PAUSES[failed];
        if (pause === undefined) return void deadLetters.push(event);
        await time.pause(pause);
      }
    } finally {
      own.busy -= 1;
    }
  }

  const bare = createRunStore(table, createDocuments(table, NO_BLOBS));
  /** The store, as a new reader sees it. */
  const store = (): RunStore => createRunStore(table, createDocuments(table, NO_BLOBS));

  return {
    clock,
    asked,
    said,
    wrongs,
    deadLetters,
    bare,
    store,
    get operations() {
      return operations;
    },

    /** Lets everything happen that needs no more time than it takes to repeat what failed. */
    async settle(): Promise<void> {
      for (let quiet = 0; quiet < 4; quiet++) {
        await tick();
        if (process.busy > 0) quiet = 0;
        if (quiet === 3 && clock.advanceWithin(RETRY_MS)) quiet = 0;
      }
    },

    /** Lets time go on, at some ticks a second and faster where nothing is at work, until nothing is left to do. */
    async run(): Promise<void> {
      for (let quiet = 0; quiet < 4; quiet++) {
        await tick();
        const isBusy = process.busy > 0 || asked.length > 0;
        // No time passes while a store on disk or a module is waited for, so that all follows from the seed.
        if (isBusy && process.busy === process.idle) {
          const until = clock.now() + 1000 / TICKS_OF_A_SECOND;
          while (clock.advanceWithin(until - clock.now()));
          clock.moveTo(until);
        }
        if (isBusy || (quiet === 3 && clock.advanceWithin(Infinity))) quiet = 0;
      }
    },

    /** Lets time pass. */
    async pass(milliseconds: number): Promise<void> {
      const until = clock.now() + milliseconds;
      while (clock.advanceWithin(until - clock.now())) await this.settle();
      clock.moveTo(until);
      await this.settle();
    },

    async start(agent: string, overrides?: RunRequest['overrides']): Promise<string> {
      const id = newRunId(agent, START);
      await repeated(process, 'start', id, (ports) =>
        startRun(id, { agent, prompt: 'go', ...defined({ overrides }) }, ports),
      ).catch((thrown: unknown) => {
        // Whoever repeats it learns that it was started.
        if (!(thrown instanceof AlreadyStartedError)) throw thrown;
      });
      return id;
    },
    send: (run: string, text: string) =>
      repeated(process, 'send', run, async (ports) => {
        await leaveMessage({ run, text }, ports);
        return wakeForPerson(run, ports);
      }),
    /** Sweeps all trees, as a schedule has it done every five minutes. One that fails is not repeated. */
    async sweep(): Promise<void> {
      const own = process;
      own.busy += 1;
      const until = quotas === undefined ? Infinity : clock.now() + FUNCTION_MS;
      const ports = portsOf({ process: own, isDead: false, name: 'sweep', run: '', mayLeave: false, until });
      try {
        await sweepTrees(await ports.store.openTrees(), { ...ports, live: { tell: () => {} } });
      } catch (thrown) {
        const reasons: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
        const isPassing = (one: unknown) => one instanceof Death || one instanceof StoreUnavailableError;
        if (!reasons.every(isPassing)) throw thrown;
      } finally {
        own.busy -= 1;
      }
    },
    kill: (run: Run) => repeated(process, 'kill', run.id, (ports) => killForPerson(run, ports)),
    stop: async (execution: string) =>
      createEmbeddedExecutions(process.machines, process.machine).stop(execution, 'enough'),
    async resume(root: string): Promise<void> {
      let attempts = 0;
      await repeated(process, 'resume', root, async (ports) => {
        attempts += 1;
        const run = await ports.store.run(root);
        if (run === undefined) throw new Error(`no run ${root}`);
        await resumeRun(run, {}, ports);
      }).catch((thrown: unknown) => {
        // The one that died has resumed it.
        if (attempts === 1 || !(thrown instanceof ConfigError)) throw thrown;
      });
    },
    answer: ({ question }: UnansweredQuestion, text: string) =>
      repeated(process, 'answer', question.run, (ports) =>
        answerQuestion(question, text, undefined, {
          store: ports.store,
          tools: ports.tools,
          now: ports.now,
          wake: (at) => wakeAsker(at, ports.store, ports.wake),
        }),
      ),
    async questions(root: string): Promise<UnansweredQuestion[]> {
      const open: UnansweredQuestion[] = [];
      for await (const each of store().openQuestions()) if (each.question.root === root) open.push(each);
      return open;
    },

    /** Ends everything that is under way, without a trace. */
    crash(): void {
      process.isDead = true;
      clock.clear();
      asked.splice(0);
      process = begin();
    },

    /** The executions that have not ended, with the runs that they carry. */
    live(): { arn: string; run: string; state: string }[] {
      const { machines, machine: stateMachineArn } = process;
      return machines
        .listExecutions({ stateMachineArn, statusFilter: 'RUNNING' })
        .map(({ executionArn, name }) => ({
          arn: executionArn,
          run: runOfExecution(name),
          state: stateOf(machines, executionArn),
        }));
    },
  };
}

/** The state that an execution has entered last. */
function stateOf(machines: StateMachines, executionArn: string): string {
  const entered = machines
    .getExecutionHistory({ executionArn, reverseOrder: true })
    .find((event) => event['stateEnteredEventDetails'] !== undefined)?.['stateEnteredEventDetails'];
  return typeof entered === 'object' && entered !== null && 'name' in entered ? String(entered['name']) : '';
}

function toClaim(payload: Json): { run: string; holder: number } {
  const given = typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : {};
  const { run, name } = given;
  // The first function is not given the run itself, but the execution that may carry it.
  return {
    run: run === undefined && typeof name === 'string' ? runOfExecution(name) : String(run),
    holder: Number(given['holder']),
  };
}

/** Whether a state of another execution waits for the one with this input. */
function isNested(input: string | null): boolean {
  const given: unknown = JSON.parse(input ?? '{}');
  return typeof given === 'object' && given !== null && 'parent' in given;
}

function toResponse(
  { text = '', calls = [] }: { text?: string; calls?: ToolCall[] },
  usage: ModelResponse['usage'],
): ModelResponse {
  const stopReason = calls.length > 0 ? 'tool_calls' : 'end';
  return { text, calls, stopReason, rawStopReason: stopReason, usage };
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
