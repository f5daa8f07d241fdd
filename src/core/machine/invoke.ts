/** Seconds that a state waits for something that should have ended by itself. */
export const GRACE_SECONDS = 5;

/**
 * A state that calls a function. The names of functions and the AWS partition are placeholders, which are replaced when
 * the machine is created.
 */
export function invoke(name: string, Payload: object) {
  return {
    Type: 'Task',
    Resource: 'arn:${Partition}:states:::lambda:invoke',
    Arguments: { FunctionName: `\${${name}}`, Payload },
  };
}

/** A state that calls the function `control`, and then waits until the token in the payload is sent back. */
export function invokeAndAwait(Payload: object) {
  return {
    ...invoke('ControlFunction', Payload),
    Resource: 'arn:${Partition}:states:::lambda:invoke.waitForTaskToken',
  };
}
