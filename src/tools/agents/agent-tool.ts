import type { BuiltInDefinition, PropertySchema } from '../../core/records/message.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { errorOutput } from '../../core/tool-contracts/error-output.ts';
import type { Json } from '../../json.ts';
import type { OtherAgents, Tool, ToolArguments } from '../../core/tool-contracts/tool.ts';

/** The properties that distinguish one tool that reaches other agents from another. */
interface AgentTool {
  name: string;
  description: string;
  parameters: Record<string, PropertySchema>;
  writes: boolean;
  /**
   * @returns the result for the model, as JSON
   * @throws {RefusedCall} in words for the model
   */
  run(args: ToolArguments, agents: OtherAgents): Promise<Json>;
}

/** More than any of them needs: they read and write the store, and stop executions. */
const SECONDS = 60;

/** A tool that reaches other agents of its tree, and nothing else. Every call may be made again, to the same effect. */
export function agentTool({ name, description, parameters, writes, run }: AgentTool): Tool {
  const definition: BuiltInDefinition = {
    name,
    description,
    parameters: { type: 'object', properties: parameters, required: Object.keys(parameters) },
  };
  return {
    definition,
    writes,
    isRepeatable: true,
    by: 'control',
    seconds: () => SECONDS,
    subject: ({ to, uuid }) => (typeof to === 'string' ? to : typeof uuid === 'string' ? uuid : undefined),
    subjectIs: 'address',
    async run(args, { agents }) {
      if (agents === undefined) return errorOutput(`${name} reaches no agents here`);
      try {
        return { text: JSON.stringify(await run(args, agents)) };
      } catch (thrown) {
        // The texts of these errors are part of the tools' contract, so no prefix is added.
        if (thrown instanceof RefusedCall) return { text: thrown.message, isError: true };
        throw thrown;
      }
    },
  };
}
