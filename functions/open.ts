import { S3Client } from '@aws-sdk/client-s3';
import { openRun, type OpenPorts } from '../src/conversation/open.ts';
import { BUCKET_PREFIX, ENVIRONMENT, required } from '../src/environment.ts';
import { functionRunLog } from '../src/observability/run-log.ts';
import { functionStore } from '../src/store/cloud-store.ts';
import { openPackedAgents } from '../src/workspace/packed-agents.ts';
import { openS3Workspace } from '../src/workspace/s3-workspace.ts';

const { runs, memories } = functionStore();
const client = new S3Client({});
const bucket = required(ENVIRONMENT.bucket);

const ports: OpenPorts = {
  store: runs,
  memories,
  source: openPackedAgents(import.meta.dirname),
  // Nothing leads above the root, so no workdir leads out of the bucket's workspace.
  cwd: '/',
  openWorkspace: (workdir) => openS3Workspace({ client, bucket, prefix: workspacePrefix(workdir) }),
  emit: functionRunLog(),
  now: Date.now,
};

/** Opens the conversation of an execution. */
export function handler(event: unknown) {
  return openRun(event, ports);
}

/** @param workdir absolute: `/` or `/docs` */
function workspacePrefix(workdir: string): string {
  return `${BUCKET_PREFIX.workspace}${workdir.slice(1)}${workdir === '/' ? '' : '/'}`;
}
