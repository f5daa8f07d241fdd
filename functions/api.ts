import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createApi } from '../src/api/api.ts';
import { fromHttpResponse, toHttpRequest } from '../src/api/http-event.ts';
import { BUCKET_PREFIX, ENVIRONMENT, required } from '../src/environment.ts';
import { createStepFunctionsExecutions } from '../src/executions/step-functions.ts';
import { writeFault } from '../src/api/fault-log.ts';
import { functionStore } from '../src/store/cloud-store.ts';
import { createS3Publisher } from '../src/store/s3/publisher.ts';
import { openPackedAgents } from '../src/workspace/packed-agents.ts';

const api = createApi({
  runs: functionStore().runs,
  // Step Functions does, and tells `settle` of every end.
  isCarriedOut: async () => true,
  source: openPackedAgents(import.meta.dirname),
  executions: createStepFunctionsExecutions(new SFNClient({}), required(ENVIRONMENT.stateMachine)),
  publish: createS3Publisher({
    client: new S3Client({}),
    bucket: required(ENVIRONMENT.bucket),
    prefix: BUCKET_PREFIX.runs,
    now: Date.now,
  }),
  now: Date.now,
  log: writeFault,
});

/** Serves the HTTP API. */
export async function handler(event: APIGatewayProxyEventV2) {
  return fromHttpResponse(await api.fetch(toHttpRequest(event)));
}
