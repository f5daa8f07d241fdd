/** A call that cannot be carried out as it is, in words for the model. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
}

/** Any value that a model wrote in place of a text: numbers and objects as JSON; "" if it left the argument out. */
export function anyText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
