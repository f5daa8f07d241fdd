import { randomUUID } from 'node:crypto';
import { setImmediate as tick } from 'node:timers/promises';
import { createStateMachines } from '../../src/asl/create-state-machines.ts';
import type { Clock } from '../../src/asl/executions/ports.ts';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import { answerQuestion, wakeAsker } from '../../src/core/lifecycle/answer-question.ts';
import { openRun } from '../../src/core/lifecycle/open.ts';
// Loaded on demand, on which no order of events may depend.
import '../../src/core/turn/overflow.ts';
import { startRun } from '../../src/core/lifecycle/start.ts';
import { takeTurn } from '../../src/core/turn/turn.ts';
import { createEmbeddedExecutions, createEmbeddedWake } from '../../src/places/local/embedded.ts';
import type { Json } from '../../src/json.ts';
import { CONVERSATION } from '../../src/core/machine/conversation.ts';
import type { Model, ModelRequest } from '../../src/core/model/model.ts';
import { createPrices } from '../../src/core/spending/prices.ts';
import { control } from '../../src/core/lifecycle/control.ts';
import { killForPerson } from '../../src/core/lifecycle/kill-for-person.ts';
import { resumeRun } from '../../src/core/lifecycle/resume.ts';
import { leaveMessage } from '../../src/core/lifecycle/leave-message.ts';
import { wakeForPerson } from '../../src/core/lifecycle/wake-for-person.ts';
import { settleRun } from '../../src/core/lifecycle/settle.ts';
import type { ModelResponse, ToolCall } from '../../src/core/records/message.ts';
import type { UnansweredQuestion } from '../../src/core/records/question.ts';
import type { RunStore } from '../../src/core/records/ports.ts';
import type { Run } from '../../src/core/records/run.ts';
import { newRunId, runOfExecution } from '../../src/core/records/run-id.ts';
import { createDocuments } from '../../src/places/store/documents.ts';
import { createRunStore } from '../../src/places/store/runs.ts';
import type { Table } from '../../src/places/store/table.ts';
import { NO_BLOBS } from '../../src/places/store/memory-table.ts';
import { Death } from '../fixtures/mortal.ts';
import { ConfigError } from '../../src/errors.ts';
import { agentsOf, functionPorts, tableThrough } from './function-ports.ts';
import { randomOf } from '../fixtures/random-of.ts';
// Loaded when a model fails for the first time, which no test here waits for.
import '../../src/asl/expressions/evaluator.ts';

/**
 * An account in which the deployed definition is run by the interpreter, on a clock that a test moves, with functions
 * that keep nothing in memory and that may die at any operation of their ports. Models are played by the test: each
 * one that is asked waits until it is told what to say.
 */

/** A model that is asked, and has not answered yet. */
export interface Asked {
  run: string;
  request: ModelRequest;
  /** Whether the record of the run was open, and held by the execution, when the function was called. */
  wasWanted: boolean;
  say(line: { text?: string; calls?: ToolCall[] } | Error): void;
}

/** When a function dies: at one of the operations of all functions, counted from 0. */
export interface Fault {
  at: number;
  when: 'before' | 'after';
}

export interface AccountOptions {
  table: Table;
  /** Of the order in which operations of different functions take effect. */
  seed: number;
  agents: Record<string, string>;
  fault?: Fault | undefined;
}

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
}

interface Invocation {
  process: Process;
  isDead: boolean;
  /** A person's message is repeated by that person alone: its receiver does not die here. */
  name: string;
}

export type Account = Awaited<ReturnType<typeof openAccount>>;

