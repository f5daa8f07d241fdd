import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError, StoreUnavailableError } from '../../../../../src/errors.ts';
import { createS3Blobs } from '../../../../../src/places/aws/store/s3/blobs.ts';
import { serveOnLoopback } from '../../../../fixtures/loopback.ts';
import { type S3Server, refuse, s3Client, startS3Server } from '../../../../fixtures/s3-server.ts';
import { describeBlobs } from '../../../store/blobs-contract.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server('texts');
});
afterAll(() => server.close());

function open(bucket = 'texts', endpoint = server.endpoint) {
  return createS3Blobs({ client: s3Client(endpoint, { maxAttempts: 1 }), bucket, prefix: 'blobs/' });
}

describeBlobs('blobs in S3', async () => open());

test('keeps texts as UTF-8 under the prefix, typed as what they are', async () => {
  await open().put('run-1/a', 'é');
  await open().put('run-1/b', 'é\ud83d');
  expect(server.objects.get('blobs/run-1/a')).toMatchObject({
    bytes: Buffer.from('é'),
    contentType: 'text/plain; charset=utf-8',
  });
  expect(server.objects.get('blobs/run-1/b')).toMatchObject({
    bytes: Buffer.from('fffee9003dd8', 'hex'),
    contentType: 'text/plain; charset=utf-16',
  });
});

describe('errors of the service', () => {
  test('name a bucket that is not there', async () => {
    await expect(open('gone').put('a', 'text')).rejects.toEqual(
      new StoreError(
        'cannot write blob "blobs/a" to bucket "gone": not found (NoSuchBucket: no): ' +
          'check the name and the Region, or deploy the stack',
      ),
    );
    await expect(open('gone').get('a')).rejects.toThrow(/^cannot read blob "blobs\/a" of bucket "gone"/);
  });

  test('tell throttling and missing rights apart', async () => {
    for (const [Kind, status, code, reason] of [
      [
        StoreUnavailableError,
        503,
        'SlowDown',
        'too many requests (SlowDown: no): try again later or raise its limits',
      ],
      [
        StoreError,
        403,
        'AccessDenied',
        'it has expired, or must not be read (AccessDenied: no): S3 says which only to those who may list the bucket',
      ],
    ] as const) {
      const failing = await serveOnLoopback((request, response) => {
        request.resume();
        refuse(response, status, code);
      });
      await expect(open('texts', failing.endpoint).get('a')).rejects.toEqual(
        new Kind(`cannot read blob "blobs/a" of bucket "texts": ${reason}`),
      );
      await failing.close();
    }
  });

  test('are raised where a text is not what was written', async () => {
    await open().put('changed', 'as written');
    const object = server.objects.get('blobs/changed');
    object?.bytes.write('as changed');
    await expect(open().get('changed')).rejects.toThrow(
      /^cannot read blob "blobs\/changed" of bucket "texts": .*[Cc]hecksum/,
    );
    await expect(open().get('changed')).rejects.toBeInstanceOf(StoreError);
  });

  test('are raised where a text is cut off', async () => {
    const failing = await serveOnLoopback((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-length': 1000 });
      response.write('half of it', () => request.socket.destroy());
    });
    const blobs = open('texts', failing.endpoint);
    await expect(blobs.get('a')).rejects.toThrow(
      /^cannot read blob "blobs\/a" of bucket "texts": no answer \(/,
    );
    await expect(blobs.get('a')).rejects.toBeInstanceOf(StoreUnavailableError);
    await failing.close();
  });
});
