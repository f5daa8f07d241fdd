import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { RunStore } from '../conversation/ports.ts';
import { createDocuments } from './documents.ts';
import { createDynamoTable } from './dynamodb-table.ts';
import { createRunStore } from './runs.ts';
import { createS3Blobs } from './s3-blobs.ts';

export interface CloudStoreOptions {
  tableName: string;
  bucket: string;
  /** Where the SDK finds it, if left out. */
  region?: string;
}

/** The store of a deployed environment. Clients find credentials and endpoints where the SDK looks for them. */
export function openCloudStore({ tableName, bucket, ...region }: CloudStoreOptions): RunStore {
  const table = createDynamoTable({ client: new DynamoDBClient(region), tableName });
  const blobs = createS3Blobs({ client: new S3Client(region), bucket, prefix: 'runs' });
  return createRunStore(table, createDocuments(table, blobs));
}
