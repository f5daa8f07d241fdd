/** The result of a call that ran out of time, as the model reads it. */
export function timeoutText(tool: string, seconds: number): string {
  return `Error: ${tool} timed out after ${seconds}s`;
}

/** The result of a call that was begun and may or may not have taken place, as the model reads it. */
export const UNKNOWN_OUTCOME = 'It is not known whether this call took place: look before you make it again.';
