import { newRunId, runOfExecution } from '../../src/core/records/run-id.ts';
import type { RunStore } from '../../src/core/records/ports.ts';
import type { RunRequest } from '../../src/core/records/request.ts';
import type { PlaceLimits } from '../../src/core/spending/allot.ts';
import { createPrices, type Prices } from '../../src/core/spending/prices.ts';
import type { CallFunction } from '../../src/core/tool-contracts/tool.ts';
import { defined } from '../../src/defined.ts';
import type { Json } from '../../src/json.ts';
import { createDocuments } from '../../src/places/store/documents.ts';
import { NO_BLOBS } from '../../src/places/store/memory-table.ts';
import { createRunStore } from '../../src/places/store/runs.ts';
import type { Key, Table } from '../../src/places/store/table.ts';
import type { Choices } from '../choices.ts';
import { createBatches, type BatchesOptions } from './batches.ts';
import { createBucket } from './bucket.ts';
import { createCallers, type Delivery } from './callers.ts';
import { agentsOf, tableThrough } from './function-ports.ts';
import { createFunctions } from './functions.ts';
import { createInvocations, type Chances, type Fault, type Invocation } from './invocations.ts';
import { createModels, type Asked } from './models.ts';
import { createOtherAgents } from './other-agents.ts';
import { createPeople } from './people.ts';
import { limitedTable, type Quotas } from './quotas.ts';
import { openSteps, stateOf, type Steps } from './steps.ts';
import { createWorldTime } from './time.ts';

/**
 * An account in which the interpreter runs the deployed definition, in virtual time, with functions that may die at any
 * operation of their ports. Models are played: each request waits until it is told what to say. Everything follows from
 * choices.
 */
export interface AccountOptions {
  table: Table;
  /** Whether it answers at once; absent: the world's time stands still until it answers. */
  isTableAtOnce?: boolean;
  choices: Choices;
  /** The files of agents, by their names. */
  agents: Record<string, string>;
  fault?: Fault | undefined;
  chances?: Chances | undefined;
  /** Absent: each event is delivered at once. */
  delivery?: Delivery | undefined;
  /** Absent: only chance throttles, and events are handled until that succeeds. */
  quotas?: Quotas | undefined;
  prices?: Prices;
  /** Limits per day of the place; absent: there are none. */
  limits?: PlaceLimits | undefined;
  /** As in `FunctionsOptions`; absent: false. */
  isTimed?: boolean;
  /** Milliseconds that an operation takes at most; absent: 3. */
  latency?: number;
  /** Absent: models have no batches. */
  batches?: BatchesOptions | undefined;
  callFunction?: (by: Invocation, call: Parameters<CallFunction>[0]) => ReturnType<CallFunction>;
  /** Told of each question to a model, which it may answer in its time. */
  onAsked?: (asked: Asked) => void;
  /** Told of each put that took effect, or came too late. */
  onPut?: (by: Invocation, key: Key, value: Json, written: boolean) => void;
  /** Told of each call of a function. */
  onBegun?: (by: Invocation, payload: Json) => void;
  /** Told of each such call that threw. */
  onFailed?: (by: Invocation, thrown: unknown) => void;
}

const START = Date.parse('2030-01-01T00:00:00Z');

/** Longer than the machine waits before it calls a function again. */
const RETRY_MS = 60_000;

/** How late a caller gives its sub-agent up, in milliseconds. */
const IMPATIENCE_MS = 30;

export type Account = Awaited<ReturnType<typeof openAccount>>;