export async function openAccount({ table, seed, agents: files, fault }: AccountOptions) {
  const random = randomOf(seed);
  const clock = createTestClock();
  const asked: Asked[] = [];
  /** The answers of models that were kept or charged, by run. */
  const said: { run: string; tokens: number }[] = [];
  /** Work that functions began for runs that had ended. */
  const wrongs: string[] = [];
  let operations = 0;
  let tokens = 0;
  let process = begin();

  const agents = await agentsOf(files);

  function begin(): Process {
    const own: Process = {
      isDead: false,
      busy: 0,
      machine: '',
      machines: createStateMachines({
        clock,
        random,
        keepEnded: 10_000,
        invokeLambda: (name, payload) => invoke(own, name, payload),
        onStatusChange(status, toEvent) {
          if (own.isDead || status === 'RUNNING' || status === 'SUCCEEDED') return;
          const event = toEvent();
          void repeated(own, 'settle', (ports) => settleRun(event, ports));
        },
      }),
    };
    const definition = NAMES.reduce(
      (text, name) => text.replaceAll(`\${${name}}`, name),
      JSON.stringify(CONVERSATION).replaceAll('${Partition}', 'aws'),
    );
    const roleArn = 'arn:aws:iam::123456789012:role/test';
    own.machine = own.machines.createStateMachine({
      name: 'cadre',
      definition,
      roleArn,
    }).stateMachineArn;
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
    for (let ticks = Math.floor(random() * 3); ticks > 0; ticks--) await tick();
    await alive();
    if (invocation.name === 'send') return effect();
    const dies = operations++ === fault?.at ? fault.when : undefined;
    if (dies === 'before') invocation.isDead = true;
    await alive();
    const result = await effect();
    if (dies === 'after') invocation.isDead = true;
    await alive();
    return result;
  }

  function portsOf(invocation: Invocation, run = '', wasWanted = true) {
    const { machines, machine } = invocation.process;
    const executions = createEmbeddedExecutions(machines, machine);
    const wake = createEmbeddedWake(machines);
    const own = tableThrough(table, (effect) => operate(invocation, effect));
    return {
      ...functionPorts(
        own,
        agents,
        () => modelOf(invocation, run, wasWanted),
        async () => {},
      ),
      prices: createPrices(new Map()),
      now: clock.now,
      random,
      invocation: randomUUID,
      mayBeAtWork: () => false,
      sleep: async () => {},
      executions: {
        start: (name: string, input: Json) => operate(invocation, () => executions.start(name, input)),
        isRunning: (arn: string) => operate(invocation, () => executions.isRunning(arn)),
        stop: (arn: string, cause: string) => operate(invocation, () => executions.stop(arn, cause)),
      },
      wake: (...given: Parameters<typeof wake>) => operate(invocation, () => wake(...given)),
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
            say(told) {
              own.busy += 1;
              asked.splice(asked.indexOf(question), 1);
              resolve(told);
            },
          };
          asked.push(question);
        });
        if (line instanceof Error) throw line;
        const usage = { inputTokens: ++tokens, outputTokens: 1 };
        said.push({ run, tokens: tokens + 1 });
        return toResponse(line, usage);
      },
    };
  }

  /** Calls a function as the machine does. */
  async function invoke(own: Process, name: string, payload: Json) {
    const invocation = { process: own, isDead: false, name };
    own.busy += 1;
    try {
      return { payload: await call(invocation, name, payload) };
    } catch (thrown) {
      if (thrown instanceof Death) throw thrown;
      const { name: errorType, message: errorMessage } = thrown instanceof Error ? thrown : new Error();
      return { payload: { errorType, errorMessage }, functionError: 'Unhandled' };
    } finally {
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

  /** Calls a function as EventBridge does: again, where it dies. */
  async function repeated<T>(own: Process, name: string, work: (ports: Ports) => Promise<T>): Promise<T> {
    own.busy += 1;
    try {
      for (;;) {
        try {
          return await work(portsOf({ process: own, isDead: false, name }));
        } catch (thrown) {
          if (!(thrown instanceof Death)) throw thrown;
        }
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

    /** Lets time pass. */
    async pass(milliseconds: number): Promise<void> {
      const until = clock.now() + milliseconds;
      while (clock.advanceWithin(until - clock.now())) await this.settle();
      clock.moveTo(until);
      await this.settle();
    },

    async start(agent: string): Promise<string> {
      const id = newRunId(agent, START);
      await repeated(process, 'start', (ports) => startRun(id, { agent, prompt: 'go' }, ports));
      return id;
    },
    send: (run: string, text: string) =>
      repeated(process, 'send', async (ports) => {
        await leaveMessage({ run, text }, ports);
        return wakeForPerson(run, ports);
      }),
    kill: (run: Run) => repeated(process, 'kill', (ports) => killForPerson(run, ports)),
    stop: async (execution: string) =>
      createEmbeddedExecutions(process.machines, process.machine).stop(execution, 'enough'),
    async resume(root: string): Promise<void> {
      let attempts = 0;
      await repeated(process, 'resume', async (ports) => {
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
      repeated(process, 'answer', (ports) =>
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
  return { run: String(given['run']), holder: Number(given['holder']) };
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

export interface TestClock extends Clock {
  /** Moves on to the next timer, if it is due within so many milliseconds. @returns whether there was one */
  advanceWithin(milliseconds: number): boolean;
  moveTo(time: number): void;
  clear(): void;
}

function createTestClock(): TestClock {
  let now = START;
  let timers: { at: number; callback: () => void }[] = [];
  const next = (until: number) =>
    timers.filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at)[0];
  const ring = (timer: (typeof timers)[number]) => {
    timers = timers.filter((other) => other !== timer);
    now = Math.max(now, timer.at);
    timer.callback();
  };
  return {
    now: () => now,
    after(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
    // Time moves on where a test says so.
    during: (work) => work,
    moveTo: (time) => void (now = Math.max(now, time)),
    advanceWithin(milliseconds) {
      const timer = next(now + milliseconds);
      if (timer !== undefined) ring(timer);
      return timer !== undefined;
    },
    clear: () => void (timers = []),
  };
}
