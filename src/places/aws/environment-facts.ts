import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { askAws } from './aws-errors.ts';
import { CLIENT_LIMITS } from './client-limits.ts';
import { Keys } from './secret-keys.ts';

/** What an environment can be asked about itself, with the caller's own credentials. */

/** How many dead letters there are, about, without a look at any. */
export async function countDeadLetters(region: string, QueueUrl: string): Promise<number> {
  const queue = new SQSClient({ region, ...CLIENT_LIMITS });
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames });
  const { Attributes } = await askAws('count the dead letters', () => queue.send(command));
  return Number(Attributes?.['ApproximateNumberOfMessages'] ?? 0);
}

/** How many subscribers a topic has, and how many have not confirmed yet. */
export async function subscribersOf(
  region: string,
  TopicArn: string,
): Promise<{ confirmed: number; pending: number }> {
  const topics = new SNSClient({ region, ...CLIENT_LIMITS });
  const command = new ListSubscriptionsByTopicCommand({ TopicArn });
  const { Subscriptions = [] } = await askAws(`list who is told by ${TopicArn}`, () => topics.send(command));
  const confirmed = Subscriptions.filter(({ SubscriptionArn = '' }) =>
    SubscriptionArn.startsWith('arn:'),
  ).length;
  return { confirmed, pending: Subscriptions.length - confirmed };
}

/** The keys of providers, which are held in memory and told to nobody. */
export async function readKeys(region: string, SecretId: string): Promise<ReadonlyMap<string, string>> {
  const secrets = new SecretsManagerClient({ region, ...CLIENT_LIMITS });
  const command = new GetSecretValueCommand({ SecretId });
  const { SecretString } = await askAws('read the secret with the keys', () => secrets.send(command));
  const parsed = v.safeParse(Keys, SecretString);
  return new Map(parsed.success ? Object.entries(parsed.output) : []);
}

/** Functions that may run at once in the account, and how many of them no function has reserved. */
export async function functionQuota(region: string): Promise<{ all: number; unreserved: number }> {
  const lambda = new LambdaClient({ region, ...CLIENT_LIMITS });
  const { AccountLimit } = await askAws('read the quotas of Lambda', () =>
    lambda.send(new GetAccountSettingsCommand({})),
  );
  const { ConcurrentExecutions: all = 0, UnreservedConcurrentExecutions: unreserved = all } =
    AccountLimit ?? {};
  return { all, unreserved };
}

/** How a server answers, and by how many milliseconds this machine's clock is ahead of the server's. */
export async function askServer(
  url: URL,
  send: (request: Request) => Promise<Response>,
): Promise<{ status: number; aheadMs: number }> {
  const sentAt = Date.now();
  const { status, headers, body } = await send(new Request(url, { signal: AbortSignal.timeout(30_000) }));
  await body?.cancel();
  const told = Date.parse(headers.get('date') ?? '');
  // Half of the time was the way there; the header has whole seconds.
  const aheadMs = Number.isNaN(told) ? 0 : (sentAt + Date.now()) / 2 - (told + 500);
  return { status, aheadMs };
}
