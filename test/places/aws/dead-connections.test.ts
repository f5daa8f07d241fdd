import { SFNClient, type SFNClientConfig } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { CLIENT_LIMITS, INVOCATION_LIMITS, TRANSFER_LIMITS } from '../../../src/places/aws/client-limits.ts';
import { findDeployment } from '../../../src/places/aws/cloud-deployment.ts';
import { functionWorkspaces } from '../../../src/places/aws/cloud-workspace.ts';
import { createStepFunctionsExecutions } from '../../../src/places/aws/step-functions.ts';
import { functionStore } from '../../../src/places/aws/store/cloud-store.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { serveOnLoopback, type LoopbackServer } from '../../fixtures/loopback.ts';
import { stubAws } from '../../fixtures/stub-aws.ts';

/** Takes every request and answers none. */
let silence: LoopbackServer;
beforeAll(async () => void (silence = await serveOnLoopback(() => {})));
afterAll(() => silence.close());

beforeEach(() => {
  stubAws({
    AWS_ENDPOINT_URL: silence.endpoint,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    CADRE_TABLE: 'runs',
    CADRE_BUCKET: 'texts',
    CADRE_KEEP_DAYS: '30',
  });
  return () => void vi.unstubAllEnvs();
});

const EXECUTION = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-test:one';

test.each<[string, () => Promise<unknown>]>([
  ['the table', () => functionStore().runs.run(newRunId('top', 0))],
  ['the bucket', () => functionWorkspaces()('').read('a.md')],
  [
    'Step Functions',
    () => createStepFunctionsExecutions(new SFNClient(CLIENT_LIMITS), EXECUTION).isRunning(EXECUTION),
  ],
  ['Systems Manager', () => findDeployment('dev')],
])('%s that never answers is given up', async (_, ask) => {
  await inHeldTime(() => expect(ask()).rejects.toThrow(/no answer|exceeded the configured/), 100);
});

// That every client is given one of these is for the linter to see.
test.each<[string, SFNClientConfig, object]>([
  ['or an answer 5 s', CLIENT_LIMITS, { requestTimeout: 5_000, socketTimeout: 5_000 }],
  ['and a file a minute', TRANSFER_LIMITS, { requestTimeout: 60_000, socketTimeout: 5_000 }],
  [
    'and a function as long as its caller waits',
    INVOCATION_LIMITS,
    { requestTimeout: undefined, socketTimeout: undefined },
  ],
])('a client gives a connection 1 s, %s', async (_, limits, others) => {
  const client = new SFNClient({ ...limits, endpoint: 'http://127.0.0.1:1', maxAttempts: 1 });
  const isRunning = createStepFunctionsExecutions(client, EXECUTION).isRunning(EXECUTION);
  // The handler makes up its mind with its first request.
  await expect(isRunning).rejects.toThrow('ECONNREFUSED');
  const configured: unknown = Object(client.config.requestHandler).httpHandlerConfigs();
  expect(configured).toMatchObject({ connectionTimeout: 1_000, ...others });
});
