import type { ApiFault } from './ports.ts';

/** Writes what a client was not told, as one line of JSON. */
export function writeFault({ id, method, path, thrown }: ApiFault): void {
  const { name, message, stack } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const line = {
    level: 'ERROR',
    timestamp: new Date().toISOString(),
    id,
    method,
    path,
    name,
    message,
    stack,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
