import { format } from 'prettier';

/** A machine of `src/core/machine/` as the service takes it. */
export function definitionText(machine: unknown): Promise<string> {
  return format(JSON.stringify(machine), { parser: 'json', printWidth: 110 });
}
