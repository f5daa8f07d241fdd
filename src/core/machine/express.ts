/** The longest that an Express execution lasts (Step Functions, "Quotas"). */
export const EXPRESS_SECONDS = 300;

/**
 * Whether an execution is an Express one. Step Functions neither describes nor stops those, and tells nobody of their
 * ends.
 */
export function isExpress(executionArn: string): boolean {
  return executionArn.split(':')[5] === 'express';
}
