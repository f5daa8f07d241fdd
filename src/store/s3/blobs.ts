import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { StoreError } from '../../errors.ts';
import { fromAwsError, isAwsError } from '../../aws-errors.ts';
import { checkBlobKey, checkBlobText } from '../blob-key.ts';
import { fromBytes, toBytes } from '../blob-text.ts';
import type { Blobs } from '../blobs.ts';

/**
 * Blobs as objects of a bucket, under `prefix` and the key as they stand (`runs/` and `a/b` make `runs/a/b`).
 * Encryption is the bucket's matter; the SDK sends a checksum with each object and checks it when it reads.
 */
export function createS3Blobs(options: { client: S3Client; bucket: string; prefix: string }): Blobs {
  const { client, bucket, prefix } = options;
  return {
    async put(key, text) {
      checkBlobKey(key);
      const { bytes, charset } = toBytes(text);
      try {
        await client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: prefix + key,
            Body: bytes,
            ContentType: `text/plain; charset=${charset}`,
          }),
        );
      } catch (error) {
        throw fromAwsError(error, `write blob "${prefix}${key}" to bucket "${bucket}"`);
      }
    },

    async get(key) {
      checkBlobKey(key);
      let text: string;
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + key }));
        text = fromBytes(Buffer.from((await Body?.transformToByteArray()) ?? []));
      } catch (error) {
        if (isAwsError(error, 'NoSuchKey')) {
          throw new StoreError(`no blob "${prefix}${key}" in bucket "${bucket}"`, { cause: error });
        }
        throw fromAwsError(error, `read blob "${prefix}${key}" of bucket "${bucket}"`);
      }
      checkBlobText(key, text, `blob "${prefix}${key}" in bucket "${bucket}"`);
      return text;
    },

    async delete(key) {
      checkBlobKey(key);
      try {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: prefix + key }));
      } catch (error) {
        throw fromAwsError(error, `remove blob "${prefix}${key}" from bucket "${bucket}"`);
      }
    },
  };
}
