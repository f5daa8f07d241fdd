import { callAgent } from './delegation/call-agent.ts';
import type { LoadOwnTools, OwnTools } from '../core/tool-contracts/own-tools.ts';
import type { PlannedTool } from '../core/tool-contracts/planned-tool.ts';
import type { Tool } from '../core/tool-contracts/tool.ts';

const loadBeside = async () => (await import('./agents/planned.ts')).TOOLS_BESIDE;
const loadDeriving = async () => (await import('./delegation/planned.ts')).DERIVING_TOOLS;

/** Tools that are planned without a function. Most conversations have none of them but `call_agent`. */
const PLANNED = new Map<string, () => Promise<readonly PlannedTool[]>>([
  ['ask_user', loadBeside],
  ['fork', loadBeside],
  ['wait', loadBeside],
  ['delegate_task', loadDeriving],
  ['spawn_agent', loadDeriving],
  ['sub_agent', loadDeriving],
]);

const planned = new Map<string, PlannedTool>([[callAgent.name, callAgent]]);
let carriedOut: ReadonlyMap<string, Tool> | undefined;

/** Those that are loaded stay loaded. */
const LOADED: OwnTools = {
  carriedOut: (name) => carriedOut?.get(name),
  planned: (name) => planned.get(name),
};

/** Loads tools of ours that are not loaded yet: the planned ones with those of their sort, all others together. */
export const loadOwnTools: LoadOwnTools = async (names) => {
  const missing = names.filter(
    (name) => !planned.has(name) && (PLANNED.has(name) || carriedOut === undefined),
  );
  if (missing.length > 0) await Promise.all(missing.map(loadTool));
  return LOADED;
};

async function loadTool(name: string): Promise<void> {
  const load = PLANNED.get(name);
  if (load === undefined) carriedOut ??= (await import('./built-in.ts')).BUILT_IN_TOOLS;
  else for (const tool of await load()) planned.set(tool.name, tool);
}
