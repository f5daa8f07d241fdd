import type { Item, QueryOptions } from '../../../store/table.ts';
import { SHARDS } from './spread.ts';

/** How many items of each partition the first page of a list reads, which is mostly the last; later ones are longer. */
const FIRST_PAGE = 16;
const LARGEST_PAGE = 4_096;
const GROWTH = 4;

/** Reads items of one partition. */
type Read = (partition: string, options: QueryOptions) => AsyncIterable<Item>;

/**
 * The items of a partition that is spread over several, in one order. Earlier releases wrote to the partition itself: an
 * item that has been written again since lies in both, and the later one counts.
 */
export async function* querySpread(
  partition: string,
  { limit = Infinity, ...options }: QueryOptions,
  read: Read,
): AsyncGenerator<Item> {
  const shards = Array.from({ length: SHARDS }, (_, shard) => `${partition}#${shard}`);
  const parts = [...shards, partition].map(
    (part) => new Part((more) => read(part, { ...options, ...more }), limit),
  );
  const sign = options.reverse ? -1 : 1;
  for (let left = limit; left > 0; left -= 1) {
    await Promise.all(parts.filter(({ isDry }) => isDry).map((part) => part.refill()));
    let first: Row | undefined;
    for (const { head } of parts) {
      if (head !== undefined && (first === undefined || sign * head.bytes.compare(first.bytes) < 0))
        first = head;
    }
    if (first === undefined) return;
    for (const part of parts) if (part.head?.bytes.equals(first.bytes)) part.take();
    yield first.item;
  }
}

interface Row {
  item: Item;
  /** The sort key: DynamoDB orders by bytes. */
  bytes: Buffer;
}

interface Page {
  rows: readonly Row[];
  isLast: boolean;
}

/** One of the partitions, with a page at hand and the next one being read. */
class Part {
  readonly #read: (more: QueryOptions) => AsyncIterable<Item>;
  #size: number;
  #page: Page = { rows: [], isLast: false };
  #taken = 0;
  #next: Promise<Page> | undefined;

  constructor(read: (more: QueryOptions) => AsyncIterable<Item>, limit: number) {
    this.#read = read;
    this.#size = Math.min(FIRST_PAGE, limit);
  }

  get head(): Row | undefined {
    return this.#page.rows[this.#taken];
  }

  /** Whether its next item is not known yet. */
  get isDry(): boolean {
    return this.head === undefined && !this.#page.isLast;
  }

  take(): void {
    this.#taken += 1;
    // A list that ends earlier must not fail for it.
    if (2 * this.#taken >= this.#page.rows.length && !this.#page.isLast) this.#readAhead().catch(() => {});
  }

  async refill(): Promise<void> {
    this.#page = await this.#readAhead();
    this.#taken = 0;
    this.#next = undefined;
  }

  #readAhead(): Promise<Page> {
    return (this.#next ??= this.#readPage());
  }

  async #readPage(): Promise<Page> {
    const limit = this.#size;
    this.#size = Math.min(GROWTH * limit, LARGEST_PAGE);
    const after = this.#page.rows.at(-1)?.item.key.sort;
    const rows: Row[] = [];
    for await (const item of this.#read({ limit, ...(after !== undefined && { after }) })) {
      rows.push({ item, bytes: Buffer.from(item.key.sort) });
    }
    return { rows, isLast: rows.length < limit };
  }
}
