import * as v from 'valibot';
import { ConfigError, ModelError } from '../../errors.ts';
import { abortCause } from '../abort.ts';
import { spentOn } from './from-response.ts';

/** What the run is to be told of an error that came out of the SDK: one of ours, or one of its own. */
export function fromSdkError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return abortCause(signal);
  if (thrown instanceof ModelError || !(thrown instanceof Error)) return thrown;
  if (thrown.name === 'CredentialsProviderError' || thrown.name === 'TokenProviderError') {
    return new ModelError(
      'auth',
      `no AWS credentials for provider "bedrock" (set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY): ${thrown.message}`,
    );
  }
  if (thrown.message === 'Region is missing') {
    return new ConfigError('AWS region for provider "bedrock" is not configured (set AWS_REGION)');
  }
  // The SDK adds a line on how to debug it.
  const [fault] = thrown.message.split('\n');
  const unread = v.safeParse(unreadAnswer, thrown);
  const details = unread.success ? { spent: spentOn(unread.output.$response.body) } : {};
  return new ModelError('server', `failed to parse response: ${fault}`, details);
}

/** Where the SDK keeps an answer that it could not read, which was OK: see request-handler.ts. */
const unreadAnswer = v.object({
  $response: v.object({
    body: v.pipe(
      v.union([v.string(), v.instance(Uint8Array)]),
      v.transform((body) => v.safeParse(jsonText, typeof body === 'string' ? body : decoded(body)).output),
    ),
  }),
});

const jsonText = v.pipe(v.string(), v.parseJson());

function decoded(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}
