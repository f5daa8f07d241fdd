import type { BuiltInDefinition, ToolCall } from '../runs/message.ts';
import { type DelegationLimits, refused, type Plan } from '../runs/plan.ts';

/**
 * `call_agent`: hands a task to a named agent of the caller's `sub_agents` list and gets its final text back. The
 * strings are part of the contract with the models that were trained on, or tuned to, them.
 */
export const CALL_AGENT = 'call_agent';

/** The tool as the model sees it, or undefined where the agent may call nobody (no list, or at the depth limit). */
export function callAgentTool(limits: DelegationLimits): BuiltInDefinition | undefined {
  if (limits.subAgents.length === 0 || limits.depth >= limits.maxDepth) return undefined;
  const names = limits.subAgents.join(', ');
  return {
    name: CALL_AGENT,
    description: `Delegate a task to a sub-agent. The sub-agent runs independently with its own context and returns only its final result. Available agents: ${names}`,
    parameters: {
      type: 'object',
      properties: {
        agent: { type: 'string', description: `Name of the sub-agent to invoke (must be one of: ${names})` },
        task: { type: 'string', description: 'What you need the sub-agent to do' },
        context: {
          type: 'string',
          description: 'Additional context from your conversation to pass along',
        },
      },
      required: ['agent', 'task'],
    },
  };
}

/** Checks a call and plans the delegation; a call that fails a check is answered at once, in this order of checks. */
export function planCallAgent(call: ToolCall, limits: DelegationLimits): Plan {
  const agent = toText(call.arguments['agent']);
  const task = toText(call.arguments['task']);
  if (isBlank(agent)) return refused('call_agent error: "agent" argument is required');
  if (isBlank(task)) return refused('call_agent error: "task" argument is required');
  if (!limits.subAgents.includes(agent)) {
    return refused(`call_agent error: agent "${agent}" is not in this agent's sub_agents list`);
  }
  if (limits.depth >= limits.maxDepth) {
    return refused(`call_agent error: maximum sub-agent depth (${limits.maxDepth}) reached`);
  }
  return { kind: 'delegate', agent, task, context: toText(call.arguments['context']) };
}

/** Models write numbers and objects where strings were asked for; what they meant is kept. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
