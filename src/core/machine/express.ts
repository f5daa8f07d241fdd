/** The longest that an Express execution lasts (Step Functions, "Quotas"). */
export const EXPRESS_SECONDS = 300;

/**
 * Whether an execution is an Express one. Step Functions can neither describe nor stop those, and sends no events about
 * their ends.
 */
export function isExpress(executionArn: string): boolean {
  return executionArn.split(':')[5] === 'express';
}
