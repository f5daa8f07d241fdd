import type { IOType } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

// LMDB opens its file so that programs which we start inherit it, and could read and write the store there, even where
// they are kept from its folder. Node.js cannot close it in them: it can only put something else in its place.

/** What a program may have for one of its files. */
export type Stdio = IOType | 'ipc' | number;

/** What a program has in the places of the files that it would inherit, from number 3 on. @param nothing is open */
export function inPlaceOfInherited(nothing: number): Stdio[] {
  const places: Stdio[] = [];
  for (const file of inherited()) {
    while (places.length < file - FIRST) places.push('ignore');
    places.push(nothing);
  }
  return places;
}

/** After stdin, stdout and stderr. */
const FIRST = 3;

/** The numbers of the files that a program would inherit, sorted; none where that is not known, which is only on Linux. */
function inherited(): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fd');
  } catch {
    return [];
  }
  const numbers = names.map(Number).filter((file) => file >= FIRST && isInherited(file));
  return numbers.sort((one, other) => one - other);
}

/** open(2): O_CLOEXEC. */
const CLOSED_ON_START = 0o2000000;

function isInherited(file: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & CLOSED_ON_START) === 0;
  } catch {
    // It was the list of them.
    return false;
  }
}
