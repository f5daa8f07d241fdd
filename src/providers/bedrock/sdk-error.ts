import * as v from 'valibot';
import { ConfigError, ModelError, type ModelErrorCategory } from '../../errors.ts';
import { abortCause } from '../../core/records/abort.ts';
import { faultIn } from '../answer.ts';
import { errorMessage, WholeAnswer } from './request-handler.ts';

/** The errors that the service may report in the middle of a stream; all others are `server`. */
const CATEGORIES: ReadonlyMap<string, ModelErrorCategory> = new Map(
  Object.entries({
    internalserverexception: 'server',
    modelstreamerrorexception: 'server',
    modeltimeoutexception: 'timeout',
    serviceunavailableexception: 'server',
    throttlingexception: 'rate_limit',
    validationexception: 'bad_request',
  } as const),
);

/** The error that a run fails with for one that came out of the SDK: one of ours, or one of its own. */
export function fromSdkError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return abortCause(signal);
  const isOurs = [ModelError, ConfigError, WholeAnswer].some((ours) => thrown instanceof ours);
  if (isOurs || !(thrown instanceof Error)) return thrown;
  if (thrown.name === 'CredentialsProviderError' || thrown.name === 'TokenProviderError') {
    return new ModelError(
      'auth',
      `no AWS credentials for provider "bedrock" (set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY): ${thrown.message}`,
    );
  }
  if (thrown.message === 'Region is missing') {
    return new ConfigError('AWS region for provider "bedrock" is not configured (set AWS_REGION)');
  }
  // An answer had begun with all of those below, and is paid for.
  const category = CATEGORIES.get(thrown.name.toLowerCase());
  // Of an exception that it does not know the SDK passes on the JSON text.
  const said = errorMessage(thrown.message);
  if (category !== undefined || said !== '') {
    return new ModelError(category ?? 'server', said || thrown.message, { spent: 'unknown' });
  }
  // The SDK adds a line on how to debug it.
  const [fault] = thrown instanceof v.ValiError ? [faultIn(thrown.issues)] : thrown.message.split('\n');
  return new ModelError('server', `failed to parse response: ${fault}`, { spent: 'unknown' });
}
