import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { atMost } from '../../../../at-most.ts';
import { StoreError, messageOf } from '../../../../errors.ts';
import { AT_A_TIME } from '../../client-limits.ts';
import { askAws, fromAwsError, isAwsError } from '../../aws-errors.ts';
import { checkBlobKey, checkBlobText } from '../../../store/blob-key.ts';
import { fromBytes, toBytes } from '../../../store/blob-text.ts';
import type { Blobs } from '../../../store/blobs.ts';

/**
 * Blobs as objects of a bucket, under `prefix` and the key as they stand (`runs/` and `a/b` make `runs/a/b`).
 * Encryption is the bucket's matter; the SDK sends a checksum with each object and checks it when it reads.
 */
export function createS3Blobs(options: { client: S3Client; bucket: string; prefix: string }): Blobs {
  const { client, bucket, prefix } = options;
  const inTurn = atMost(AT_A_TIME);
  return {
    async put(key, text) {
      checkBlobKey(key);
      const { bytes, charset } = toBytes(text);
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: prefix + key,
        Body: bytes,
        ContentType: `text/plain; charset=${charset}`,
      });
      await askAws(`write blob "${prefix}${key}" to bucket "${bucket}"`, () =>
        inTurn(() => client.send(command)),
      );
    },

    async get(key) {
      checkBlobKey(key);
      let text: string;
      try {
        const bytes = await inTurn(async () => {
          const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + key }));
          return Body?.transformToByteArray();
        });
        text = fromBytes(Buffer.from(bytes ?? []));
      } catch (error) {
        if (isAwsError(error, 'NoSuchKey')) {
          throw new StoreError(`no blob "${prefix}${key}" in bucket "${bucket}"`, { cause: error });
        }
        // No function may list.
        if (isAwsError(error, 'AccessDenied')) {
          throw new StoreError(
            `cannot read blob "${prefix}${key}" of bucket "${bucket}": it has expired, or must not be read (AccessDenied: ${messageOf(error)}): S3 says which only to those who may list the bucket`,
            { cause: error },
          );
        }
        throw await fromAwsError(error, `read blob "${prefix}${key}" of bucket "${bucket}"`);
      }
      checkBlobText(key, text, `blob "${prefix}${key}" in bucket "${bucket}"`);
      return text;
    },

    async delete(key) {
      checkBlobKey(key);
      const command = new DeleteObjectCommand({ Bucket: bucket, Key: prefix + key });
      await askAws(`remove blob "${prefix}${key}" from bucket "${bucket}"`, () => client.send(command));
    },
  };
}
