import { refused } from '../../core/records/plan.ts';
import { anyText } from '../../core/tool-contracts/arguments.ts';
import type { Delegation } from '../../core/tool-contracts/planned-tool.ts';
import { failedResult, answerText } from '../../core/tool-contracts/delegation.ts';

/**
 * `call_agent`: hands a task to a named agent of the caller's `sub_agents` list and gets its final text back. The
 * strings are part of the contract with the models that were trained on, or tuned to, them.
 */
export const callAgent: Delegation = {
  name: 'call_agent',

  /** Where the agent may call no others (no list, or at the depth limit), there is no such tool. */
  define({ delegation: { subAgents, depth, maxDepth } }) {
    if (subAgents.length === 0 || depth >= maxDepth) return undefined;
    const names = subAgents.join(', ');
    return {
      name: 'call_agent',
      description: `Delegate a task to a sub-agent. The sub-agent runs independently with its own context and returns only its final result. Available agents: ${names}`,
      parameters: {
        type: 'object',
        properties: {
          agent: {
            type: 'string',
            description: `Name of the sub-agent to invoke (must be one of: ${names})`,
          },
          task: { type: 'string', description: 'What you need the sub-agent to do' },
          context: {
            type: 'string',
            description: 'Additional context from your conversation to pass along',
          },
        },
        required: ['agent', 'task'],
      },
    };
  },

  /** A call that fails a check is answered at once, in this order of checks. */
  plan(call, { delegation: { subAgents, depth, maxDepth, express } }) {
    const agent = anyText(call.arguments['agent']);
    const task = anyText(call.arguments['task']);
    if (agent.trim() === '') return refused('call_agent error: "agent" argument is required');
    if (task.trim() === '') return refused('call_agent error: "task" argument is required');
    if (!subAgents.includes(agent)) {
      return refused(`call_agent error: agent "${agent}" is not in this agent's sub_agents list`);
    }
    if (depth >= maxDepth) return refused(`call_agent error: maximum sub-agent depth (${maxDepth}) reached`);
    return {
      kind: 'delegate',
      agent,
      task,
      context: anyText(call.arguments['context']),
      ...(express?.includes(agent) && { express: true }),
    };
  },

  toResult(ended) {
    const { run, turns, reason } = ended;
    if (run === undefined || reason !== '') return failedResult(ended);
    return { text: answerText(run, turns), isError: false };
  },
};
