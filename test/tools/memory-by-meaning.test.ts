import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { compare, dropVector } from '../../src/core/memory/meaning.ts';
import type { KeptEntry } from '../../src/core/memory/entry.ts';
import { fromText } from '../../src/core/memory/vectors.ts';
import { createPrices } from '../../src/core/spending/prices.ts';
import { createMemoryVectors } from '../../src/places/store/memory-vectors.ts';
import { createMemoryBlobs, createMemoryTable } from '../../src/places/store/memory-table.ts';
import { createMemories } from '../../src/places/store/memories.ts';
import { createMemoryChores } from '../../src/places/store/memory-chores.ts';
import type { Blobs } from '../../src/places/store/blobs.ts';
import type { Table } from '../../src/places/store/table.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { openStage, stageConfig, use, type Asked } from '../fixtures/stage.ts';

const running = new AbortController().signal;

/** What texts are about, as far as these tests go. */
const SUBJECTS = [/dog|puppy/, /car|vehicle/, /tea/];
const meant = (text: string) => SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0.01));

/** A server of embeddings that knows these subjects; `fails` says when it does not answer. */
async function serve(fails: () => boolean = () => false) {
  const asked: string[][] = [];
  const server = await startModelServer(({ body }) => {
    const input = textsIn(body);
    asked.push(input);
    if (fails()) return { status: 400, body: { error: { message: 'no such model' } } };
    const data = input.map((text, index) => ({ index, embedding: meant(text) }));
    return { body: { data, usage: { prompt_tokens: 10 * input.length } } };
  });
  onTestFinished(server.close);
  const config = `[providers.acme]\nprotocol = "openai"\nbase_url = "${server.url}"\n[prices."acme/e"]\ninput = 100\noutput = 0\n[prices."stage/top"]\ninput = 0\noutput = 0\n`;
  return { asked, config };
}

function textsIn(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('input' in body) || !Array.isArray(body.input))
    return [];
  return body.input.map(String);
}

const SEARCHES = '[memory]\nsearch = true\nembedding = "acme/e"\n';

/** Makes calls one after another, and answers with all results. */
async function calls(config: string, next: ((results: string[]) => ReturnType<typeof use>)[]) {
  const all: string[] = [];
  const top = ({ turn, results }: Asked) => {
    all.push(...results);
    const call = next[turn - 1];
    return call === undefined ? all.join('\n') : [call(all)];
  };
  const stage = await openStage({ top }, { top: SEARCHES }, stageConfig(config));
  const { out, run } = await stage.run();
  return { lines: out.trimEnd().split('\n'), run, stage };
}

const save = (text: string) => () => use('memory_save', { text });
const search = (query: string) => () => use('memory_search', { query });

test('entries are found by what they mean, each is embedded once, and that is paid for', async () => {
  const { asked, config } = await serve();
  const { lines, run, stage } = await calls(config, [
    save('The puppy is called Bella'),
    save('The car is red'),
    search('dog'),
    save('Ada drinks tea'),
    search('vehicle'),
  ]);
  const texts = lines.slice(2).map((line) => line.replace(/^.*Z  /, '').replace(/^Saved: .*/, 'saved'));
  expect(texts[0]).toBe('The puppy is called Bella');
  expect(texts.slice(-3)[0]).toBe('The car is red');
  expect(asked).toEqual([
    ['The puppy is called Bella', 'The car is red'],
    ['dog'],
    ['Ada drinks tea'],
    ['vehicle'],
  ]);
  // Five texts of 10 tokens each, at $100 a million.
  expect(run.usage?.nanoUsd).toBe(5 * 10 * 100_000);
  const { text } = await stage.pipeline.local.vectors.read('top', undefined);
  expect(fromText(text).byEntry.size).toBe(3);
});

test('a forgotten entry leaves its vector too', async () => {
  const { config } = await serve();
  const { lines, stage } = await calls(config, [
    save('The puppy is called Bella'),
    save('Ada drinks tea'),
    search('dog'),
    ([saved = '']) => use('memory_forget', { id: saved.replace('Saved: ', '') }),
  ]);
  const [, other = ''] = lines.map((line) => line.replace('Saved: ', ''));
  const { text } = await stage.pipeline.local.vectors.read('top', undefined);
  expect([...fromText(text).byEntry.keys()]).toEqual([other]);
});

test('where the provider fails, words are searched alone, and the model reads why', async () => {
  const { config } = await serve(() => true);
  const { lines } = await calls(config, [save('The puppy is called Bella'), search('puppy'), search('dog')]);
  const fault = '(searched by words only: bad_request: no such model)';
  expect(lines.slice(1).map((line) => line.replace(/^.*Z  /, ''))).toEqual([
    'The puppy is called Bella',
    fault,
    '(nothing found)',
    fault,
  ]);
});

const PRICES = createPrices();
const entry = (id: string): KeptEntry => ({
  id,
  at: '2026-01-31T10:00:00Z',
  task: '',
  result: `about ${id}`,
});

