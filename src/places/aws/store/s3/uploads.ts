import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { askAws, fromAwsError, isAwsError } from '../../aws-errors.ts';
import { dispositionOf, type Uploads } from '../../../uploads.ts';

/** How long a client may take to begin. */
const EXPIRES_SECONDS = 15 * 60;

/**
 * Uploads as objects of a bucket, which clients put there themselves: a request to a function has 6 MB at most. The signed
 * address is for these bytes alone: S3 compares their length and SHA-256, and replaces nothing.
 */
export function createS3Uploads({
  client,
  bucket,
  prefix,
}: {
  client: S3Client;
  bucket: string;
  prefix: string;
}): Uploads {
  const keyOf = (by: string, hash: string) => `${prefix}uploads/${by}/${hash}`;
  return {
    async place({ by, hash, bytes }) {
      const checksum = Buffer.from(hash, 'hex').toString('base64');
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: keyOf(by, hash),
        ContentLength: bytes,
        ChecksumSHA256: checksum,
        IfNoneMatch: '*',
      });
      const signed = new Set(['content-length', 'if-none-match', 'x-amz-checksum-sha256']);
      const url = await getSignedUrl(client, command, {
        expiresIn: EXPIRES_SECONDS,
        signableHeaders: signed,
        // In the address, nothing would compare them.
        unhoistableHeaders: signed,
      });
      return { url, headers: { 'if-none-match': '*', 'x-amz-checksum-sha256': checksum } };
    },
    async read(by, hash) {
      const object = new GetObjectCommand({ Bucket: bucket, Key: keyOf(by, hash) });
      try {
        const { Body } = await client.send(object);
        return await Body?.transformToByteArray();
      } catch (error) {
        // Without the permission to list, a missing key is refused.
        if (isAwsError(error, 'NoSuchKey') || isAwsError(error, 'AccessDenied')) return undefined;
        throw await fromAwsError(error, `read upload "${keyOf(by, hash)}" of bucket "${bucket}"`);
      }
    },
    async publish(root, { hash, type }, bytes) {
      const Key = `${prefix}answers/${root}/${hash}`;
      const put = new PutObjectCommand({
        Bucket: bucket,
        Key,
        Body: bytes,
        ContentType: type,
        ContentDisposition: dispositionOf(type),
      });
      await askAws(`write "${Key}" to bucket "${bucket}"`, () => client.send(put));
      const get = new GetObjectCommand({ Bucket: bucket, Key });
      return getSignedUrl(client, get, { expiresIn: EXPIRES_SECONDS });
    },
  };
}
