import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as Handler } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { secretsNamed } from '../src/core/records/secrets.ts';
import { QUESTION_EVENT } from '../src/places/aws/deployment.ts';
import { NOTIFY, NOTIFY_SECRETS } from '../src/places/aws/variables.ts';
import type { NotifySettings } from '../src/places/notify/settings.ts';
import type { Api } from './api.ts';
import { grantDataKey } from './data-key.ts';
import { MAX_AGE, type DeadLetters } from './dead-letters.ts';
import { EnvironmentSecret } from './environment-secret.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { HouseFunction } from './house-function.ts';
import type { Store } from './store.ts';

export interface NotifyProps {
  settings: EnvironmentSettings;
  handler: HouseFunction;
  store: Store;
  api: Api;
  deadLetters: DeadLetters;
}

/** How often it is looked for questions whose time is nearly over. */
const REMINDED_EVERY = Duration.minutes(5);

/** Has a function tell people of questions where the environment says so: by webhook, Slack or e-mail. */
export class Notify extends Construct {
  constructor(scope: Construct, id: string, { settings, handler, store, api, deadLetters }: NotifyProps) {
    super(scope, id);
    const { notify = {} } = settings;
    store.openRunsFor(handler, { items: ['GetItem', 'Query'], texts: ['GetObject'] });
    store.openKeysFor(handler);
    grantDataKey(handler, settings);
    this.#addSecret(scope, handler, notify, settings);
    const topic = notify.mail === undefined ? undefined : this.#topicFor(notify.mail, handler, settings);
    handler.addEnvironment(
      NOTIFY,
      JSON.stringify({ settings: notify, base: api.url, ...(topic && { topic: topic.topicArn }) }),
    );
    api.openAnswers();

    deadLetters.takeFrom(handler);
    const { Source, DetailType } = QUESTION_EVENT;
    new Rule(this, 'Asked', {
      description: `Questions to people, environment ${settings.name}, told in words`,
      eventPattern: { source: [Source], detailType: [DetailType], detail: { environment: [settings.name] } },
      targets: [
        new LambdaFunction(handler, {
          deadLetterQueue: deadLetters.queue,
          retryAttempts: 20,
          maxEventAge: MAX_AGE,
        }),
      ],
    });
    new Rule(this, 'Remind', {
      description: 'Looks for questions whose time is nearly over',
      schedule: Schedule.rate(REMINDED_EVERY),
      // The next one comes soon: it is not worth repeating.
      targets: [
        new LambdaFunction(handler, {
          event: RuleTargetInput.fromObject({ remind: true }),
          retryAttempts: 0,
          maxEventAge: REMINDED_EVERY,
        }),
      ],
    });
  }

  #addSecret(
    scope: Construct,
    handler: Handler,
    { webhook = '', secret = '', slack = '' }: NotifySettings,
    settings: EnvironmentSettings,
  ): void {
    const names = secretsNamed([webhook, secret, slack]);
    if (names.length === 0) return;
    const secrets = new EnvironmentSecret(this, 'Secret', {
      settings,
      description: `Secrets for telling people of questions, environment ${settings.name}: {"${names[0]}": "…"}`,
      variable: NOTIFY_SECRETS,
    });
    secrets.openTo([handler], scope, 'NotifySecret');
  }

  #topicFor(mail: string, handler: Handler, { name, encryptionKey }: EnvironmentSettings): Topic {
    const topic = new Topic(this, 'Topic', {
      displayName: `Cadre ${name} asks`,
      enforceSSL: true,
      ...(encryptionKey !== undefined && { masterKey: encryptionKey }),
    });
    topic.addSubscription(new EmailSubscription(mail));
    handler.addToRolePolicy(new PolicyStatement({ actions: ['sns:Publish'], resources: [topic.topicArn] }));
    return topic;
  }
}
