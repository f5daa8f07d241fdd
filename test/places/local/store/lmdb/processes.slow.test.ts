import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../../../../src/errors.ts';
import { openLmdbTable } from '../../../../../src/places/local/store/lmdb/table.ts';
import { testUnlessLacking } from '../../../../fixtures/lacking.ts';
import { collect } from '../../../store/table-contract.ts';

let folder: string;
/** The second process as one file, which starts at once, where it finds packages. */
const SECOND_PROCESS = join(
  import.meta.dirname,
  `../../../../../node_modules/.cache/lmdb-process-${process.pid}.mjs`,
);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lmdb-table-'));
  await chmod(folder, 0o755);
  await build({
    entryPoints: [join(import.meta.dirname, '../../../../fixtures/lmdb-process.ts')],
    outfile: SECOND_PROCESS,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
});
afterAll(() => Promise.all([rm(folder, { recursive: true }), rm(SECOND_PROCESS)]));

describe('two processes', () => {
  test('in one folder let one win each key', async () => {
    const path = join(folder, 'processes');
    const keys = 300;
    const processes = [1, 2].map(() => startProcess(['compete', path, `${keys}`]));
    await Promise.all(processes.map((child) => child.next()));
    for (const child of processes) child.begin();
    const won = await Promise.all(processes.map((child) => child.next()));

    const table = await openLmdbTable(path);
    const items = await collect(table.query('key', ''));
    expect(items).toHaveLength(keys);
    expect(won).toEqual(
      processes.map(({ process }) => items.filter(({ value }) => value === process.pid).length),
    );
    await table.close();
  });
});

describe('what was acknowledged', () => {
  test('is there after kill -9 in the middle of writing', async () => {
    const path = join(folder, 'killed');
    const child = startProcess(['write until stopped', path, '5000']);
    await child.next();
    child.begin();
    let acknowledged = 0;
    for (; acknowledged < 200; acknowledged++) expect(await child.next()).toBe(acknowledged);
    child.process.kill('SIGKILL');
    await once(child.process, 'close');

    const table = await openLmdbTable(path);
    const items = await collect(table.query('kept', ''));
    const kept = items.map(({ key }) => Number(key.sort)).sort((a, b) => a - b);
    expect(kept.length).toBeGreaterThanOrEqual(acknowledged);
    expect(kept).toEqual(kept.map((_, index) => index));
    const key = { partition: 'kept', sort: 'and more' };
    expect(await table.putIfAbsent(key, 1)).toMatchObject({ written: true });
    await table.close();
  });

  test.each([
    ['pages', '5000'],
    ['values of many pages', '60000'],
  ])('is there after the disk was full of %s, and the error says so', async (title, size) => {
    const path = join(folder, `full of ${title}`);
    const child = startProcess(['write until stopped', path, size], { fileBlocks: 1000 });
    await child.next();
    child.begin();
    let acknowledged = 0;
    let result = await child.next();
    for (; result === acknowledged; result = await child.next()) acknowledged++;
    expect(result).toEqual({
      error: 'StoreError',
      message:
        `cannot write to the store ${path}/store.mdb: no room (EFBIG: file too large, write): ` +
        'free some space and try again, what was written before is kept',
    });

    const table = await openLmdbTable(path);
    const items = await collect(table.query('kept', ''));
    expect(items.map(({ key }) => Number(key.sort)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: acknowledged }, (_, index) => index),
    );
    expect(items.every(({ value }) => value === 'x'.repeat(Number(size)))).toBe(true);
    const key = { partition: 'kept', sort: `${acknowledged}` };
    expect(await table.putIfAbsent(key, 'there is room again')).toMatchObject({ written: true });
    await table.close();
  });
});

test('a process that was killed while it read does not make the file grow', async () => {
  const path = join(folder, 'reader');
  const table = await openLmdbTable(path);
  const key = { partition: 'read', sort: '1' };
  let { item } = await table.putIfAbsent(key, 'x');
  const child = startProcess(['read, and stand still', path]);
  await child.next();
  child.begin();
  expect(await child.next()).toBe('has read');
  child.process.kill('SIGKILL');
  await once(child.process, 'close');

  for (let index = 0; index < 1000; index++) {
    const put = await table.putIfVersion(key, `${'y'.repeat(3000)}${index}`, item.version);
    if (put !== undefined) item = put;
  }
  expect(item.version).toBe(1001);
  expect((await stat(join(path, 'store.mdb'))).size).toBeLessThan(4 * 1024 * 1024);
  await table.close();
});

