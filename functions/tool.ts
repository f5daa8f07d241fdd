import type { Context } from 'aws-lambda';
import { setTimeout as delay } from 'node:timers/promises';
import { carryOutCall, type CallPorts } from '../src/conversation/call.ts';
import { functionRunLog } from '../src/observability/run-log.ts';
import { functionStore } from '../src/store/cloud-store.ts';
import { functionServers } from '../src/mcp/cloud-servers.ts';
import { functionWorkspaces } from '../src/workspace/cloud-workspace.ts';

/** Time to keep what a call came to, before Lambda ends the function without a word. */
const MARGIN_MS = 5_000;

const { runs } = functionStore();
const openWorkspace = functionWorkspaces();
const servers = functionServers();

const ports: Omit<CallPorts, 'invocation'> = {
  store: runs,
  emit: functionRunLog(),
  now: Date.now,
  // Nobody can tell: whoever left a mark has until the end that it wrote into it.
  mayBeAtWork: () => true,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
  reach: (_, { workdir = '' }) => ({ workspace: openWorkspace(workdir), servers }),
};

/** Carries out one call of one turn. */
export function handler(event: unknown, context: Context) {
  const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - MARGIN_MS);
  return carryOutCall(event, { ...ports, invocation: () => context.awsRequestId }, signal);
}
