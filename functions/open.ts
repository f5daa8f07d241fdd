import { openRun, type OpenPorts } from '../src/core/lifecycle/open.ts';
import { functionShare } from '../src/places/aws/function-share.ts';
import { functionRunLog } from '../src/places/aws/run-log.ts';
import { noticed } from '../src/places/follow/notices.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { functionLimits } from '../src/places/aws/place-limits.ts';
import { functionServers } from '../src/places/aws/cloud-servers.ts';
import { openPackedAgents } from '../src/authoring/loading/folders/packed-agents.ts';
import { functionWorkspaces } from '../src/places/aws/cloud-workspace.ts';
import { ENVIRONMENT } from '../src/places/aws/variables.ts';
import { loadOwnTools } from '../src/tools/load-own-tools.ts';

const { runs, memories, lasting } = functionStore();
const { store, live } = noticed(runs, functionRunLog());

const ports: OpenPorts = {
  store,
  live,
  tools: loadOwnTools,
  memories,
  source: openPackedAgents(import.meta.dirname, functionShare()),
  // Nothing leads above the root, so no workdir leads out of the bucket's workspace.
  cwd: '/',
  openWorkspace: functionWorkspaces(),
  issuer: process.env[ENVIRONMENT.issuer],
  servers: functionServers(lasting),
  limits: functionLimits(),
  // It is told only where the providers of models search.
  ...(process.env[ENVIRONMENT.webSearch] && { searchesByModel: true }),
  now: Date.now,
};

/** Opens the conversation of an execution. */
export function handler(event: unknown) {
  return openRun(event, ports);
}