describe('a folder that cannot be used', () => {
  /** Root may write everywhere, so it becomes an ordinary user. */
  const user = process.getuid?.() === 0 ? ['0', '65534'] : [];

  test('is refused if it is not writable', async () => {
    const path = join(folder, 'not writable');
    await mkdir(path);
    await chmod(path, 0o555);
    expect(await startProcess(['open', path, ...user]).next()).toEqual({
      error: 'StoreError',
      message:
        `cannot open the store ${path}/store.mdb: permission denied ` +
        `(EACCES: permission denied, access '${path}'): give this user the right to read and write its folder`,
    });
  });

  test('is refused if a file of the store is not writable', async () => {
    const path = join(folder, 'not writable inside');
    const table = await openLmdbTable(path);
    await table.close();
    await chmod(path, 0o777);
    await chmod(join(path, 'store.mdb'), 0o666);
    await chmod(join(path, 'store.mdb-lock'), 0o444);
    expect(await startProcess(['open', path, ...user]).next()).toMatchObject({
      error: 'StoreError',
      message: expect.stringContaining(`permission denied, access '${path}/store.mdb-lock'`),
    });
  });

  test('is refused if there is no room for a new store', async () => {
    const path = join(folder, 'no room');
    expect(await startProcess(['open', path], { fileBlocks: 8 }).next()).toMatchObject({
      error: 'StoreError',
      message: expect.stringMatching(/^cannot open the store .*no room\/store\.mdb: no room \(EFBIG/),
    });
  });

  // Other systems hold no process to such a limit.
  testUnlessLacking(
    process.platform === 'linux' ? undefined : 'on Linux only',
    'is refused if its map has no room in memory',
    async () => {
      const path = join(folder, 'no address space');
      expect(await startProcess(['open', path], { addressSpace: 60_000_000 }).next()).toEqual({
        error: 'StoreError',
        message:
          `cannot open the store ${path}/store.mdb: it takes 64 GiB of address space (not of memory or disk), ` +
          'but this process may have only 57.2 GiB: raise the limit with: ulimit -v unlimited',
      });
    },
  );

  test('is refused while too many processes have it open', async () => {
    const path = join(folder, 'many readers');
    const only = startProcess(['hold the only place', path]);
    await only.next();
    const table = await openLmdbTable(path);
    await expect(table.get({ partition: 'p', sort: 's' })).rejects.toThrow(
      /: too many processes have it open \(MDB_READERS_FULL: .*\): stop some of them, or wait until they end$/,
    );
    only.process.kill('SIGKILL');
    await once(only.process, 'close');
    expect(await table.get({ partition: 'p', sort: 's' })).toBeUndefined();
    await table.close();
  });

  test.each(['store.mdb', 'store.mdb-lock'])('is refused if a pipe is in place of %s', async (name) => {
    const path = join(folder, `a pipe for ${name}`);
    await mkdir(path);
    execFileSync('mkfifo', [join(path, name)]);
    await expect(openLmdbTable(path)).rejects.toThrow(
      `${join(path, name)} is a pipe, not a regular file; move it away`,
    );
    expect(await readdir(path)).toEqual([name]);
  });

  test('is refused if it is a file', async () => {
    const path = join(folder, 'a file');
    await writeFile(path, '');
    await expect(openLmdbTable(path)).rejects.toThrow(
      `${path} is a regular file, not a folder; move it away`,
    );
    await expect(openLmdbTable(path)).rejects.toBeInstanceOf(StoreError);
  });
});

describe('a damaged store', () => {
  test.each([
    ['is no store', 'not a store at all, '.repeat(1000)],
    ['has a few bytes', 'short'],
  ])('is refused and left as it is if the file %s', async (title, content) => {
    const path = join(folder, title);
    await mkdir(path);
    await writeFile(join(path, 'store.mdb'), content);
    await expect(openLmdbTable(path)).rejects.toEqual(
      new StoreError(`${path}/store.mdb is damaged or not a store: move it away, and a new one is created`),
    );
    expect(await readFile(join(path, 'store.mdb'), 'utf8')).toBe(content);
  });

  /** What `change` made of the file of a store that was closed as it should be, as another file. */
  async function changed(title: string, change: (file: Buffer) => Buffer): Promise<string> {
    const whole = join(folder, 'whole');
    const table = await openLmdbTable(whole);
    for (let index = 0; index < 400; index++) {
      await table.putIfAbsent({ partition: 'p', sort: `${index}` }, 'x'.repeat((index % 40) * 80));
      if (index % 3 === 0) await table.delete({ partition: 'p', sort: `${index}` });
    }
    await table.close();
    const path = join(folder, `changed ${title}`);
    await mkdir(path);
    await writeFile(join(path, 'store.mdb'), change(await readFile(join(whole, 'store.mdb'))));
    return path;
  }

  test('is refused and left as it is where the file was cut', async () => {
    const path = await changed('cut', (file) => file.subarray(0, file.length / 2));
    const before = await readFile(join(path, 'store.mdb'));
    await expect(openLmdbTable(path)).rejects.toThrow(
      /^\/.*store\.mdb is damaged: .*: put it back from a copy, or move it away, and a new one is created$/,
    );
    expect(before.equals(await readFile(join(path, 'store.mdb')))).toBe(true);
  });

  test.each<[string, number, number]>([
    ['the kind of the first page', 0, 18],
    ['the flags of the tree', 0, 100],
    ['the depth of the tree', 0, 102],
    ['the root of the tree', 0, 136],
    ['the number of a page', 2, 0],
    ['the kind of a page', 2, 18],
    ['the bounds of a page', 2, 20],
    ['the place of an entry', 2, 24],
  ])('is refused where %s is another', async (title, page, at) => {
    const path = await changed(title, (file) => {
      // What the first two pages say counts in the newer one; of the others, some are free.
      const size = file.readUInt32LE(48);
      const last = page < 2 ? 1 : Math.floor(file.length / size) - 1;
      for (let each = page; each <= last; each++) {
        const place = each * size + at;
        file.writeUInt16LE(file.readUInt16LE(place) ^ 0x4101, place);
      }
      return file;
    });
    await expect(openLmdbTable(path)).rejects.toThrow(/store\.mdb is damaged/);
  });

  test('never takes the process down, with any bits flipped', async () => {
    // Copies are opened in a process of its own, which says how many it has tried.
    const path = await changed('for flips', (file) => file);
    const process = startProcess(['flip bits', path, '30']);
    expect(await process.next()).toBe('ready');
    process.begin();
    expect(await process.next()).toMatchObject({ tried: 30, refused: expect.any(Number) });
  });

  test('is looked for again after a kill or a change, and not after a close', async () => {
    const path = await changed('marked', (file) => file);
    const mark = () => readFile(join(path, 'store.mdb-whole'), 'utf8');
    const table = await openLmdbTable(path);
    const looked = await mark();
    await table.putIfAbsent({ partition: 'p', sort: 'new' }, 1);
    await table.close();
    const closed = await mark();
    expect(closed).not.toBe(looked);
    await (await openLmdbTable(path)).close();
    expect(await mark()).toBe(closed);
    await chmod(join(path, 'store.mdb'), 0o600);
    await (await openLmdbTable(path)).close();
    expect(await mark()).not.toBe(closed);
  });
});

interface StoreProcess {
  process: ChildProcessWithoutNullStreams;
  begin(): void;
  /** The next line that it prints. */
  next(): Promise<unknown>;
}

interface Limits {
  /** The size at which files end for it, in blocks of 512 or 1,024 bytes. */
  fileBlocks?: number;
  /** In KiB. */
  addressSpace?: number;
}

function startProcess(args: string[], { fileBlocks, addressSpace }: Limits = {}): StoreProcess {
  const command = [process.execPath, SECOND_PROCESS, ...args];
  const limits = [
    ...(fileBlocks === undefined ? [] : [`ulimit -f ${fileBlocks}`]),
    ...(addressSpace === undefined ? [] : [`ulimit -v ${addressSpace}`]),
  ];
  const child = spawn('sh', ['-c', [...limits, 'exec "$@"'].join('; '), 'sh', ...command]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    process: child,
    begin: () => child.stdin.write('go\n'),
    async next() {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
  };
}
