import { posix } from 'node:path';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import {
  type ByteRange,
  type FileContent,
  type FileStat,
  type FolderEntry,
  type Workspace,
  WorkspaceError,
} from '../../core/agent-schema/workspace.ts';
import { askAws, fromAwsError, isAwsError } from './aws-errors.ts';
import { checkPath } from '../../core/agent-schema/check-path.ts';
import { defined } from '../../defined.ts';

interface S3Folder {
  client: S3Client;
  bucket: string;
  /** Ends in `/`, unless it is empty. */
  prefix: string;
}

/** How often a write is repeated that another one under way prevents (S3, "Conditional writes", 409). */
const WRITE_ATTEMPTS = 5;

/** S3, "Object key naming". */
const MAX_KEY_BYTES = 1_024;

/**
 * The objects under a prefix of a bucket as a workspace. A folder exists as long as there is an object below it.
 * Versions are ETags.
 */
export function openS3Workspace(place: S3Folder): Workspace {
  const { client, bucket, prefix } = place;
  const objectAt = (path: string) => ({ Bucket: bucket, Key: keyOf(path, prefix) });
  const workspace: Workspace = {
    async *list(_, folder = '') {
      const below = folderKey(folder, prefix);
      try {
        for await (const { Contents = [] } of paginateListObjectsV2(
          { client },
          { Bucket: bucket, Prefix: below },
        )) {
          for (const { Key = '', Size, LastModified, ETag } of Contents) {
            const path = Key.slice(prefix.length);
            const stat: FileStat = { size: Size ?? 0, modified: LastModified?.getTime() ?? 0 };
            const read = (range?: ByteRange) => workspace.read(path, range);
            if (!isReachable(path)) continue;
            yield { path, isLink: false, stat: async () => stat, read, ...defined({ version: ETag }) };
          }
        }
      } catch (error) {
        throw await fromAwsError(error, `list "${below}" of bucket "${bucket}"`);
      }
    },

    async entries(path) {
      const below = folderKey(path, prefix);
      const entries: FolderEntry[] = [];
      try {
        const query = { Bucket: bucket, Prefix: below, Delimiter: '/' };
        for await (const { Contents = [], CommonPrefixes = [] } of paginateListObjectsV2({ client }, query)) {
          for (const { Prefix = '' } of CommonPrefixes) {
            entries.push({ name: Prefix.slice(below.length, -1), kind: 'folder', isLink: false, size: 0 });
          }
          for (const { Key = '', Size } of Contents) {
            entries.push({ name: Key.slice(below.length), kind: 'file', isLink: false, size: Size ?? 0 });
          }
        }
      } catch (error) {
        throw await fromAwsError(error, `list "${below}" of bucket "${bucket}"`);
      }
      if (entries.length === 0 && below !== prefix) {
        throw new WorkspaceError((await statObject(path)) ? 'not a folder' : 'missing', path);
      }
      return entries.filter(({ name }) => isReachable(name));
    },

    async stat(path) {
      if (normal(path) === '') return FOLDER;
      const stat = await statObject(path);
      if (stat !== undefined) return { kind: 'file', size: stat.size, modified: stat.modified };
      if (await isFolder(path)) return FOLDER;
      throw new WorkspaceError('missing', path);
    },

    async read(path, { offset = 0, limit } = {}) {
      const object = objectAt(path);
      const last = limit === undefined ? '' : offset + Math.max(limit, 1) - 1;
      const isWhole = offset === 0 && limit === undefined;
      try {
        const { Body, ETag, ContentRange, ContentLength } = await client.send(
          new GetObjectCommand({ ...object, ...(!isWhole && { Range: `bytes=${offset}-${last}` }) }),
        );
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
        // `bytes 0-9/1000`
        const size = Number(ContentRange?.split('/')[1] ?? ContentLength ?? bytes.length);
        return contentOf(bytes.subarray(0, limit), size, ETag);
      } catch (error) {
        // The range is empty: an empty object has none at all (S3, "GetObject").
        if (!isAwsError(error, 'InvalidRange')) throw await asFault(error, path, 'read');
        const stat = await statObject(path);
        if (stat === undefined) throw new WorkspaceError('missing', path, '', { cause: error });
        return contentOf(new Uint8Array(), stat.size, stat.version);
      }
    },

    async write(path, bytes, expected) {
      const object = objectAt(path);
      if (normal(path) === '') throw new WorkspaceError('folder', path);
      const condition = expected === undefined ? { IfNoneMatch: '*' } : { IfMatch: expected };
      for (let attempt = 1; ; attempt++) {
        try {
          const { ETag } = await client.send(new PutObjectCommand({ ...object, ...condition, Body: bytes }));
          return versionOf(ETag);
        } catch (error) {
          if (isAwsError(error, 'ConditionalRequestConflict') && attempt < WRITE_ATTEMPTS) continue;
          throw await asFault(error, path, 'write', expected === undefined ? 'exists' : 'changed');
        }
      }
    },

    async delete(path, expected) {
      try {
        await client.send(new DeleteObjectCommand({ ...objectAt(path), IfMatch: expected }));
      } catch (error) {
        throw await asFault(error, path, 'delete');
      }
    },

    // There are no links.
    realPath: async (path) => normal(path),
    absolutePath: async (path) => `/${normal(path)}`,
  };
  return workspace;

  async function statObject(path: string): Promise<(FileStat & { version: string | undefined }) | undefined> {
    try {
      const { ContentLength, LastModified, ETag } = await client.send(new HeadObjectCommand(objectAt(path)));
      return { size: ContentLength ?? 0, modified: LastModified?.getTime() ?? 0, version: ETag };
    } catch (error) {
      // An answer to HEAD has no body that could name the missing object.
      if (isAwsError(error, 'NotFound') || isAwsError(error, 'NoSuchKey')) return undefined;
      throw await asFault(error, path, 'look at');
    }
  }

  async function isFolder(path: string): Promise<boolean> {
    const below = folderKey(path, prefix);
    const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: below, MaxKeys: 1 });
    const listed = await askAws(`list "${below}" of bucket "${bucket}"`, () => client.send(command));
    return (listed.Contents ?? []).length > 0;
  }

  async function asFault(
    error: unknown,
    path: string,
    deed: string,
    ifRefused: 'exists' | 'changed' = 'changed',
  ): Promise<Error> {
    const options = { cause: error };
    if (isAwsError(error, 'PreconditionFailed')) return new WorkspaceError(ifRefused, path, '', options);
    if (isAwsError(error, 'ConditionalRequestConflict')) return new WorkspaceError('busy', path, '', options);
    if (isAwsError(error, 'NoSuchKey')) return new WorkspaceError('missing', path, '', options);
    if (isAwsError(error, 'AccessDenied'))
      return new WorkspaceError('failed', path, 'access denied', options);
    return fromAwsError(error, `${deed} "${keyOf(path, prefix)}" of bucket "${bucket}"`);
  }
}

