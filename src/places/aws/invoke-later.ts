import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { JsonObject } from '../../json.ts';
import { CLIENT_LIMITS } from './client-limits.ts';

let client: LambdaClient | undefined;

/** Hands an event to a function of the environment, and does not wait for it: Lambda repeats it if it fails. */
export async function invokeLater(name: string, event: JsonObject): Promise<void> {
  client ??= new LambdaClient(CLIENT_LIMITS);
  const Payload = JSON.stringify(event);
  await client.send(new InvokeCommand({ FunctionName: name, InvocationType: 'Event', Payload }));
}
