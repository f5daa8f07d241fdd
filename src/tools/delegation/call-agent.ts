import { refused, type DelegatePlan } from '../../core/records/plan.ts';
import type { RemoteCall } from '../../core/records/remote.ts';
import { REMOTE_MODEL } from '../../core/records/remote-model.ts';
import { toSubAgentMessage } from '../../core/agent-schema/user-message.ts';
import { anyText } from '../../core/tool-contracts/arguments.ts';
import type { Delegation } from '../../core/tool-contracts/planned-tool.ts';
import { failedResult, answerText } from '../../core/tool-contracts/delegation.ts';

const WAITED_FOR =
  'Delegate a task to a sub-agent. The sub-agent runs independently with its own context and returns only its final result.';
const BESIDE =
  'Delegate a task to a sub-agent, which works beside you with its own context. You get its id at once and go on; when it has finished, you are told its final result in a message.';

/**
 * `call_agent`: hands a task to a named agent of the caller's `sub_agents` list and gets its final text back, at once or
 * in a message. The strings are part of the contract with the models that were trained on, or tuned to, them.
 */
export const callAgent: Delegation = {
  name: 'call_agent',

  /** Where the agent may call no others (no list, or at the depth limit), there is no such tool. */
  define({ delegation: { subAgents, remotes = [], depth, maxDepth, background } }) {
    const agents = [...subAgents, ...remotes];
    if (agents.length === 0 || depth >= maxDepth) return undefined;
    const names = agents.join(', ');
    return {
      name: 'call_agent',
      description: `${background === 'always' ? BESIDE : WAITED_FOR} Available agents: ${names}`,
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
          ...(background === true && {
            background: {
              type: 'boolean',
              description:
                'true: it works beside you. You get its id at once and go on; when it has finished, you are told its result in a message (default: false, you wait for its result)',
            },
          }),
        },
        required: ['agent', 'task'],
      },
    };
  },

  /** A call that fails a check is answered at once, in this order of checks. */
  plan(
    { arguments: args },
    { delegation: { subAgents, remotes = [], depth, maxDepth, express, background } },
  ) {
    const agent = anyText(args['agent']);
    const task = anyText(args['task']);
    if (agent.trim() === '') return refused('call_agent error: "agent" argument is required');
    if (task.trim() === '') return refused('call_agent error: "task" argument is required');
    const isRemote = remotes.includes(agent);
    if (!subAgents.includes(agent) && !isRemote) {
      return refused(`call_agent error: agent "${agent}" is not in this agent's sub_agents list`);
    }
    if (depth >= maxDepth) return refused(`call_agent error: maximum sub-agent depth (${maxDepth}) reached`);
    const asked = { agent, task, context: anyText(args['context']) };
    if (isRemote) return planRemote(asked);
    // Models write truth values as text, too.
    const isAsked = background === true && anyText(args['background']).trim().toLowerCase() === 'true';
    if (isAsked || background === 'always') return { kind: 'start', name: agent, ...asked };
    return { kind: 'delegate', ...asked, ...(express?.includes(agent) && { express: true }) };
  },

  toResult(ended) {
    const { run, turns, reason } = ended;
    if (run === undefined || reason !== '') return failedResult(ended);
    return { text: answerText(run, turns), isError: false };
  },
};

/** A conversation whose answers are computed hands the task over, and waits. It cannot go on beside its caller. */
function planRemote({
  agent,
  task,
  context,
}: {
  agent: string;
  task: string;
  context: string;
}): DelegatePlan {
  const call: RemoteCall = { agent, task: toSubAgentMessage(task, context) };
  return {
    kind: 'delegate',
    agent,
    task,
    context: '',
    derived: {
      isComputed: true,
      remote: agent,
      model: REMOTE_MODEL,
      system: '',
      message: JSON.stringify(call),
      tools: ['ask_user', 'wait'],
    },
  };
}
