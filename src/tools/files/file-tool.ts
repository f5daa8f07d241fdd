import { WorkspaceError } from '../../core/agent-schema/workspace.ts';
import { ConfigError } from '../../errors.ts';
import type { PropertySchema } from '../../core/records/message.ts';
import { errorOutput } from '../../core/tool-contracts/error-output.ts';
import type { Tool, ToolArguments, ToolContext, ToolOutput } from '../../core/tool-contracts/tool.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { folderArgument, pathArgument } from '../typed-arguments.ts';

/** The properties in which tools for files differ. */
export interface FileTool {
  name: string;
  description: string;
  parameters: Record<string, PropertySchema>;
  required: string[];
  /** Reads where it is left out. */
  writes?: true;
  /** A call that was begun and left no result may be made again, unless this says otherwise. */
  isRepeatable?: false;
  seconds: number;
  /** @throws {RefusedCall} in words for the model; so may a workspace */
  run(args: ToolArguments, context: ToolContext): Promise<ToolOutput>;
}

/** A tool that acts on the path which its argument `path` names. */
export function fileTool(tool: FileTool): Tool {
  const { name, description, parameters, required, writes = false, isRepeatable = true, seconds, run } = tool;
  return {
    definition: { name, description, parameters: { type: 'object', properties: parameters, required } },
    writes,
    isRepeatable,
    seconds: () => seconds,
    subjectIs: 'path',
    subject: required.includes('path') ? pathArgument : folderArgument,
    async run(args, context) {
      try {
        return await run(args, context);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return errorOutput(error.message);
      }
    },
  };
}

/** A pattern that is none, and a workdir that is not there, are the configuration's fault elsewhere. */
function isRefusal(error: unknown): error is Error {
  return error instanceof RefusedCall || error instanceof WorkspaceError || error instanceof ConfigError;
}