const FOLDER = { kind: 'folder', size: 0, modified: 0 } as const;

function contentOf(bytes: Uint8Array, size: number, etag: string | undefined): FileContent {
  return { bytes, size, version: () => versionOf(etag) };
}

function versionOf(etag: string | undefined): string {
  if (etag === undefined) throw new Error('S3 answered without an ETag');
  return etag;
}

/**
 * The path as keys have it; "" for the workspace itself.
 * @throws {WorkspaceError} where it leads out of the workspace, as absolute paths do
 */
function normal(path: string): string {
  checkPath(path);
  const way = posix.normalize(path === '' ? '.' : path).replace(/\/$/, '');
  if (way === '' || way === '..' || way.startsWith('../') || way.startsWith('/')) {
    throw new WorkspaceError('outside', path);
  }
  return way === '.' ? '' : way;
}

function keyOf(path: string, prefix: string): string {
  const key = prefix + normal(path);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new WorkspaceError('failed', path, 'its name is too long');
  return key;
}

/** The prefix of all keys below a folder. */
function folderKey(path: string, prefix: string): string {
  return normal(path) === '' ? prefix : `${keyOf(path, prefix)}/`;
}

/**
 * Whether a key is the normal form of a path. Other keys were made by hand; the console leaves empty objects with keys
 * that end in a slash where a user made a folder.
 */
function isReachable(path: string): boolean {
  return (
    path !== '' && !path.endsWith('/') && posix.normalize(path) === path && !/^(\.{1,2})?(\/|$)/.test(path)
  );
}
