import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { ConfigError, StoreUnavailableError } from '../../errors.ts';
import type { Login, Logins } from '../../tools/mcp/ports.ts';

const LoginFile = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    url: v.string(),
    client: v.optional(v.unknown()),
    tokens: v.optional(v.unknown()),
    lacks: v.exactOptional(v.string()),
  }),
);

/** Longer than a server may take to give a new token: the process that holds the lock has died, or stands still. */
const STALE_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/**
 * Sign-ins as files of the user's own, one for each server, which nobody else may read.
 * @param folder absolute
 */
export function createLoginFiles(folder: string): Logins {
  const fileOf = (url: string) =>
    join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`);

  async function read(url: string): Promise<Login | undefined> {
    const path = fileOf(url);
    const text = await readFile(path, 'utf8').catch(ifMissing);
    if (text === undefined) return undefined;
    const parsed = v.safeParse(LoginFile, text);
    if (!parsed.success) throw new ConfigError(`${path} is no sign-in: remove it, and sign in again`);
    const { url: _, ...login } = parsed.output;
    return login;
  }

  return {
    read,
    async update(url, change) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = fileOf(url);
      await locked(`${path}.lock`, async (isOwn) => {
        const login = await change(await read(url));
        if (login === undefined) return;
        if (!(await isOwn())) {
          throw new StoreUnavailableError('the sign-in was renewed by another meanwhile; try again');
        }
        // Whole or not at all, whoever dies when.
        const written = `${path}.${randomUUID()}`;
        await writeFile(written, JSON.stringify({ url, ...login }), { mode: 0o600, flag: 'wx' });
        await rename(written, path);
      });
    },
    remove: (url) => rm(fileOf(url), { force: true }),
    howTo: (server) => `cadre mcp login <agent> ${server}`,
  };
}

/** @param work is told on demand whether the lock is still its own */
async function locked(path: string, work: (isOwn: () => Promise<boolean>) => Promise<void>): Promise<void> {
  const by = randomUUID();
  const isOwn = async () => (await readFile(path, 'utf8').catch(ifMissing)) === by;
  while (!(await lock(path, by))) await delay(LOOK_AGAIN_MS);
  try {
    await work(isOwn);
  } finally {
    if (await isOwn()) await rm(path, { force: true });
  }
}

async function lock(path: string, by: string): Promise<boolean> {
  try {
    await writeFile(path, by, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (thrown) {
    if (!isCalled(thrown, 'EEXIST')) throw thrown;
    const since = (await stat(path).catch(ifMissing))?.mtimeMs;
    // The clock may have been set back since.
    if (since !== undefined && Math.abs(Date.now() - since) > STALE_MS) await rm(path, { force: true });
    return false;
  }
}

function ifMissing(thrown: unknown): undefined {
  if (!isCalled(thrown, 'ENOENT')) throw thrown;
}

function isCalled(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
