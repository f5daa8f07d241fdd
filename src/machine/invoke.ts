/**
 * A state that calls a function. Names of functions, and AWS's partition, are placeholders, which whoever makes the
 * machine replaces.
 */
export function invoke(name: string, Payload: object) {
  return {
    Type: 'Task',
    Resource: 'arn:${Partition}:states:::lambda:invoke',
    Arguments: { FunctionName: `\${${name}}`, Payload },
  };
}
