import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { loadOnce } from '../../../load-once.ts';
import type { RunStore } from '../../../core/records/ports.ts';
import { ENVIRONMENT, required } from '../variables.ts';
import type { Memories } from '../../../core/memory/memories.ts';
import { createDocuments } from '../../store/documents.ts';
import { createDynamoTable } from './dynamodb/table.ts';
import { expiringTable } from '../../store/expiring-table.ts';
import { createRunStore } from '../../store/runs.ts';
import type { KeptVectors } from '../../store/memory-vectors.ts';
import type { Table } from '../../store/table.ts';
import type { Blobs } from '../../store/blobs.ts';
import { CLIENT_LIMITS } from '../client-limits.ts';

export interface CloudStoreOptions {
  tableName: string;
  bucket: string;
  /** Days after which the records of a run may be removed, unless they are written again. */
  keepDays: number;
  /** Where the SDK finds it, if left out. */
  region?: string;
}

const DAY_SECONDS = 86_400;

/** The stores of a deployed environment. */
export interface CloudStore {
  runs: RunStore;
  /** Where they lie. */
  table: Table;
  /** These do not expire. */
  memories: Memories;
  /** Of their entries. */
  vectors: KeptVectors;
  /** The table as these are written to it. */
  lasting: Table;
}

/** The store of a deployed environment. Clients find credentials and endpoints where the SDK looks for them. */
export function openCloudStore({ tableName, bucket, keepDays, ...region }: CloudStoreOptions): CloudStore {
  const forEver = createDynamoTable({
    client: new DynamoDBClient({ ...region, ...CLIENT_LIMITS }),
    tableName,
  });
  const table = expiringTable(forEver, keepDays * DAY_SECONDS, Date.now);
  return {
    runs: createRunStore(table, createDocuments(table, blobsIn(bucket, region))),
    memories: memoriesIn(forEver),
    vectors: vectorsIn(forEver, bucket, region),
    lasting: forEver,
    table,
  };
}

/** The texts in a bucket. Few values are that large, so S3's client, a quarter of a cold start, is loaded on use. */
function blobsIn(bucket: string, region: { region?: string }): Blobs {
  const open = loadOnce(async () => (await import('./s3/open-blobs.ts')).openS3Blobs(bucket, region));
  return {
    put: async (...asked) => (await open()).put(...asked),
    get: async (...asked) => (await open()).get(...asked),
    delete: async (...asked) => (await open()).delete(...asked),
  };
}

/** The vectors of memories. Fewer still have them. */
function vectorsIn(table: Table, bucket: string, region: { region?: string }): KeptVectors {
  const open = async () => {
    const [{ createMemoryVectors }, { openS3Blobs }] = await Promise.all([
      import('../../store/memory-vectors.ts'),
      import('./s3/open-blobs.ts'),
    ]);
    return createMemoryVectors(table, openS3Blobs(bucket, region, ''));
  };
  return {
    read: async (...asked) => (await open()).read(...asked),
    write: async (...asked) => (await open()).write(...asked),
    forget: async (...asked) => (await open()).forget(...asked),
  };
}

/** The memories in a table. Few agents have one, so the code is loaded with the first use. */
function memoriesIn(table: Table, owner?: string): Memories {
  const open = async () => (await import('../../store/memories.ts')).createMemories(table, owner);
  return {
    of: (other) => memoriesIn(table, other),
    entries: async (...asked) => (await open()).entries(...asked),
    kept: async (...asked) => (await open()).kept(...asked),
    append: async (...asked) => (await open()).append(...asked),
    forget: async (...asked) => (await open()).forget(...asked),
    add: async (...asked) => (await open()).add(...asked),
    trim: async (...asked) => (await open()).trim(...asked),
  };
}

/** The store of a deployed function, as its environment says. */
export function functionStore(): CloudStore {
  return openCloudStore({
    tableName: required(ENVIRONMENT.table),
    bucket: required(ENVIRONMENT.bucket),
    keepDays: Number(required(ENVIRONMENT.keepDays)),
  });
}
