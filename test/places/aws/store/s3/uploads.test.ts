import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { toAttachment } from '../../../../../src/core/attachments/to-attachment.ts';
import { createS3Uploads } from '../../../../../src/places/aws/store/s3/uploads.ts';
import { s3Client, startS3Server } from '../../../../fixtures/s3-server.ts';

const bytes = Buffer.from('%PDF-1.7');
const hash = createHash('sha256').update(bytes).digest('hex');
const checksum = createHash('sha256').update(bytes).digest('base64');

test('an upload has an address that is signed for its bytes alone, and only its owner reads it', async () => {
  const server = await startS3Server('bucket');
  onTestFinished(() => server.close());
  const uploads = createS3Uploads({ client: s3Client(server.endpoint), bucket: 'bucket', prefix: 'runs/' });
  const { url, headers } = await uploads.place({ by: 'ada', hash, bytes: bytes.length });
  const { pathname, searchParams } = new URL(url);
  expect({ pathname, headers, signed: searchParams.get('X-Amz-SignedHeaders') }).toEqual({
    pathname: `/bucket/runs/uploads/ada/${hash}`,
    headers: { 'if-none-match': '*', 'x-amz-checksum-sha256': checksum },
    signed: 'content-length;host;if-none-match;x-amz-checksum-sha256',
  });
  server.objects.set(`runs/uploads/ada/${hash}`, { bytes, contentType: '', checksum: '' });
  expect(Buffer.from((await uploads.read('ada', hash)) ?? []).toString()).toBe('%PDF-1.7');
  expect(await uploads.read('bob', hash)).toBeUndefined();
});

test('what a run was shown has an address at which it is read as what it is', async () => {
  const server = await startS3Server('bucket');
  onTestFinished(() => server.close());
  const uploads = createS3Uploads({ client: s3Client(server.endpoint), bucket: 'bucket', prefix: 'runs/' });
  const { attachment } = toAttachment(bytes);
  const url = new URL((await uploads.publish?.('top', attachment, bytes)) ?? '');
  expect([url.pathname, url.searchParams.get('X-Amz-Expires')]).toEqual([
    `/bucket/runs/answers/top/${hash}`,
    '900',
  ]);
  const { bytes: kept, contentType } = server.objects.get(`runs/answers/top/${hash}`) ?? {};
  expect([kept, contentType]).toEqual([bytes, 'application/pdf']);
});
