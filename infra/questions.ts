import { Annotations, ArnFormat, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { QUESTION_EVENT } from '../src/places/aws/deployment.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { EnvironmentSettings } from './environment-settings.ts';

export interface QuestionsProps {
  settings: EnvironmentSettings;
  /** The function that asks. */
  control: LambdaFunction;
  deadLetters: DeadLetters;
}

/**
 * Announces questions to people: an event on the account's default bus, and a topic where the environment names one.
 */
export class Questions extends Construct {
  constructor(scope: Construct, id: string, { settings, control, deadLetters }: QuestionsProps) {
    super(scope, id);
    const { Source, DetailType } = QUESTION_EVENT;
    const bus = { service: 'events', resource: 'event-bus', arnFormat: ArnFormat.SLASH_RESOURCE_NAME };
    control.addToRolePolicy(
      new PolicyStatement({
        actions: ['events:PutEvents'],
        resources: [Stack.of(this).formatArn({ ...bus, resourceName: 'default' })],
        conditions: { StringEquals: { 'events:source': Source, 'events:detail-type': DetailType } },
      }),
    );
    const notify = settings.ask?.notify ?? '';
    if (notify === '') return;
    new Rule(this, 'Asked', {
      description: `Questions to people, environment ${settings.name}`,
      eventPattern: {
        source: [Source],
        detailType: [DetailType],
        detail: { environment: [settings.name] },
      },
      targets: [new SnsTopic(this.#topicFor(notify, settings), { deadLetterQueue: deadLetters.queue })],
    });
  }

  /** @param notify a topic's ARN, or the e-mail address that a topic of our own sends to */
  #topicFor(notify: string, { name, encryptionKey }: EnvironmentSettings): ITopic {
    // Its own policy has to let EventBridge publish: a stack cannot add to the policy of a foreign topic.
    if (notify.startsWith('arn:')) return Topic.fromTopicArn(this, 'Topic', notify);
    const topic = new Topic(this, 'Topic', {
      displayName: `Cadre ${name} asks`,
      enforceSSL: true,
      ...(encryptionKey !== undefined && { masterKey: encryptionKey }),
    });
    if (encryptionKey !== undefined) letRulesUse(encryptionKey, this);
    topic.addSubscription(new EmailSubscription(notify));
    return topic;
  }
}

/** EventBridge publishes with the key itself. The policy of a key of another stack cannot be changed from here. */
function letRulesUse(key: IKey, scope: Construct): void {
  const { statementAdded } = key.addToResourcePolicy(
    new PolicyStatement({
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      principals: [new ServicePrincipal('events.amazonaws.com')],
      resources: ['*'],
    }),
    true,
  );
  if (statementAdded) return;
  Annotations.of(scope).addWarningV2(
    'cadre:questions-key',
    'questions are sent by a topic that is encrypted with a key of yours: its policy has to let events.amazonaws.com use kms:Decrypt and kms:GenerateDataKey, or they end in the dead letters',
  );
}
