import { SendTaskSuccessCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { fromAwsError, isAwsError } from './aws-errors.ts';
import type { Wake } from '../../core/machine/wake.ts';

/** Step Functions' errors where no state waits for the token any more. */
const NOBODY_WAITS = ['InvalidToken', 'TaskDoesNotExist', 'TaskTimedOut'];

/** Wakes states of deployed machines. */
export function createStepFunctionsWake(client: SFNClient): Wake {
  return async (taskToken, output = {}) => {
    try {
      await client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }));
    } catch (thrown) {
      if (NOBODY_WAITS.some((name) => isAwsError(thrown, name))) return;
      throw await fromAwsError(thrown, 'wake an execution that waits for an answer');
    }
  };
}
