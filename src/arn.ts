/**
 * Whether an execution is an Express one. Step Functions neither describes nor stops those, and tells nobody of their
 * ends.
 */
export function isExpress(executionArn: string): boolean {
  return executionArn.split(':')[5] === 'express';
}

/** The name of an execution or a function, which stands last in its ARN. */
export function nameInArn(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1);
}
