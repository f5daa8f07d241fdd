import type { Agent } from '../../../core/agent-schema/agent.ts';
import {
  inAll,
  isDearerInBatches,
  type ComparedAgent,
  type ComparedServices,
} from '../../../core/reports/compared-services.ts';
import { counted } from '../../../counted.ts';
import { inDollars } from './figures.ts';

/**
 * The agents of a tree that are to be asked in batches, and would cost less asked at once, as a warning each.
 * @param top the agent at the top, whose service those below it take over
 * @param agentOf an agent by its name, where it is known
 */
export function dearerInBatches(
  top: Agent,
  { agents }: ComparedServices,
  agentOf: (name: string) => Agent | undefined,
): string[] {
  const inherited = top.params.service || top.schedule?.service;
  return agents
    .filter(({ agent }) => (agentOf(agent)?.params.service || inherited) === 'batch')
    .filter(isDearerInBatches)
    .map(
      (compared) =>
        `${comparison(compared)}; service = "standard" in the [params] of "${compared.agent}" has it asked at once`,
    );
}

/** `"kid" is dearer in batches: 12 recorded turns of it come to $0.41 there, and to $0.34 asked at once, …`. */
export function comparison(compared: ComparedAgent): string {
  const { agent, turns, aloneNanoUsd, batchNanoUsd } = compared;
  const word = isDearerInBatches(compared) ? 'dearer' : 'cheaper';
  return `"${agent}" is ${word} in batches: ${counted(turns, 'recorded turn')} of it come to ${inDollars(batchNanoUsd / 1e9)} there, and to ${inDollars(aloneNanoUsd / 1e9)} asked at once, with ${percentCached(compared)} per cent of the prompts from the cache`;
}

/** `1,000 runs like the last 12 $34.10 asked at once (72% of prompts from the cache), $41.00 in batches`. */
export function pricesOfServices({ trees, agents }: ComparedServices): string {
  const all = inAll(agents);
  const dollars = (nanoUsd: number) => inDollars((1000 * nanoUsd) / 1e9 / trees);
  const last = trees === 1 ? 'one' : String(trees);
  return `1,000 runs like the last ${last} ${dollars(all.aloneNanoUsd)} asked at once (${percentCached(all)}% of the prompts from the cache), ${dollars(all.batchNanoUsd)} in batches`;
}

function percentCached({
  promptTokens,
  cachedTokens,
}: Pick<ComparedAgent, 'cachedTokens' | 'promptTokens'>): number {
  return promptTokens === 0 ? 0 : Math.round((100 * cachedTokens) / promptTokens);
}
