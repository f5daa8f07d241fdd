import { S3Client } from '@aws-sdk/client-s3';
import { TRANSFER_LIMITS } from '../../client-limits.ts';
import { BUCKET_PREFIX } from '../../variables.ts';
import type { Blobs } from '../../../store/blobs.ts';
import { createS3Blobs } from './blobs.ts';

/** Texts in a deployment's bucket. @param prefix of their keys */
export function openS3Blobs(
  bucket: string,
  region: { region?: string },
  prefix: string = BUCKET_PREFIX.runs,
): Blobs {
  const client = new S3Client({ ...region, ...TRANSFER_LIMITS });
  return createS3Blobs({ client, bucket, prefix });
}