export async function openAccount({ table: given, choices, agents: files, ...options }: AccountOptions) {
  const { chances, delivery, quotas, prices = createPrices(new Map()), isTimed = false } = options;
  const { isTableAtOnce = false } = options;
  const {
    onAsked = () => {},
    onPut = () => {},
    onBegun = () => {},
    onFailed = () => {},
    callFunction,
  } = options;
  const time = createWorldTime(START);
  const { fault, latency = 3 } = options;
  const invocations = createInvocations({ time, choices, chances, fault, latency });
  const batches = options.batches && createBatches(options.batches, { time, choices, invocations });
  const models = createModels(invocations, onAsked, batches);
  const kept = isTableAtOnce ? given : tableThrough(given, (effect) => time.during(effect()));
  const table =
    quotas === undefined ? kept : limitedTable(kept, quotas, { now: time.now, pause: time.pause });
  const agents = await agentsOf(files);
  const bucket = createBucket(() => choices.happens(chances?.conflict));
  const others = createOtherAgents(choices, time);
  const functions = createFunctions({
    time,
    others,
    choices,
    invocations,
    models,
    table,
    agents,
    bucket,
    prices,
    limits: options.limits,
    chances,
    quotas,
    isTimed,
    callFunction,
    onPut,
    onBegun,
    onFailed,
  });
  const callers = createCallers({
    time,
    choices,
    invocations,
    functions,
    delivery,
    isLimited: quotas !== undefined,
  });
  const open = () =>
    openSteps({
      time,
      choices,
      chances,
      invoke: functions.invoke,
      onEnd: callers.deliver,
      onNested({ machines }, executionArn) {
        if (!choices.happens(chances?.impatience)) return;
        time.after(1 + choices.upTo(IMPATIENCE_MS), () => void machines.stopExecution({ executionArn }));
      },
    });
  let steps: Steps = open();
  /** The store, as a new reader sees it. */
  const store = (): RunStore => createRunStore(given, createDocuments(given, NO_BLOBS), undefined, time.now);
  const people = createPeople(callers, () => steps, store);
  const { letPass } = time;
  const running = () =>
    steps.machines.listExecutions({ stateMachineArn: steps.machine, statusFilter: 'RUNNING' });

  const buckets = () =>
    steps.machines.listExecutions({ stateMachineArn: steps.bucketMachine, statusFilter: 'RUNNING' });

  return {
    time,
    batches,
    asked: models.asked,
    said: models.said,
    wrongs: models.wrongs,
    deadLetters: callers.deadLetters,
    bare: store(),
    bucket,
    others,
    store,
    /** Which take no notice of whether time goes on. */
    people,
    operations: invocations.operations,

    /** New agents follow other files from now on, as after a deployment; opened runs continue as they were. */
    async deploy(changed: Record<string, string>): Promise<void> {
      for (const [name, agent] of await agentsOf(changed)) agents.set(name, agent);
    },

    /** New executions use the machines of another release from now on; those under way keep theirs. */
    upgrade: () => steps.upgrade(),

    /** Lets everything happen that takes no longer than repeating what failed. */
    settle: () => time.goOn({ within: RETRY_MS }),
    /** Lets everything happen, until nothing is left to do. */
    run: () => time.goOn({ within: Infinity }),
    /** Lets time pass. */
    async pass(milliseconds: number): Promise<void> {
      await time.goOn({ to: time.now() + milliseconds });
      await this.settle();
    },

    async start(agent: string, overrides?: RunRequest['overrides']): Promise<string> {
      const id = newRunId(agent, START);
      await letPass(people.start(id, { agent, prompt: 'go', ...defined({ overrides }) }));
      return id;
    },
    send: (...asked: Parameters<typeof people.send>) => letPass(people.send(...asked)),
    kill: (...asked: Parameters<typeof people.kill>) => letPass(people.kill(...asked)),
    stop: people.stop,
    resume: (root: string) => letPass(people.resume(root)),
    answer: (...asked: Parameters<typeof people.answer>) => letPass(people.answer(...asked)),
    sweep: () => letPass(people.sweep()),
    goOn: (root: string) => letPass(people.goOn(root)),
    questions: people.questions,

    /** Ends everything under way without a trace, like a process that carries it all and dies. */
    crash(): void {
      steps.process.isDead = true;
      time.clear();
      models.asked.splice(0);
      steps = open();
    },

    /** Whether no execution is left. */
    isAtRest: () => running().length === 0 && buckets().length === 0,

    /** The buckets that are looked after. */
    buckets: () => buckets().map(({ name }) => name),

    /** The executions that have not ended, with the runs that they carry. */
    live(): { arn: string; run: string; state: string }[] {
      return running().map(({ executionArn, name }) => ({
        arn: executionArn,
        run: runOfExecution(name),
        state: stateOf(steps, executionArn),
      }));
    },
  };
}
