import { expect, test } from 'vitest';
import { synthesise } from './synthesise.ts';

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
  expect(targets).toEqual([expect.objectContaining({ Arn: { Ref: topic } })]);
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
