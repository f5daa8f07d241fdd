import { MAX_TURNS } from '../src/core/turn/turn.ts';
import { isLead, longestConversation, runLead, withPipeline } from './delegating.ts';
import { median, type Row } from './row.ts';

/** Enough for the compiler to come to its end with what all of them run. */
const CONVERSATIONS = 100;
/** Of a conversation's beginning and of its end. */
const COMPARED_TURNS = 10;

const WHAT = `${MAX_TURNS} turns with a sub-agent each`;
const PER_CALL = { unit: ' ms', digits: 2, counts: 'least' } as const;

/** The duration of the first conversation of a process, which runs all code for the first time. */
export async function measureFirstConversation(): Promise<Row[]> {
  const [first] = await timeConversations(1);
  return [
    {
      ...PER_CALL,
      what: `${WHAT}: overhead of a model call, a process's first conversation`,
      value: first?.perCall ?? NaN,
      atMost: 1,
    },
  ];
}

/** The duration of later conversations, beside the same ones in the AI SDK. */
export async function measureConversation(): Promise<Row[]> {
  const [, ...later] = await timeConversations(CONVERSATIONS);
  // The compiler makes the first turns of a process slow, and the later ones would look good beside them.
  const byTurn =
    later[0]?.turns.map((_, turn) => Math.min(...later.map(({ turns }) => turns[turn] ?? NaN))) ?? [];
  const growth = sum(byTurn.slice(-COMPARED_TURNS)) / sum(byTurn.slice(0, COMPARED_TURNS));
  const perCall = later.map((timing) => timing.perCall);
  const own = Math.min(...perCall);
  // Loaded now, so that it costs the conversations above nothing.
  const { timeAiSdk } = await import('./ai-sdk.mjs');
  const aiSdk = Math.min(...(await timeAiSdk(CONVERSATIONS)));
  return [
    {
      ...PER_CALL,
      what: `${WHAT}: overhead of a model call, later conversations`,
      value: own,
      atMost: 0.4,
    },
    {
      ...PER_CALL,
      what: `${WHAT}: overhead of a model call, later conversations (median)`,
      value: median(perCall),
    },
    {
      ...PER_CALL,
      what: 'the same in the AI SDK 7, which keeps nothing: overhead of a model call',
      value: aiSdk,
    },
    {
      what: `${WHAT}: overhead of a model call / in the AI SDK 7`,
      value: own / aiSdk,
      unit: '',
      digits: 1,
      counts: 'median',
    },
    {
      what: `${WHAT}: last ten turns / first ten`,
      value: growth,
      unit: '',
      digits: 2,
      atMost: 1.2,
      counts: 'median',
    },
  ];
}

/**
 * Conversations with the greatest number of turns, one after another. Each turn but the last has one sub-agent that
 * answers in one turn. The model answers at once, so all of the time is overhead.
 */
async function timeConversations(conversations: number): Promise<Timing[]> {
  const timings: Timing[] = [];
  let askedAt: number[] = [];
  let calls = 0;
  const model = longestConversation((request) => {
    calls += 1;
    if (isLead(request)) askedAt.push(performance.now());
  });
  await withPipeline(model, async (pipeline) => {
    for (let index = 0; index < conversations; index++) {
      askedAt = [];
      calls = 0;
      const start = performance.now();
      await runLead(pipeline);
      timings.push({ perCall: (performance.now() - start) / calls, turns: differences(askedAt) });
    }
  });
  return timings;
}

interface Timing {
  /** Milliseconds for one model call, the sub-agents' among them. */
  perCall: number;
  /** Milliseconds from each turn to the next. */
  turns: number[];
}

function differences(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? NaN));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