/** A memory whose vectors are kept in these, with a model that counts what it is asked for. */
function memoryIn(table: Table, blobs: Blobs, model = 'acme/e') {
  const asked: string[] = [];
  const store = createMemoryVectors(table, blobs);
  const embed = async (texts: readonly string[]) => {
    asked.push(...texts);
    return { vectors: texts.map(meant), tokens: texts.length };
  };
  const meaning = { model, embeddings: { embed }, store, prices: PRICES };
  return {
    asked,
    store,
    compare: (entries: () => KeptEntry[]) =>
      compare('tea', { memory: 'm', owner: undefined, read: async () => entries() }, meaning, running),
  };
}

async function idsIn(store: ReturnType<typeof createMemoryVectors>): Promise<string[]> {
  const { text } = await store.read('m', undefined);
  return [...fromText(text).byEntry.keys()].sort();
}

test('vectors of another model, and those that are lost, are made anew; those of entries that are gone go', async () => {
  const [table, blobs] = [createMemoryTable(), createMemoryBlobs()];
  const first = memoryIn(table, blobs);
  await first.compare(() => [entry('a'), entry('b')]);
  expect([await idsIn(first.store), first.asked]).toEqual([
    ['a', 'b'],
    ['about a', 'about b', 'tea'],
  ]);
  await first.compare(() => [entry('b')]);
  expect(await idsIn(first.store)).toEqual(['b']);
  const other = memoryIn(table, blobs, 'acme/other');
  await other.compare(() => [entry('b')]);
  expect(other.asked).toEqual(['about b', 'tea']);
  const lost = memoryIn(table, createMemoryBlobs(), 'acme/other');
  expect((await lost.compare(() => [entry('b')])).likenesses.size).toBe(1);
  expect(lost.asked).toEqual(['about b', 'tea']);
});

test('a search completes so many entries, and later ones the rest', async () => {
  const { compare: search, asked } = memoryIn(createMemoryTable(), createMemoryBlobs());
  const entries = Array.from({ length: 600 }, (_, index) => entry(`e${index}`));
  expect((await search(() => entries)).likenesses.size).toBe(512);
  expect(asked).toHaveLength(513);
  expect((await search(() => entries)).likenesses.size).toBe(600);
  expect(asked).toHaveLength(602);
});

test('no writer loses the vectors of another, nor keeps one that was forgotten, in any order of reads and writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const [table, blobs] = [createMemoryTable(), createMemoryBlobs()];
      const turn = () => scheduler.schedule(Promise.resolve());
      const slow: Table = {
        ...table,
        get: (key) => turn().then(() => table.get(key)),
        putIfAbsent: (...given) => turn().then(() => table.putIfAbsent(...given)),
        putIfVersion: (...given) => turn().then(() => table.putIfVersion(...given)),
      };
      const slowBlobs: Blobs = {
        put: (...given) => turn().then(() => blobs.put(...given)),
        get: (key) => turn().then(() => blobs.get(key)),
        delete: (key) => turn().then(() => blobs.delete(key)),
      };
      let entries = [entry('a'), entry('b')];
      await memoryIn(table, blobs).compare(() => entries);
      entries = [entry('a'), entry('b'), entry('c')];
      const [one, other, now] = [
        memoryIn(slow, slowBlobs),
        memoryIn(slow, slowBlobs),
        memoryIn(table, blobs),
      ];
      const forget = async () => {
        entries = entries.filter(({ id }) => id !== 'a');
        await dropVector('a', 'm', undefined, one.store);
      };
      await scheduler.waitFor(
        Promise.all([one.compare(() => entries), other.compare(() => entries), forget()]),
      );
      const left = await idsIn(now.store);
      expect(left).toEqual(expect.arrayContaining(['b', 'c']));
      await now.compare(() => entries);
      expect(await idsIn(now.store)).toEqual(['b', 'c']);
    }),
    { numRuns: 50 },
  );
});

test('what an owner has forgotten leaves no vectors, nor does what goes to owners', async () => {
  const table = createMemoryTable();
  const blobs = createMemoryBlobs();
  const kept = new Set<string>();
  const counted: Blobs = {
    ...blobs,
    put: async (key, text) => {
      kept.add(key);
      await blobs.put(key, text);
    },
    delete: async (key) => {
      kept.delete(key);
      await blobs.delete(key);
    },
  };
  const vectors = createMemoryVectors(table, counted);
  const chores = createMemoryChores(table, vectors);
  await createMemories(table, 'ada').append('m', 'top-00000000000001', { ...entry('x') });
  await createMemories(table).append('m', 'top-00000000000002', { ...entry('y') });
  for (const owner of ['ada', undefined]) await vectors.write('m', owner, JSON.stringify({ owner }), 0);
  await vectors.write('m', 'ada', JSON.stringify({ later: true }), 1);
  expect(kept.size).toBe(2);
  await chores.forget('m', 'ada');
  expect([await vectors.read('m', 'ada'), kept.size]).toEqual([{ text: undefined, version: 0 }, 1]);
  await chores.assign('m', async () => 'bob');
  expect([await vectors.read('m', undefined), kept.size]).toEqual([{ text: undefined, version: 0 }, 0]);
});
