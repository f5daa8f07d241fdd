import type { FunctionTarget } from '../records/call.ts';
import type { ToolDefinition } from '../records/message.ts';
import type { Tool } from './tool.ts';

/** A function of the user's own as a tool: `[[functions]]` of the agent's file. */
export function functionTool(definition: ToolDefinition, target: FunctionTarget): Tool {
  const { seconds, isRepeatable, writes } = target;
  return {
    definition,
    writes,
    isRepeatable,
    seconds: () => seconds,
    subject: () => undefined,
    subjectIs: 'address',
    async run(args, context) {
      const { callFunction } = await import('./call-function.ts');
      return callFunction(definition, target, args, context);
    },
  };
}
