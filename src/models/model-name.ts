import { AgentError } from '../errors.ts';

/**
 * Splits `provider/model-name` at the first `/`, so that a name may hold more of them.
 * @throws {AgentError} if a part is missing
 */
export function parseModelName(fullName: string): { provider: string; name: string } {
  const slash = fullName.indexOf('/');
  if (slash === -1) throw invalidFormat(fullName, 'expected provider/model-name');
  const provider = fullName.slice(0, slash);
  const name = fullName.slice(slash + 1);
  if (provider.trim() === '') throw invalidFormat(fullName, 'empty provider');
  if (name.trim() === '') throw invalidFormat(fullName, 'empty model name');
  return { provider, name };
}

function invalidFormat(fullName: string, reason: string): AgentError {
  return new AgentError(`invalid model format "${fullName}": ${reason}`);
}
