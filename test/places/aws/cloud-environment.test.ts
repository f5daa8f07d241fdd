import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openCloudEnvironment } from '../../../src/places/aws/cloud-environment.ts';

/** Of the class, since the client is made where it is used. */
const settings = mockClient(SSMClient);
beforeEach(() => void settings.reset());
afterAll(() => settings.restore());

const DEPLOYMENT = {
  region: 'eu-west-1',
  stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:cadre-dev',
  tableName: 'table',
  bucketName: 'bucket',
  apiUrl: 'https://api.example',
  keepDays: 30,
};
const NOT_DEPLOYED =
  'environment "dev" is not deployed in this account and Region (no parameter /cadre/dev); deploy it with: npx cdk deploy -c env=dev';

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

test('an environment is found by its parameter, in the Region that it is deployed in', async () => {
  settings.on(GetParameterCommand, { Name: '/cadre/dev' }).resolves({
    Parameter: { Value: JSON.stringify(DEPLOYMENT) },
  });
  const { link, close } = await openCloudEnvironment('dev');
  const links = ['aws', 'aws-cn', 'aws-us-gov'].map((partition) => {
    const execution = `arn:${partition}:states:eu-west-1:111122223333:execution:m:x`;
    return link(execution)?.replace(`#/v2/executions/details/${execution}`, '');
  });
  expect(links).toEqual([
    'https://eu-west-1.console.aws.amazon.com/states/home?region=eu-west-1',
    'https://eu-west-1.console.amazonaws.cn/states/home?region=eu-west-1',
    'https://eu-west-1.console.amazonaws-us-gov.com/states/home?region=eu-west-1',
  ]);
  await close();
});

test.each([
  ['there is no parameter', named('ParameterNotFound', 'none'), NOT_DEPLOYED],
  [
    'there are no credentials',
    named('CredentialsProviderError', 'Could not load credentials from any providers'),
    'cannot look up environment "dev": Could not load credentials from any providers; check the credentials and the Region (AWS_PROFILE, AWS_REGION)',
  ],
  [
    'the service is asked too often',
    named('ThrottlingException', 'Rate exceeded'),
    'cannot look up environment "dev": Rate exceeded; check the credentials and the Region (AWS_PROFILE, AWS_REGION)',
  ],
])('an environment is not found where %s', async (_, error, message) => {
  settings.on(GetParameterCommand).rejects(error);
  await expect(openCloudEnvironment('dev')).rejects.toMatchObject({ name: 'ConfigError', message });
});

test.each([undefined, '', 'no JSON', '{}', JSON.stringify({ ...DEPLOYMENT, keepDays: '30' })])(
  'a parameter that is not ours is no environment: %s',
  async (value) => {
    settings.on(GetParameterCommand).resolves(value === undefined ? {} : { Parameter: { Value: value } });
    await expect(openCloudEnvironment('dev')).rejects.toMatchObject({
      name: 'ConfigError',
      message: NOT_DEPLOYED,
    });
  },
);

test.each(['Dev', '', '-dev', 'a/b', 'x'.repeat(33)])('%j is no name of an environment', async (name) => {
  await expect(openCloudEnvironment(name)).rejects.toMatchObject({
    name: 'ConfigError',
    message: `invalid environment name ${JSON.stringify(name)}: use at most 32 lower-case letters, digits and "-", a letter first`,
  });
  expect(settings.calls()).toEqual([]);
});
