import { posix } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import type { Workspace } from '../agent/workspace.ts';
import { BUCKET_PREFIX, ENVIRONMENT, required } from '../environment.ts';
import { openS3Workspace } from './s3-workspace.ts';

/** The workspaces of a deployed function, as its environment says: prefixes of the environment's bucket. */
export function functionWorkspaces(env: NodeJS.ProcessEnv = process.env): (workdir: string) => Workspace {
  const client = new S3Client({});
  const bucket = required(ENVIRONMENT.bucket, env);
  return (workdir) => openS3Workspace({ client, bucket, prefix: workspacePrefix(workdir) });
}

/** @param workdir nothing leads above the root, so that none leads out of the bucket's workspace: `docs` or `/docs` */
function workspacePrefix(workdir: string): string {
  const path = posix.resolve('/', workdir);
  return `${BUCKET_PREFIX.workspace}${path.slice(1)}${path === '/' ? '' : '/'}`;
}
