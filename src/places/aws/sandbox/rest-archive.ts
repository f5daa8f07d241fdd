import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { packTar, type TarSource, unpackTar } from 'modern-tar/fs';
import * as v from 'valibot';
import { type Workspace, WorkspaceError } from '../../../core/agent-schema/workspace.ts';
import { isInside } from '../../local/workspace/inside.ts';
import { PinnedFolder } from '../../local/workspace/open-inside.ts';
import type { RestEntry } from './look-through.ts';

/** The one archive of a tree and a workdir, in the folder that the tree has for it. */
const NAME = 'rest.tar.gz';

/** The most that is kept, packed and unpacked: the first is held in memory. */
const MOST_PACKED = 256 * 1024 ** 2;
const MOST_BYTES = 1024 ** 3;
const MOST_ENTRIES = 100_000;

/** An extra entry that lists the links: an archive with links in it could lead its own entries elsewhere. */
const LINKS = '.cadre/links.json';
const Links = v.pipe(v.string(), v.parseJson(), v.array(v.tuple([v.string(), v.string()])));

/** Quick: it is read and written with every command that changes anything. */
const LEVEL = 1;

/**
 * The part of a folder that is not in its workspace, such as node_modules, as one archive that lasts as long as its
 * tree: the next command may run on another machine.
 */
export class RestArchive {
  readonly #folder: string;
  /** Of the archive that is in the folder; undefined: none is. */
  #version: string | undefined;
  #digest = digestOf([]);

  /** @param folder as of `WorkspaceCopy` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  clear(): void {
    this.#version = undefined;
    this.#digest = digestOf([]);
  }

  /** Whether the folder has what there is now. */
  async isCurrent(kept: Workspace): Promise<boolean> {
    return (await versionIn(kept)) === this.#version;
  }

  /**
   * Unpacks the archive into the folder. Existing files stay.
   * @throws {Error} for an archive that holds more than is ever packed
   */
  async unpack(kept: Workspace, signal: AbortSignal): Promise<void> {
    const archive = await readIn(kept);
    if (archive === undefined) return;
    mkdirSync(this.#folder, { recursive: true });
    let bytes = 0;
    let entries = 0;
    let declared = 0;
    const counted = new Transform({
      transform(chunk: Buffer, _, done) {
        bytes += chunk.length;
        done(bytes > MOST_BYTES + MOST_ENTRIES * 1_024 ? new Error('the archive is too large') : null, chunk);
      },
    });
    const unpacking = unpackTar(this.#folder, {
      filter: ({ name, type, size }) => {
        declared += size;
        if (++entries > MOST_ENTRIES || declared > MOST_BYTES) throw new Error('the archive holds too much');
        const isKept = type === 'directory' || type === 'file';
        return isKept && (type === 'directory' || !isThere(join(this.#folder, name)));
      },
    });
    await pipeline(Readable.from([archive.bytes]), createGunzip(), counted, unpacking, { signal });
    await this.#link();
    this.#version = archive.version();
  }

  /** Notes the rest of the folder, now that it is unpacked. */
  note(rest: readonly RestEntry[]): void {
    this.#digest = digestOf(rest);
  }

  /**
   * Packs the rest again, if it has changed.
   * @param rest all of it in the folder now
   * @returns what is not kept, in words for a model
   */
  async pack(rest: readonly RestEntry[], kept: Workspace, signal: AbortSignal): Promise<string[]> {
    const digest = digestOf(rest);
    if (digest === this.#digest) return [];
    const bytes = rest.reduce((sum, { kind, size }) => sum + (kind === 'file' ? size : 0), 0);
    const packed =
      bytes > MOST_BYTES || rest.length > MOST_ENTRIES ? undefined : await this.#packed(rest, signal);
    if (packed === undefined) {
      return [
        'what .gitignore names, and node_modules, are too large to be kept: a later command may not find them',
      ];
    }
    try {
      this.#version = await kept.write(NAME, packed, this.#version);
      this.#digest = digest;
      return [];
    } catch (thrown) {
      if (!(thrown instanceof WorkspaceError)) throw thrown;
      return [
        'what .gitignore names, and node_modules, are as another command of this task has left them meanwhile',
      ];
    }
  }

  /** Undefined where it is too large. */
  async #packed(rest: readonly RestEntry[], signal: AbortSignal): Promise<Buffer | undefined> {
    const links = rest.flatMap(({ path, target }) => (target === undefined ? [] : [[path, target]]));
    const sources = rest.flatMap(({ path, kind, mode }): TarSource[] => {
      if (kind === 'file') return [{ type: kind, source: join(this.#folder, path), target: path, mode }];
      return kind === 'folder' ? [{ type: 'content', content: '', target: `${path}/`, mode }] : [];
    });
    const tar = packTar([...sources, { type: 'content', content: JSON.stringify(links), target: LINKS }]);
    let size = 0;
    const limited = new Transform({
      transform(chunk: Buffer, _, done) {
        size += chunk.length;
        done(null, size > MOST_PACKED ? undefined : chunk);
      },
    });
    const [bytes] = await Promise.all([
      buffer(limited),
      pipeline(tar, createGzip({ level: LEVEL }), limited, { signal }),
    ]);
    return size > MOST_PACKED ? undefined : bytes;
  }

  /** Makes the links, now that everything else is in its place. */
  async #link(): Promise<void> {
    const listed = join(this.#folder, LINKS);
    for (const [path, target] of v.parse(Links, await readFile(listed, 'utf8'))) {
      const place = join(this.#folder, path);
      if (!isInside(place, this.#folder)) throw new Error('a link leads out of the archive');
      // Goes through no other link.
      const pinned = PinnedFolder.make(dirname(place), this.#folder, path);
      try {
        if (!isThere(place)) symlinkSync(target, pinned.at(basename(path)));
      } finally {
        pinned.close();
      }
    }
    await rm(dirname(listed), { recursive: true });
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function versionIn(kept: Workspace): Promise<string | undefined> {
  for await (const { path, version } of kept.list(() => true)) if (path === NAME) return version;
  return undefined;
}

async function readIn(kept: Workspace) {
  try {
    return await kept.read(NAME);
  } catch (thrown) {
    if (thrown instanceof WorkspaceError && thrown.fault === 'missing') return undefined;
    throw thrown;
  }
}

function digestOf(rest: readonly RestEntry[]): string {
  const hash = createHash('sha256');
  for (const { path, kind, stamp } of rest) hash.update(JSON.stringify([path, kind, stamp]));
  return hash.digest('base64url');
}
