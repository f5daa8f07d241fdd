import { ConfigError, ModelError } from '../../errors.ts';
import { abortCause } from '../abort.ts';

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
  return new ModelError('server', `failed to parse response: ${fault}`);
}
