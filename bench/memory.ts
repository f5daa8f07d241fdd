import { openLocalStore } from '../src/places/local/local-store.ts';
import { ownMemories } from '../src/places/own-memories.ts';
import { createPrices } from '../src/core/spending/prices.ts';
import { inProject } from './project.ts';
import type { Row } from './row.ts';

const ENTRIES = 3_000;
const WORDS = 40;
const ATTEMPTS = 20;

/** `memory_search` by words, in a memory of thousands of entries of an ordinary length. */
export async function measureMemory(): Promise<Row[]> {
  return inProject({}, async (cwd) => {
    const { memories, vectors, close } = await openLocalStore(cwd);
    for (let index = 0; index < ENTRIES; index++) {
      const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
      await memories.append('top', `top-${index}`, {
        at,
        task: words(index, 8),
        result: words(-index, WORDS),
      });
    }
    const open = ownMemories({ memories, vectors, openEmbeddings: noEmbeddings, prices: createPrices() });
    const search = async () => {
      const { memory } = open(
        { memoryTools: { name: 'top' } },
        { run: 'top-0', turn: 1, call: 1, answeredAt: '' },
      );
      const start = performance.now();
      await memory?.search(`${wordOf(11)} ${wordOf(700)}`, 10, new AbortController().signal);
      return performance.now() - start;
    };
    const first = await search();
    const later: number[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) later.push(await search());
    await close();
    const what = `memory_search among ${ENTRIES} entries`;
    const row = { unit: ' ms', digits: 1, counts: 'least' } as const;
    return [
      { ...row, what, value: Math.min(...later), atMost: 20 },
      { ...row, what: `${what}, the first of a process`, value: first },
    ];
  });
}

/** Words of which few are frequent, as in any language. */
function words(seed: number, length: number): string {
  return Array.from({ length }, (_, index) => wordOf((Math.abs(seed) * 31 + index * index * 7) % 8_000)).join(
    ' ',
  );
}

function wordOf(index: number): string {
  return `word${((index * 2_654_435_761) % 1_000_003).toString(36)}`;
}

const noEmbeddings = () => Promise.reject(new Error('searched by words alone'));
