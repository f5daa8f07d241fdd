import type { ToolOutput } from './tool.ts';

/** The output of a call that was refused or went wrong. @param message lowercase, without a full stop */
export function errorOutput(message: string): ToolOutput {
  return { text: `Error: ${message}`, isError: true };
}
