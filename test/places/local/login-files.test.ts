import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLoginFiles } from '../../../src/places/local/login-files.ts';
import { ConfigError, StoreUnavailableError } from '../../../src/errors.ts';
import { latch } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const URL = 'https://a.example/mcp';
const LOGIN = { client: { client_id: 'c' }, tokens: { access_token: 't' } };

async function opened() {
  const folder = join(await tempFolder(), 'logins');
  return { folder, logins: createLoginFiles(folder) };
}

test('a sign-in is a file that only its user reads, until it is removed', async () => {
  const { folder, logins } = await opened();
  expect(await logins.read(URL)).toBeUndefined();
  await logins.update(URL, (before) => Promise.resolve(before ?? LOGIN));
  await logins.update('https://b.example', () => Promise.resolve({ ...LOGIN, lacks: 'x' }));
  await logins.update(URL, (before) => {
    expect(before).toEqual(LOGIN);
    return Promise.resolve(undefined);
  });
  expect([await logins.read(URL), await logins.read('https://b.example')]).toEqual([
    LOGIN,
    { ...LOGIN, lacks: 'x' },
  ]);
  const files = await readdir(folder);
  expect(files).toEqual([
    expect.stringMatching(/^[0-9a-f]{32}\.json$/),
    expect.stringMatching(/^[0-9a-f]{32}\.json$/),
  ]);
  const modes = await Promise.all(
    ['', ...files].map(async (file) => (await stat(join(folder, file))).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600, 0o600]);
  await logins.remove(URL);
  await logins.remove(URL);
  expect([await logins.read(URL), (await readdir(folder)).length]).toEqual([undefined, 1]);
  expect(logins.howTo('docs')).toBe('cadre mcp login <agent> docs');
});

test('changes of a sign-in come one after the other, whatever fails', async () => {
  const { folder, logins } = await opened();
  await expect(logins.update(URL, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  const counted = Array.from({ length: 3 }, () =>
    logins.update(URL, async (before) => ({ ...LOGIN, lacks: `${before?.lacks ?? ''}x` })),
  );
  await Promise.all(counted);
  expect([await logins.read(URL), await readdir(folder)]).toEqual([
    { ...LOGIN, lacks: 'xxx' },
    [expect.stringMatching(/\.json$/)],
  ]);
});

test('the lock of a process that has died is taken away, and its own alone', async () => {
  const { folder, logins } = await opened();
  await logins.update(URL, () => Promise.resolve(LOGIN));
  const [file = ''] = await readdir(folder);
  const lock = join(folder, `${file}.lock`);
  await writeFile(lock, '');
  const longAgo = new Date(Date.now() - 61_000);
  await utimes(lock, longAgo, longAgo);
  await logins.update(URL, () => Promise.resolve({ ...LOGIN, lacks: 'y' }));
  expect([await logins.read(URL), await readdir(folder)]).toEqual([{ ...LOGIN, lacks: 'y' }, [file]]);
});

test('a process that stood still for longer than its lock counts changes nothing any more', async () => {
  const { folder, logins } = await opened();
  const [inside, goesOn] = [latch(), latch()];
  const late = logins.update(URL, async () => {
    inside.open();
    await goesOn.opened;
    return { ...LOGIN, lacks: 'late' };
  });
  const refused = late.catch((thrown: unknown) => thrown);
  await inside.opened;
  const [file = ''] = await readdir(folder);
  const longAgo = new Date(Date.now() - 61_000);
  await utimes(join(folder, file), longAgo, longAgo);
  await logins.update(URL, async () => {
    goesOn.open();
    expect(await refused).toEqual(
      new StoreUnavailableError('the sign-in was renewed by another meanwhile; try again'),
    );
    expect(await readdir(folder)).toEqual([file]);
    return LOGIN;
  });
  expect(await logins.read(URL)).toEqual(LOGIN);
});

test('the lock of a process that has died counts no longer where the clock was set back since', async () => {
  const { folder, logins } = await opened();
  await logins.update(URL, () => Promise.resolve(LOGIN));
  const [file = ''] = await readdir(folder);
  const lock = join(folder, `${file}.lock`);
  await writeFile(lock, '');
  const ahead = new Date(Date.now() + 61_000);
  await utimes(lock, ahead, ahead);
  await logins.update(URL, () => Promise.resolve({ ...LOGIN, lacks: 'y' }));
  expect(await logins.read(URL)).toEqual({ ...LOGIN, lacks: 'y' });
});

test('a file that is no sign-in is named', async () => {
  const { folder, logins } = await opened();
  await logins.update(URL, () => Promise.resolve(LOGIN));
  const [file = ''] = await readdir(folder);
  const path = join(folder, file);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ url: URL, ...LOGIN });
  await writeFile(path, '{}');
  await expect(logins.read(URL)).rejects.toThrow(
    new ConfigError(`${path} is no sign-in: remove it, and sign in again`),
  );
});
