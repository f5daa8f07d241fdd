import { posix } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import type { FileOwner, Workspace } from '../../core/agent-schema/workspace.ts';
import { BUCKET_PREFIX, ENVIRONMENT, required } from './variables.ts';
import { openS3Workspace } from './s3-workspace.ts';
import { TRANSFER_LIMITS } from './client-limits.ts';
import { withOwnResults } from './own-results.ts';
import { defined } from '../../defined.ts';

/**
 * Opens the workspace for a workdir in an environment: a prefix of its bucket.
 * @param owner whose files they are; absent: the account's
 */
export type OpenCloudWorkspace = (workdir: string, owner?: FileOwner) => Workspace;

/** @param region where the SDK finds it, if left out */
export function cloudWorkspaces(bucket: string, region?: string): OpenCloudWorkspace {
  const client = new S3Client({ ...TRANSFER_LIMITS, ...defined({ region }) });
  const open = (prefix: string) => openS3Workspace({ client, bucket, prefix });
  return (workdir, files = {}) => {
    const { owner, sharesWorkspace } = files;
    const workspace = open(workspacePrefix(workdir, files));
    if (owner === undefined || sharesWorkspace !== true) return workspace;
    return withOwnResults(workspace, open(workspacePrefix(workdir, { owner })));
  };
}

/** Where the files of an agent are, except results that are kept as files; ends in `/`. */
export function workspacePrefix(workdir: string, { owner, sharesWorkspace }: FileOwner): string {
  return `${prefixOf(sharesWorkspace === true ? undefined : owner)}${pathBelow(workdir)}`;
}

/** The workspaces of a deployed function, as its environment says. */
export function functionWorkspaces(): OpenCloudWorkspace {
  return cloudWorkspaces(required(ENVIRONMENT.bucket));
}

/** Where the files of an owner are, outside of all workspaces of others. */
function prefixOf(owner: string | undefined): string {
  return owner === undefined ? BUCKET_PREFIX.workspace : `${BUCKET_PREFIX.ownWorkspaces}${owner}/`;
}

/** @param workdir nothing leads above the root, so no workdir leads out of the workspace: `docs` or `/docs` */
function pathBelow(workdir: string): string {
  const path = posix.resolve('/', workdir);
  return `${path.slice(1)}${path === '/' ? '' : '/'}`;
}
