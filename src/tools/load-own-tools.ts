import { callAgent } from './delegation/call-agent.ts';
import type { LoadOwnTools, OwnTools } from '../core/tool-contracts/own-tools.ts';
import type { PlannedTool } from '../core/tool-contracts/planned-tool.ts';
import type { Tool } from '../core/tool-contracts/tool.ts';

/** Tools that are planned without a function. Most conversations have none of them but `call_agent`. */
const PLANNED = new Map<string, () => Promise<PlannedTool>>([
  ['delegate_task', async () => (await import('./delegation/delegate-task.ts')).delegateTask],
  ['spawn_agent', async () => (await import('./delegation/spawn-agent.ts')).spawnAgent],
  ['sub_agent', async () => (await import('./delegation/sub-agent.ts')).subAgent],
  ['ask_user', async () => (await import('./ask-user.ts')).askUser],
  ['fork', async () => (await import('./agents/fork.ts')).fork],
  ['wait', async () => (await import('./agents/wait.ts')).wait],
]);

const planned = new Map<string, PlannedTool>([[callAgent.name, callAgent]]);
let carriedOut: ReadonlyMap<string, Tool> | undefined;

/** Those that are loaded stay loaded. */
const LOADED: OwnTools = {
  carriedOut: (name) => carriedOut?.get(name),
  planned: (name) => planned.get(name),
};

/** Loads tools of ours that are not loaded yet: the planned ones each by itself, all others together. */
export const loadOwnTools: LoadOwnTools = async (names) => {
  const missing = names.filter(
    (name) => !planned.has(name) && (PLANNED.has(name) || carriedOut === undefined),
  );
  if (missing.length > 0) await Promise.all(missing.map(loadTool));
  return LOADED;
};

async function loadTool(name: string): Promise<void> {
  const load = PLANNED.get(name);
  if (load !== undefined) planned.set(name, await load());
  else carriedOut ??= (await import('./built-in.ts')).BUILT_IN_TOOLS;
}
