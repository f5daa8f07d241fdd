import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import * as v from 'valibot';

const inflate = promisify(brotliDecompress);
const Packed = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()));

/**
 * Lays out the functions' bundles as `packed` in scripts/package.mjs has packed them: one file, since the bundles are
 * much the same, and take a twelfth of the room together.
 * @param archive absolute
 * @param folder absolute; made if it is not there
 */
export async function unpackFunctions(archive: string, folder: string): Promise<void> {
  const texts = Object.entries(v.parse(Packed, String(await inflate(await readFile(archive)))));
  const folders = new Set(texts.map(([path]) => dirname(join(folder, path))));
  await Promise.all([...folders].map((each) => mkdir(each, { recursive: true })));
  await Promise.all(texts.map(([path, text]) => writeFile(join(folder, path), text)));
}
