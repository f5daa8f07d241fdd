import type { Workspace } from '../../core/agent-schema/workspace.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { checkIsText, CHUNK_BYTES, decode, NEWLINE } from './text-file.ts';

const MAX_LINE_CHARACTERS = 2_000;
/** Enough for that many characters, of any length in UTF-8. */
const MAX_LINE_BYTES = 4 * MAX_LINE_CHARACTERS + 4;

export interface Lines {
  /** Without their ends; cut lines say so. */
  lines: string[];
  /** Of the whole file. */
  version: string;
  /** How many lines the file has; undefined where it is too large to be counted. */
  total: number | undefined;
  /** In bytes. */
  size: number;
}

/**
 * Reads some lines of a text file, which may be of any size, and so may its lines.
 * @throws {RefusedCall} where it is no text, or changes while it is read
 */
export async function readLines(
  path: string,
  { first, limit }: { first: number; limit: number },
  workspace: Pick<Workspace, 'read'>,
  signal: AbortSignal,
): Promise<Lines> {
  const start = await workspace.read(path, { limit: CHUNK_BYTES });
  const version = start.version();
  checkIsText(start.bytes, path);
  const collector = new LineCollector(first, limit);
  collector.add(start.bytes);
  let read = start.bytes.length;
  while (read < start.size && !collector.isFull) {
    signal.throwIfAborted();
    const next = await workspace.read(path, { offset: read, limit: CHUNK_BYTES });
    if (next.version() !== version || next.bytes.length === 0) {
      throw new RefusedCall(`"${path}" changed while it was read: read it again`);
    }
    collector.add(next.bytes);
    read += next.bytes.length;
  }
  const lines = collector.end();
  return { lines, version, total: read < start.size ? undefined : collector.lines, size: start.size };
}

/** Takes a file piece by piece and keeps the lines that are asked for. */
class LineCollector {
  /** How many lines have begun; the last of them may go on in the next piece. */
  lines = 0;
  readonly #first: number;
  readonly #limit: number;
  readonly #kept: string[] = [];
  /** The start of the line that the last piece ended in, as far as it can be shown. */
  #open: Uint8Array = new Uint8Array();
  /** Of that line, so far. */
  #openBytes = 0;
  #isOpen = false;

  constructor(first: number, limit: number) {
    this.#first = first;
    this.#limit = limit;
  }

  /** Whether the wanted lines are there. */
  get isFull(): boolean {
    return this.#kept.length === this.#limit;
  }

  add(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      const found = piece.indexOf(NEWLINE, at);
      const end = found === -1 ? piece.length : found;
      if (!this.#isOpen) this.#begin();
      if (this.#isWanted) this.#extend(piece.subarray(at, end));
      if (found === -1) return;
      this.#finish();
      at = end + 1;
    }
  }

  /** @returns the lines, the last of which need not have had an end */
  end(): string[] {
    if (this.#isOpen) this.#finish();
    return this.#kept;
  }

  get #isWanted(): boolean {
    return this.lines >= this.#first && !this.isFull;
  }

  #begin(): void {
    this.#isOpen = true;
    this.#open = new Uint8Array();
    this.#openBytes = 0;
    this.lines++;
  }

  #extend(bytes: Uint8Array): void {
    const room = MAX_LINE_BYTES - this.#open.length;
    if (this.#openBytes === 0) this.#open = bytes.subarray(0, room);
    else if (room > 0) this.#open = Buffer.concat([this.#open, bytes.subarray(0, room)]);
    this.#openBytes += bytes.length;
  }

  #finish(): void {
    this.#isOpen = false;
    if (!this.#isWanted) return;
    const { text } = decode(this.#open, this.#openBytes > this.#open.length);
    const line = (this.lines === 1 ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '');
    const isCut = line.length > MAX_LINE_CHARACTERS;
    this.#kept.push(isCut ? `${start(line)}… (cut: the line has ${this.#openBytes} bytes)` : line);
  }
}

/** Not half a pair at the end. */
function start(line: string): string {
  return line.slice(0, MAX_LINE_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
}
