import { constants } from 'node:os';
import { StoreError, messageOf } from '../../../../errors.ts';

/**
 * The error of LMDB or the file system, in words for people. `deed` is the attempted operation: `open`, `read`, `write
 * to`.
 */
export function fromLmdbError(error: unknown, path: string, deed: string): StoreError {
  if (error instanceof StoreError) return error;
  const { reason, remedy } = explain(error);
  return new StoreError(`cannot ${deed} the store ${path}: ${reason} (${messageOf(error)}): ${remedy}`, {
    cause: error,
  });
}

const { EACCES, EAGAIN, EBUSY, EDQUOT, EEXIST, EFBIG, EIO, EISDIR, ENOLCK, ENOSPC, ENOTDIR, EPERM, EROFS } =
  constants.errno;

/** LMDB's own codes, from `lmdb.h`: a full map, and all that is wrong with a file's content. */
const MDB_MAP_FULL = -30792;
const MDB_READERS_FULL = -30790;
const MDB_CORRUPTED = [-30797, -30796, -30795, -30794, -30793, -30784, -30782, -30779];

function explain(error: unknown): { reason: string; remedy: string } {
  const code = codeOf(error);
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case MDB_MAP_FULL:
      return { reason: 'no room', remedy: 'free some space and try again, what was written before is kept' };
    case EIO:
      return {
        reason: 'the disk failed or has no room',
        remedy: 'check the disk and try again, what was written before is kept',
      };
    case EACCES:
    case EPERM:
      return { reason: 'permission denied', remedy: 'give this user the right to read and write its folder' };
    case EROFS:
      return { reason: 'read-only file system', remedy: 'choose a folder that can be written' };
    case EEXIST:
    case ENOTDIR:
    case EISDIR:
      return { reason: 'a file is where a folder belongs, or a folder where a file', remedy: 'move it away' };
    case EAGAIN:
    case EBUSY:
    case ENOLCK:
      return {
        reason: 'it is locked',
        remedy: 'end other programs that use it, or choose a folder on a local disk',
      };
    case MDB_READERS_FULL:
      return {
        reason: 'too many processes have it open',
        remedy: 'stop some of them, or wait until they end',
      };
    default:
      break;
  }
  if (error instanceof SyntaxError || (code !== undefined && MDB_CORRUPTED.includes(code))) {
    return { reason: 'the file is damaged', remedy: 'move it away, and a new one is made in its place' };
  }
  return { reason: 'it failed', remedy: 'try again' };
}

/** LMDB gives a number in `code`: its own below -30000, else an errno. Node gives the errno, negative, in `errno`. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'number') return error.code;
  if ('errno' in error && typeof error.errno === 'number') return -error.errno;
  return undefined;
}
