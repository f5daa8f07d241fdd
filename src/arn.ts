/** The name of an execution or a function, which stands last in its ARN. */
export function nameInArn(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1);
}
