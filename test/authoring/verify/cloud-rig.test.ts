import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openCloudRig } from '../../../src/authoring/verify/cloud-rig.ts';

/** Of the class, since the client is made where it is used. */
const settings = mockClient(SSMClient);
beforeEach(() => void settings.reset());
afterAll(() => settings.restore());

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
