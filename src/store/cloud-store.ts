import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { RunStore } from '../conversation/ports.ts';
import { createDocuments } from './documents.ts';
import { createDynamoTable } from './dynamodb-table.ts';
import { createRunStore } from './runs.ts';
import { createS3Blobs } from './s3-blobs.ts';

/** The store of a deployed environment. Clients find region, credentials and endpoints where the SDK looks for them. */
export function openCloudStore({ tableName, bucket }: { tableName: string; bucket: string }): RunStore {
  const table = createDynamoTable({ client: new DynamoDBClient({}), tableName });
  const blobs = createS3Blobs({ client: new S3Client({}), bucket, prefix: 'runs' });
  return createRunStore(table, createDocuments(table, blobs));
}
