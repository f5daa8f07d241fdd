import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import type { Workspace } from '../agent/workspace.ts';
import { fromAwsError, isAwsError } from '../aws-errors.ts';

/**
 * The objects under a prefix of a bucket as a workspace.
 * @param options.prefix ends in `/`, unless it is empty
 */
export function openS3Workspace(options: { client: S3Client; bucket: string; prefix: string }): Workspace {
  const { client, bucket, prefix } = options;
  return {
    async *list() {
      try {
        const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix });
        for await (const { Contents = [] } of pages) {
          for (const { Key = '' } of Contents) {
            // The console leaves empty objects whose keys end in a slash where somebody made a folder.
            if (!Key.endsWith('/')) yield Key.slice(prefix.length);
          }
        }
      } catch (error) {
        throw fromAwsError(error, `list "${prefix}" of bucket "${bucket}"`);
      }
    },

    async read(path, limit) {
      const Key = prefix + path;
      try {
        const { Body } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key, Range: `bytes=0-${limit - 1}` }),
        );
        return await Body?.transformToByteArray();
      } catch (error) {
        // No range of an empty object can be had (S3, "GetObject").
        if (isAwsError(error, 'InvalidRange')) return new Uint8Array();
        if (isAwsError(error, 'NoSuchKey') || isAwsError(error, 'AccessDenied')) return undefined;
        throw fromAwsError(error, `read "${Key}" of bucket "${bucket}"`);
      }
    },
  };
}
