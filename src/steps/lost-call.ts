/** The words for a call whose time was over. */
export function timeoutText(tool: string, seconds: number): string {
  return `Error: ${tool} timed out after ${seconds}s`;
}

/** The words for a call that was begun, and of which nobody knows how it ended. */
export function unknownOutcome(): string {
  return 'It is not known whether this call took place: look before you make it again.';
}
