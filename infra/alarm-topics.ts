import { Annotations, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { EnvironmentSettings } from './environment-settings.ts';

/** Where alarms tell people. */
export interface AlarmTopics {
  /** Gets all alarms, to be read by day. */
  mail: ITopic;
  /** Gets those of which somebody should be woken. */
  pages: ITopic;
}

/** The topics that the app gives, or topics of the environment's own; warns where nobody is told. */
export function openAlarmTopics(scope: Construct, settings: EnvironmentSettings): AlarmTopics {
  const { name, alarmEmail, alarms, alarmTopic, pageTopic } = settings;
  const mail = alarmTopic ?? ownTopic(scope, 'Topic', `Cadre ${name}`);
  const pages = pageTopic ?? ownTopic(scope, 'Pages', `Cadre ${name}: agents are down`);
  for (const topic of new Set([mail, pages])) letAlarmsPublish(topic, Stack.of(scope).account);
  if (alarmEmail !== '') mail.addSubscription(new EmailSubscription(alarmEmail));
  if (alarmEmail === '' && alarmTopic === undefined && alarms !== 'none') {
    Annotations.of(scope).addWarningV2(
      'cadre:alarms',
      `environment "${name}" tells nobody of its alarms: set alarmEmail or alarmTopic, or alarms: "none" if that is meant`,
    );
  }
  return { mail, pages };
}

function ownTopic(scope: Construct, id: string, displayName: string): Topic {
  return new Topic(scope, id, { displayName, enforceSSL: true });
}

/**
 * A policy of the topic's own, such as the one about TLS, takes the place of the default, by which alarms may publish.
 * That of a topic of another stack cannot be changed from here.
 */
function letAlarmsPublish(topic: ITopic, account: string): void {
  topic.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sns:Publish'],
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
}
