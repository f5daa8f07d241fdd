import type { RunReads } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import type { Turn } from '../records/turn.ts';
import type { Prices } from '../spending/prices.ts';
import { defined } from '../../defined.ts';
import type { TokenUsage } from '../../token-usage.ts';

/** The cost of an agent's turns, asked at once with the provider's cache, and asked in batches. */
export interface ComparedAgent {
  agent: string;
  turns: number;
  /** How many of them were asked in batches. */
  batched: number;
  /** Of all prompts, and the part that comes from the cache if they are asked at once. */
  promptTokens: number;
  cachedTokens: number;
  /** Asked at once. */
  aloneNanoUsd: number;
  batchNanoUsd: number;
}

export interface ComparedServices {
  /** The trees that were read. */
  trees: number;
  /** The agents in them whose models have batches, and known prices. */
  agents: ComparedAgent[];
}

type Records = Pick<RunReads, 'listTrees' | 'tree' | 'turns'>;

/** How many trees, and how many runs of them, are enough: each tree is read whole. */
const MOST_TREES = 20;
const MOST_RUNS = 200;

/** Shorter prompts are not cached (OpenAI, and Anthropic at the least). */
const LEAST_CACHED = 1_024;

/**
 * Compares the actual cost of the newest trees that have answered with an estimate of what they would have cost
 * otherwise. Asked at once, a turn finds everything that the turn before it sent in the cache. In a batch, where
 * requests are minutes or hours apart, it finds nothing there.
 * @param wanted of which agent the trees are, and since when; absent: any
 */
export async function compareServices(
  records: Records,
  wanted: { agent?: string; since?: Instant },
  prices: Prices,
): Promise<ComparedServices> {
  const { trees } = await records.listTrees({ ...wanted, statuses: ['succeeded'], limit: MOST_TREES });
  const agents = new Map<string, ComparedAgent>();
  let read = 0;
  let runs = 0;
  for (const { top } of trees) {
    if (runs >= MOST_RUNS) break;
    const tree = await records.tree(top.id);
    read += 1;
    runs += tree.length;
    const priced = tree.filter(({ model }) => prices.costOf(model, IN_BATCH) !== undefined);
    const made = await Promise.all(priced.map(async (run) => ({ run, turns: await records.turns(run.id) })));
    for (const { run, turns } of made) {
      const before = agents.get(run.agent) ?? { ...NOTHING_YET, agent: run.agent };
      agents.set(run.agent, addTurns(before, run, turns, prices));
    }
  }
  return { trees: read, agents: [...agents.values()].filter(({ turns }) => turns > 0) };
}

/** Whether it would be better to ask an agent's model at once. */
export function isDearerInBatches({ aloneNanoUsd, batchNanoUsd }: ComparedAgent): boolean {
  return batchNanoUsd > aloneNanoUsd;
}

/** All of a tree together. */
export function inAll(agents: readonly ComparedAgent[]): Omit<ComparedAgent, 'agent'> {
  return agents.reduce(plus, NOTHING_YET);
}

const IN_BATCH: TokenUsage = { inputTokens: 0, outputTokens: 0, service: 'batch' };
const NOTHING_YET = {
  turns: 0,
  batched: 0,
  promptTokens: 0,
  cachedTokens: 0,
  aloneNanoUsd: 0,
  batchNanoUsd: 0,
};

function plus<T extends typeof NOTHING_YET>(one: T, other: typeof NOTHING_YET): T {
  return {
    ...one,
    turns: one.turns + other.turns,
    batched: one.batched + other.batched,
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    aloneNanoUsd: one.aloneNanoUsd + other.aloneNanoUsd,
    batchNanoUsd: one.batchNanoUsd + other.batchNanoUsd,
  };
}

function addTurns(
  agent: ComparedAgent,
  { model }: Run,
  turns: readonly Turn[],
  { costOf }: Prices,
): ComparedAgent {
  return turns.reduce((sum, { answer: { usage }, compaction }, index) => {
    const isBatched = usage.service === 'batch';
    // Another summary is another beginning.
    const earlier = compaction === undefined ? turns[index - 1]?.answer.usage.inputTokens : undefined;
    const alone = isBatched ? asAlone(usage, earlier ?? 0, index < turns.length - 1) : usage;
    const inBatch: TokenUsage = isBatched ? usage : asInBatch(usage);
    return plus(sum, {
      turns: 1,
      batched: isBatched ? 1 : 0,
      promptTokens: usage.inputTokens,
      cachedTokens: alone.cacheReadTokens ?? 0,
      aloneNanoUsd: costOf(model, alone) ?? 0,
      batchNanoUsd: costOf(model, inBatch) ?? 0,
    });
  }, agent);
}

function asInBatch({ inputTokens, outputTokens, searches = 0 }: TokenUsage): TokenUsage {
  return { inputTokens, outputTokens, searches, service: 'batch' };
}

/**
 * @param earlier the tokens of the prompt that this one continues
 * @param hasNext whether another turn continues this one
 */
function asAlone(usage: TokenUsage, earlier: number, hasNext: boolean): TokenUsage {
  const { inputTokens, outputTokens, searches = 0 } = usage;
  const found = earlier < LEAST_CACHED ? 0 : Math.min(earlier, inputTokens);
  const isKept = found > 0 || (hasNext && inputTokens >= LEAST_CACHED);
  const cache = isKept
    ? { cacheReadTokens: found, cacheWriteTokens: inputTokens - found }
    : defined({ cacheReadTokens: usage.cacheReadTokens, cacheWriteTokens: usage.cacheWriteTokens });
  return { inputTokens, outputTokens, searches, ...cache };
}
