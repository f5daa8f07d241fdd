import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { expect, test } from 'vitest';
import { CadreEnvironment } from '../../infra/index.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { inspect, synthesise, testApp } from './synthesise.ts';

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';

const asked = { source: ['cadre'], 'detail-type': ['Question asked'], detail: { environment: ['dev'] } };

/** The rules for questions, and the topics besides that of alarms. */
async function told(notify?: string) {
  const { resources } = await synthesise('dev', { settings: { ask: { notify } } });
  const rules = [...resources('AWS::Events::Rule').values()].filter(
    ({ Properties }) => JSON.stringify(Properties['EventPattern']) === JSON.stringify(asked),
  );
  return {
    targets: rules.flatMap(({ Properties }) => Properties['Targets']),
    topics: [...resources('AWS::SNS::Topic').keys()].filter((id) => !id.startsWith('Alarms')),
    subscriptions: [...resources('AWS::SNS::Subscription').values()].map(({ Properties }) => Properties),
    policies: [...resources('AWS::SNS::TopicPolicy').values()].map(({ Properties }) => Properties),
  };
}

test('questions are sent to no address unless the environment names one', async () => {
  expect(await told()).toMatchObject({ targets: [], topics: [], subscriptions: [] });
});

test('questions are sent to an address, by a topic to which EventBridge may publish', async () => {
  const { targets, topics, subscriptions, policies } = await told('somebody@example.org');
  expect(topics).toEqual([expect.stringMatching(/^QuestionsTopic/)]);
  const [topic] = topics;
  expect(targets).toEqual([
    expect.objectContaining({
      Arn: { Ref: topic },
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': [expect.stringMatching(/^DeadLettersQueue/), 'Arn'] } },
    }),
  ]);
  expect(subscriptions).toEqual([
    { Protocol: 'email', Endpoint: 'somebody@example.org', TopicArn: { Ref: topic } },
  ]);
  expect(policies).toContainEqual(
    expect.objectContaining({
      Topics: [{ Ref: topic }],
      PolicyDocument: expect.objectContaining({
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Action: 'sns:Publish',
            Effect: 'Allow',
            Principal: { Service: 'events.amazonaws.com' },
          }),
        ]),
      }),
    }),
  );
});

test('questions are published to a topic that is there', async () => {
  const arn = 'arn:aws:sns:eu-central-1:123456789012:oncall';
  const { targets, topics } = await told(arn);
  expect([targets, topics]).toEqual([[expect.objectContaining({ Arn: arn })], []]);
});

test('questions are encrypted with the key of the environment, which EventBridge may use for it', async () => {
  const folder = await tempFolder({ 'agents/plain.toml': 'name = "plain"\nmodel = "offline/extractive"\n' });
  const ask = { notify: 'somebody@example.org' };
  const props = { environment: 'dev', agentsFolder: join(folder, 'agents'), ask };
  const own = new Stack(testApp(folder), 'own');
  new CadreEnvironment(own, 'Cadre', { ...props, alarms: 'none', encryptionKey: new Key(own, 'Key') });
  const { resources } = inspect(own);
  const [key] = resources('AWS::KMS::Key').keys();
  expect([...resources('AWS::SNS::Topic').values()].map(({ Properties }) => Properties)).toContainEqual(
    expect.objectContaining({
      DisplayName: 'Cadre dev asks',
      KmsMasterKeyId: { 'Fn::GetAtt': [key, 'Arn'] },
    }),
  );
  expect(JSON.stringify(resources('AWS::KMS::Key').get(key ?? ''))).toContain('events.amazonaws.com');
  expect(Annotations.fromStack(own).findWarning('*', Match.anyValue())).toEqual([]);

  const given = new Stack(testApp(folder), 'given');
  const encryptionKey = Key.fromKeyArn(given, 'Key', KEY);
  new CadreEnvironment(given, 'Cadre', { ...props, alarms: 'none', encryptionKey });
  expect(Annotations.fromStack(given).findWarning('*', Match.anyValue())).toMatchObject([
    {
      entry: { data: expect.stringMatching(/its policy has to let events\.amazonaws\.com use kms:Decrypt/) },
    },
  ]);
});

