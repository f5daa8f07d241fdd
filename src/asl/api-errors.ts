/** The names under which the service refuses a request, as `__type` of its answer has them. */
export type StatesApiErrorName =
  | 'ExecutionAlreadyExists'
  | 'ExecutionDoesNotExist'
  | 'InvalidArn'
  | 'InvalidDefinition'
  | 'InvalidExecutionInput'
  | 'InvalidName'
  | 'InvalidOutput'
  | 'InvalidToken'
  | 'MissingRequiredParameter'
  | 'StateMachineAlreadyExists'
  | 'StateMachineDeleting'
  | 'StateMachineDoesNotExist'
  | 'StateMachineTypeNotSupported'
  | 'TaskDoesNotExist'
  | 'TaskTimedOut'
  | 'UnknownOperationException'
  | 'SerializationException'
  | 'ValidationException';

/** A request that cannot be met, in the service's words. */
export class StatesApiError extends Error {
  constructor(
    override readonly name: StatesApiErrorName,
    message: string,
  ) {
    super(message);
  }
}
