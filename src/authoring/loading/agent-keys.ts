import { agentFileSchema } from '../../core/agent-schema/agent-schema.ts';
import { keysOf } from '../../known-keys.ts';

/** Every key of an agent file, tables as objects. */
export const AGENT_KEYS = keysOf(agentFileSchema);
