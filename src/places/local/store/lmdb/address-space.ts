import { readFileSync } from 'node:fs';
import { StoreError } from '../../../../errors.ts';

/** The memory that a process may still come to need beside the map. */
const SPARE_BYTES = 256 * 1024 ** 2;
const PAGE_BYTES = 4096;

/**
 * LMDB takes the process down where its map does not fit into the address space that the process may have. Linux
 * alone holds processes to such a limit.
 * @throws {StoreError} if it does not fit
 */
export function checkAddressSpace(path: string, mapSize: number): void {
  const limit = readLimit();
  if (limit === undefined) return;
  const used = Number.parseInt(readFileSync('/proc/self/statm', 'utf8'), 10) * PAGE_BYTES;
  if (limit - used >= mapSize + SPARE_BYTES) return;
  throw new StoreError(
    `cannot open the store ${path}: it takes ${inGigabytes(mapSize)} GiB of address space (not of memory or disk), ` +
      `but this process may have only ${inGigabytes(limit)} GiB: raise the limit with: ulimit -v unlimited`,
  );
}

/** In bytes; undefined if there is none. proc(5), `/proc/pid/limits`: the soft limit comes first. */
function readLimit(): number | undefined {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return undefined; // another system
  }
  const limit = Number(/^Max address space +(?<soft>\d+)/m.exec(limits)?.groups?.['soft'] ?? Infinity);
  return limit < Infinity ? limit : undefined;
}

function inGigabytes(bytes: number): number {
  return Math.round((10 * bytes) / 1024 ** 3) / 10;
}
