import type { Context } from 'aws-lambda';
import { takeTurn, type TurnPorts } from '../src/core/turn/turn.ts';
import { METRICS } from '../src/places/aws/variables.ts';
import type { Model } from '../src/core/model/model.ts';
import { functionModels } from '../src/places/aws/function-models.ts';
import { functionRunLog, logCount } from '../src/places/aws/run-log.ts';
import { createPrices } from '../src/core/spending/prices.ts';
import { noticed } from '../src/places/follow/notices.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { loadOwnTools } from '../src/tools/load-own-tools.ts';
import { functionLimits } from '../src/places/aws/place-limits.ts';

/** Time to say that the function's own time is over, before Lambda ends it without a word. */
const MARGIN_MS = 2_000;

const models = await functionModels(() => ({
  send: async (...request) => (await openScripts()).send(...request),
}));

const { runs, memories } = functionStore();
const { store, live } = noticed(runs, functionRunLog());

const ports: TurnPorts = {
  store,
  live,
  tools: loadOwnTools,
  memories,
  models,
  prices: createPrices(),
  // An alarm looks at the metric.
  limits: { ...functionLimits(), nearlyReached: () => logCount(METRICS.nearLimits, 1) },
  now: Date.now,
  random: Math.random,
};

/** Makes one turn of a conversation with its model. */
export function handler(event: unknown, context: Context) {
  return takeTurn(event, ports, AbortSignal.timeout(context.getRemainingTimeInMillis() - MARGIN_MS));
}

/** Those of `cadre verify`, where the environment has them: loaded when they are played, which is hardly ever. */
async function openScripts(): Promise<Model> {
  const { openPackedScripts } = await import('../src/authoring/verify/packed-scripts.ts');
  return openPackedScripts(import.meta.dirname);
}