test('people are told in words by a function, and answer at a route that is open to everyone and throttled', async () => {
  const notify = { webhook: '${HOOK}', slack: '${SLACK}', mail: 'somebody@example.org' };
  const { resources } = await synthesise('dev', { settings: { notify } });
  const handler = [...resources('AWS::Lambda::Function')].find(([id]) => id.startsWith('FunctionsNotify'));
  expect(handler?.[1].Properties['Environment']).toMatchObject({
    Variables: {
      CADRE_NOTIFY: {
        'Fn::Join': [
          '',
          [
            `{"settings":${JSON.stringify(notify)},"base":"`,
            expect.anything(),
            '","topic":"',
            expect.anything(),
            '"}',
          ],
        ],
      },
    },
  });
  const targets = [...resources('AWS::Events::Rule').values()].flatMap(
    ({ Properties }) => Properties['Targets'],
  );
  const own = targets.filter((target) => JSON.stringify(target).includes(handler?.[0] ?? ''));
  expect(own).toMatchObject([
    { DeadLetterConfig: expect.anything(), RetryPolicy: { MaximumRetryAttempts: 20 } },
    { Input: '{"remind":true}', RetryPolicy: { MaximumRetryAttempts: 0 } },
  ]);
  const routes = [...resources('AWS::ApiGatewayV2::Route').values()].map(({ Properties }) => Properties);
  const open = routes.filter(({ AuthorizationType }) => AuthorizationType === 'NONE');
  expect(open.map(({ RouteKey }) => RouteKey)).toEqual(['GET /answer/{token}', 'POST /answer/{token}']);
  const [stage] = [...resources('AWS::ApiGatewayV2::Stage').values()].map(({ Properties }) => Properties);
  expect(stage?.['RouteSettings']).toMatchObject({
    'GET /answer/{token}': { ThrottlingRateLimit: 5 },
    'POST /answer/{token}': { ThrottlingRateLimit: 5 },
    'GET /runs/{id}/events': { ThrottlingRateLimit: 200 },
  });
  expect(JSON.stringify(stage?.['AccessLogSettings'])).not.toContain('$context.path');
});

test('nobody is told, and no route is open, unless the environment says so', async () => {
  // Nor is there an address to come back to from a sign-in to a server, without a page to begin it on.
  const server = '[[mcp_servers]]\nname = "wiki"\nurl = "https://wiki.example.com/mcp"\nauth = "oauth"\n';
  const { resources } = await synthesise('dev', {
    agents: { plain: `name = "plain"\nmodel = "offline/extractive"\n${server}` },
    settings: { notify: { url: 'https://cadre.example.org' } },
  });
  expect(
    [...resources('AWS::Lambda::Function').keys()].filter((id) => id.startsWith('FunctionsNotify')),
  ).toEqual([]);
  const routes = [...resources('AWS::ApiGatewayV2::Route').values()].map(({ Properties }) => Properties);
  expect(routes.filter(({ AuthorizationType }) => AuthorizationType !== 'AWS_IAM')).toEqual([]);
});

test.each([
  [
    { slack: 'https://hooks.slack.com/services/x' },
    "notify.slack: expected Slack's address, as a name in the secret NotifySecret",
  ],
  [{ secret: 'plain' }, 'notify.secret: expected a text, as a name in the secret NotifySecret'],
  [{ webhook: 'ftp://example.com' }, 'notify.webhook: expected an http or https URL'],
  [{ mail: 'nobody' }, 'notify.mail: expected an e-mail address'],
])('%j is refused', async (notify, fault) => {
  await expect(synthesise('dev', { settings: { notify } })).rejects.toThrow(fault);
});
