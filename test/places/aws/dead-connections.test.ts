import { SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { CLIENT_LIMITS } from '../../../src/places/aws/client-limits.ts';
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
