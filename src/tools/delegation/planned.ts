import { delegateTask } from './delegate-task.ts';
import { spawnAgent } from './spawn-agent.ts';
import { subAgent } from './sub-agent.ts';

/** Tools that are planned without a function, for agents that derive sub-agents from themselves. */
export const DERIVING_TOOLS = [delegateTask, spawnAgent, subAgent];
