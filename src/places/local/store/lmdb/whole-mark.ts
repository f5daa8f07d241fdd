import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { openRegularFile } from '../../../store/own-path.ts';
import { readMetaPages } from './meta-pages.ts';

// Looking for damage takes time, and a file that was closed as it should has none. A mark beside it says in which state
// that was: any change of the file since, by any process, a copy or another machine's, makes it void.

/** @param path of the LMDB file @param file the same, open */
export function isMarkedWhole(path: string, file: number): boolean {
  let mark: number;
  try {
    mark = openRegularFile(markOf(path), constants.O_RDONLY);
  } catch {
    return false; // there is none that can be read
  }
  try {
    return readFileSync(mark, 'utf8') === stateOf(file);
  } finally {
    closeSync(mark);
  }
}

export function markWhole(path: string, file: number): void {
  const temporary = `${markOf(path)}~${randomUUID()}`;
  try {
    writeFileSync(temporary, stateOf(file), { flag: 'wx' });
    renameSync(temporary, markOf(path));
  } catch {
    rmSync(temporary, { force: true }); // without a mark, the next to open it looks
  }
}

function markOf(path: string): string {
  return `${path}-whole`;
}

/** Unpacking or copying a file cannot set the time of its last change. */
function stateOf(file: number): string {
  const { ino, ctimeNs } = fstatSync(file, { bigint: true });
  return `${ino} ${ctimeNs} ${readMetaPages(file)?.[0].transaction}\n`;
}
