import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { fromLmdbError } from '../../../../../src/places/local/store/lmdb/errors.ts';
import { StoreError } from '../../../../../src/errors.ts';

const { errno } = constants;
const full = 'no room (x): free some space and try again, what was written before is kept';
const denied = 'permission denied (x): give this user the right to read and write its folder';
const misplaced = 'a file is where a folder belongs, or a folder where a file (x): move it away';
const locked = 'it is locked (x): end other programs that use it, or choose a folder on a local disk';
const damaged = 'the file is damaged (x): move it away, and a new one is made in its place';
const failed = 'it failed (x): try again';

test.each<[number, string]>([
  [errno.ENOSPC, full],
  [errno.EDQUOT, full],
  [errno.EFBIG, full],
  [-30792, full],
  [
    errno.EIO,
    'the disk failed or has no room (x): check the disk and try again, what was written before is kept',
  ],
  [errno.EACCES, denied],
  [errno.EPERM, denied],
  [errno.EROFS, 'read-only file system (x): choose a folder that can be written'],
  [errno.EEXIST, misplaced],
  [errno.ENOTDIR, misplaced],
  [errno.EISDIR, misplaced],
  [errno.EAGAIN, locked],
  [errno.EBUSY, locked],
  [errno.ENOLCK, locked],
  [-30790, 'too many processes have it open (x): stop some of them, or wait until they end'],
  ...[-30797, -30796, -30795, -30794, -30793, -30784, -30782, -30779].map((code): [number, string] => [
    code,
    damaged,
  ]),
  [-30798, failed],
  [errno.EINVAL, failed],
])('error %i of a store is told in words, with what to do', (code, words) => {
  const told = `cannot open the store /a: ${words}`;
  const ofLmdb = Object.assign(new Error('x'), { code });
  const ofNode = Object.assign(new Error('x'), { code: 'ECODE', errno: -code });
  for (const error of [ofLmdb, ofNode]) {
    expect(fromLmdbError(error, '/a', 'open')).toEqual(new StoreError(told, { cause: error }));
  }
});

test('other errors of a store are told, and its own left as they are', () => {
  const own = new StoreError('the store is closed');
  expect(fromLmdbError(own, '/a', 'open')).toBe(own);
  expect(
    [new SyntaxError('x'), new Error('x'), { code: errno.EIO }].map(
      (error) => fromLmdbError(error, '/a', 'read').message,
    ),
  ).toEqual([
    `cannot read the store /a: ${damaged}`,
    `cannot read the store /a: ${failed}`,
    expect.stringMatching(/^cannot read the store \/a: it failed /),
  ]);
});
