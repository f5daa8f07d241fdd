import { messageOf } from '../../../errors.ts';
/** The arguments that a person wrote for a call, or the fault in them. */
export function parseArguments(json: string): { value: Record<string, unknown> } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (thrown) {
    return { fault: `This is not JSON: ${messageOf(thrown)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: 'Arguments are a JSON object: { … }' };
  }
  return { value: Object.fromEntries(Object.entries(value)) };
}
