import { posix } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import type { Workspace } from '../../core/agent-schema/workspace.ts';
import { BUCKET_PREFIX, ENVIRONMENT, required } from './variables.ts';
import { openS3Workspace } from './s3-workspace.ts';
import { TRANSFER_LIMITS } from './client-limits.ts';
import { defined } from '../../defined.ts';

/** Opens the workspace that a workdir is in an environment: a prefix of its bucket. */
export type OpenCloudWorkspace = (workdir: string) => Workspace;

/** @param region where the SDK finds it, if left out */
export function cloudWorkspaces(bucket: string, region?: string): OpenCloudWorkspace {
  const client = new S3Client({ ...TRANSFER_LIMITS, ...defined({ region }) });
  return (workdir) => openS3Workspace({ client, bucket, prefix: workspacePrefix(workdir) });
}

/** The workspaces of a deployed function, as its environment says. */
export function functionWorkspaces(): OpenCloudWorkspace {
  return cloudWorkspaces(required(ENVIRONMENT.bucket));
}

/** @param workdir nothing leads above the root, so that none leads out of the bucket's workspace: `docs` or `/docs` */
function workspacePrefix(workdir: string): string {
  const path = posix.resolve('/', workdir);
  return `${BUCKET_PREFIX.workspace}${path.slice(1)}${path === '/' ? '' : '/'}`;
}
