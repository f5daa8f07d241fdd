import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { JsonObject } from '../../json.ts';
import { askAws } from './aws-errors.ts';
import { CLIENT_LIMITS } from './client-limits.ts';

/** Hands an event to a function of the environment, and does not wait for it: Lambda repeats it if it fails. */
export type InvokeLater = (name: string, event: JsonObject) => Promise<void>;

export function createInvokeLater(): InvokeLater {
  const client = new LambdaClient(CLIENT_LIMITS);
  return async (FunctionName, event) => {
    const Payload = JSON.stringify(event);
    const command = new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload });
    await askAws(`call "${FunctionName}"`, () => client.send(command));
  };
}
