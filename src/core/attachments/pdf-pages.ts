import { inflateSync } from 'node:zlib';
import { latin1 } from './first-bytes.ts';

/** The most that the packed parts of a document are unpacked to, in bytes: text that packs well could fill the memory. */
const MOST_UNPACKED = 16 * 2 ** 20;

/** What counts as unpacked of a part that cannot be unpacked: it may fail at its end alone. */
const TAKEN_BY_FAILURE = MOST_UNPACKED / 8;

/**
 * At most this many packed parts, and characters between the name of one and its beginning: a file may be made to take
 * long.
 */
const MOST_PARTS = 10_000;
const MOST_HEAD = 400;

/**
 * How many pages a PDF has: the objects that are marked as pages, in the file itself or in its packed parts (ISO
 * 32000-1, 7.5.7 and 7.7.3). A file that was changed may count a page twice; undefined if none is found, as in an
 * encrypted document.
 */
export function pdfPages(bytes: Uint8Array): number | undefined {
  const text = latin1(bytes);
  let pages = pagesIn(text);
  let left = MOST_UNPACKED;
  const parts = /\/ObjStm\b/g;
  for (let looked = 0; looked < MOST_PARTS; looked++) {
    const part = parts.exec(text);
    if (part === null) break;
    const head = text.slice(part.index, part.index + MOST_HEAD);
    const found = /stream\r?\n/.exec(head);
    if (found === null) continue;
    const start = part.index + found.index + found[0].length;
    const end = text.indexOf('endstream', start);
    if (end < 0) break;
    const unpacked = unpack(bytes.subarray(start, end), left);
    left -= unpacked?.length ?? TAKEN_BY_FAILURE;
    if (unpacked !== undefined) pages += pagesIn(latin1(unpacked));
    // No byte is searched twice, however a file is made.
    parts.lastIndex = end;
  }
  return pages > 0 ? pages : undefined;
}

function pagesIn(text: string): number {
  const page = /\/Type\s*\/Page(?![A-Za-z])/g;
  let pages = 0;
  while (page.test(text)) pages++;
  return pages;
}

/** Undefined if the part is packed in another way or is too large. */
function unpack(packed: Uint8Array, most: number): Uint8Array | undefined {
  try {
    return most > 0 ? inflateSync(packed, { maxOutputLength: most }) : new Uint8Array();
  } catch {
    return undefined;
  }
}
