import { StoreError, StoreUnavailableError, messageOf } from '../../errors.ts';

/**
 * The error of a service of AWS, or of the connection to it, in words for people; the words are loaded with the first
 * error.
 * @param deed the attempted operation, with the name of its object: `read item "…" of table "…"`
 */
export async function fromAwsError(
  error: unknown,
  deed: string,
): Promise<StoreError | StoreUnavailableError> {
  if (error instanceof StoreError || error instanceof StoreUnavailableError) return error;
  const { explain } = await import('./explain-aws-error.ts');
  const { reason, remedy, passes = false } = explain(error);
  const name = error instanceof Error ? error.name : 'Error';
  const Kind = passes ? StoreUnavailableError : StoreError;
  return new Kind(`cannot ${deed}: ${reason} (${name}: ${messageOf(error)}): ${remedy}`, { cause: error });
}

/**
 * Asks a service of AWS.
 * @param deed as for `fromAwsError`
 * @throws {StoreError | StoreUnavailableError}
 */
export async function askAws<T>(deed: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw await fromAwsError(thrown, deed);
  }
}

/** True if the service answered with the error of this name. */
export function isAwsError(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
