import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Published } from '../../../store/blobs.ts';
import { createS3Blobs } from './blobs.ts';

const EXPIRES_SECONDS = 15 * 60;

/**
 * Keeps texts in a bucket where holders of the address can fetch them, for a quarter of an hour or as long as the
 * signing role's own credentials last.
 */
export function createS3Publisher(options: {
  client: S3Client;
  bucket: string;
  prefix: string;
}): (key: string, text: string) => Promise<Published> {
  const { client, bucket, prefix } = options;
  const blobs = createS3Blobs(options);
  return async (key, text) => {
    await blobs.put(key, text);
    const object = new GetObjectCommand({ Bucket: bucket, Key: prefix + key });
    const expiresAt = Date.now() + EXPIRES_SECONDS * 1000;
    return { url: await getSignedUrl(client, object, { expiresIn: EXPIRES_SECONDS }), expiresAt };
  };
}
