import { callAgent } from './delegation/call-agent.ts';
import type { Delegation, PlannedTool } from '../core/tool-contracts/delegation.ts';

/** Every way to delegate. Each but the one that most agents use is loaded when it is used: functions start faster. */
const DELEGATIONS: Readonly<Record<string, () => Promise<Delegation> | Delegation>> = {
  call_agent: () => callAgent,
  delegate_task: async () => (await import('./delegation/delegate-task.ts')).delegateTask,
  spawn_agent: async () => (await import('./delegation/spawn-agent.ts')).spawnAgent,
  sub_agent: async () => (await import('./delegation/sub-agent.ts')).subAgent,
};

/** Every tool whose calls are planned, with no function that carries them out. */
const PLANNED_TOOLS: Readonly<Record<string, () => Promise<PlannedTool> | PlannedTool>> = {
  ...DELEGATIONS,
  ask_user: async () => (await import('./ask-user.ts')).askUser,
  fork: async () => (await import('./agents/fork.ts')).fork,
  wait: async () => (await import('./agents/wait.ts')).wait,
};

export const PLANNED_NAMES: readonly string[] = Object.keys(PLANNED_TOOLS);

/** A planned tool by its name; undefined if that is not the name of one. */
export async function plannedTool(name: string): Promise<PlannedTool | undefined> {
  return Object.hasOwn(PLANNED_TOOLS, name) ? PLANNED_TOOLS[name]?.() : undefined;
}

/** A way to delegate by its name; undefined if that is not the name of one. */
export async function delegationNamed(name: string): Promise<Delegation | undefined> {
  return Object.hasOwn(DELEGATIONS, name) ? DELEGATIONS[name]?.() : undefined;
}
