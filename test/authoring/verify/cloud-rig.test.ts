import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DisableRuleCommand, EnableRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openCloudRig } from '../../../src/authoring/verify/cloud-rig.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';

/** Of the class, since the client is made where it is used. */
const settings = mockClient(SSMClient);
const events = mockClient(EventBridgeClient);
beforeEach(() => {
  settings.reset();
  events.reset();
});
afterAll(() => {
  settings.restore();
  events.restore();
});

const DEPLOYMENT = {
  region: 'eu-west-1',
  stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:cadre-prod',
  tableName: 'table',
  bucketName: 'bucket',
  apiUrl: 'https://api.example',
  keepDays: 30,
};
const VERIFICATION = {
  startingMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:cadre-prod-schedule',
  schedulerRoleArn: 'arn:aws:iam::123456789012:role/scheduler',
};

function deployed(deployment: object): void {
  settings.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(deployment) } });
}

test('an environment without agents to verify it with is told of, with what gives it some', async () => {
  deployed(DEPLOYMENT);
  await expect(openCloudRig('prod')).rejects.toMatchObject({
    name: 'ConfigError',
    message:
      'environment "prod" has no agents to verify it with: set "verify": true for it in cdk.json, and deploy it with: npx cdk deploy -c env=prod',
  });
});

test.each([
  [true, undefined],
  [false, 'the API of this environment takes tokens, and no signatures'],
])('an environment whose API takes signatures: %s', async (takesSignatures, whyNoRequests) => {
  deployed({ ...DEPLOYMENT, takesSignatures, verification: VERIFICATION });
  const rig = await openCloudRig('prod');
  expect(rig.whyNoRequests).toBe(whyNoRequests);
  await rig.close();
});

test('the rule that tells of ends is enabled again, even if what was done meanwhile has failed', async () => {
  deployed({ ...DEPLOYMENT, takesSignatures: true, verification: VERIFICATION });
  const done: string[] = [];
  events.on(DisableRuleCommand).callsFake(({ Name }) => void done.push(`disabled ${Name}`));
  events.on(EnableRuleCommand).callsFake(({ Name }) => void done.push(`enabled ${Name}`));
  const rig = await openCloudRig('prod');
  const work = async () => {
    done.push('worked');
    throw new Error('no');
  };
  await inHeldTime(() => expect(rig.unnoticed(work)).rejects.toThrow('no'), 1_000);
  expect(done).toEqual(['disabled cadre-prod-ended', 'worked', 'enabled cadre-prod-ended']);
  await rig.close();
});
