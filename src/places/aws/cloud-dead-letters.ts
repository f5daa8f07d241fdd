import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
  type Message,
} from '@aws-sdk/client-sqs';
import { ConfigError } from '../../errors.ts';
import { askAws, isAwsError } from './aws-errors.ts';
import { CLIENT_LIMITS } from './client-limits.ts';
import { findDeployment } from './cloud-deployment.ts';
import type { Again, DeadLetter, DeadLetters } from '../dead-letters.ts';
import { readDeadLetter } from './dead-letter.ts';
import { openCloudStore } from './store/cloud-store.ts';
import type { Deployment } from './deployment.ts';

/** How long nobody else receives messages that are being looked at: long enough to list and handle each. */
const HIDDEN_SECONDS = 120;
/** The most of a request (SQS, "Quotas"). */
const BATCH = 10;
/** So many are looked at: with more of them, something else is wrong. */
const MOST = 1_000;

/**
 * Opens the dead letters of an environment, with the caller's own credentials.
 * @throws {ConfigError} if there is no such environment, or an earlier release deployed it
 */
export async function openDeadLetters(environment: string): Promise<DeadLetters> {
  const { region, stateMachineArn, upkeep, tableName, bucketName, keepDays } =
    await findDeployment(environment);
  const QueueUrl = queueOf(environment, upkeep);
  const queue = new SQSClient({ region, ...CLIENT_LIMITS });
  const lambda = new LambdaClient({ region, ...CLIENT_LIMITS });
  const states = new SFNClient({ region, ...CLIENT_LIMITS });
  /** How each message is named for as long as it is hidden. */
  const receipts = new Map<string, string>();

  const received = await askAws('read the queue of dead letters', () => receiveAll(queue, QueueUrl));
  for (const { MessageId = '', ReceiptHandle = '' } of received) receipts.set(MessageId, ReceiptHandle);
  const letters = received
    .map((message) => readDeadLetter(toQueued(message), stateMachineArn))
    .toSorted((one, other) => one.at - other.at);

  async function repeat(id: string, again: Again): Promise<void> {
    if ('function' in again) {
      const Payload = JSON.stringify(again.event);
      const command = new InvokeCommand({ FunctionName: again.function, InvocationType: 'Event', Payload });
      await askAws(`call ${again.function}`, () => lambda.send(command));
      return;
    }
    // The same letter starts one execution, however often it is sent.
    const name = `dead-letter-${id}`;
    const input = JSON.stringify(again.input);
    const command = new StartExecutionCommand({ stateMachineArn: again.machine, name, input });
    await askAws(`start ${again.machine}`, async () => {
      await states.send(command).catch((thrown: unknown) => {
        if (!isAwsError(thrown, 'ExecutionAlreadyExists')) throw thrown;
      });
    });
  }

  async function remove({ id }: DeadLetter): Promise<void> {
    const command = new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipts.get(id) });
    await askAws('delete a dead letter', () => queue.send(command));
    receipts.delete(id);
  }

  return {
    letters,
    pause: () => openCloudStore({ tableName, bucket: bucketName, keepDays, region }).runs.pause(),
    async retry(letter) {
      await repeat(letter.id, letter.again);
      await remove(letter);
    },
    delete: remove,
    async close() {
      const handles = [...receipts.values()];
      for (let from = 0; from < handles.length; from += BATCH) {
        const Entries = handles
          .slice(from, from + BATCH)
          .map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
        const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
        await askAws('show the dead letters again', () => queue.send(command));
      }
    },
  };
}

function queueOf(environment: string, upkeep: Deployment['upkeep']): string {
  if (upkeep !== undefined) return upkeep.deadLettersUrl;
  throw new ConfigError(
    `environment "${environment}" does not say where its dead letters are: deploy it with this release first`,
  );
}

/** SQS gives some of the messages at a time, and may give one of them twice. */
async function receiveAll(queue: SQSClient, QueueUrl: string): Promise<Message[]> {
  const messages = new Map<string, Message>();
  while (messages.size < MOST) {
    const command = new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: BATCH,
      VisibilityTimeout: HIDDEN_SECONDS,
      // Asks all servers of the queue, so that nothing is said to be all.
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['SentTimestamp'],
    });
    const { Messages = [] } = await queue.send(command);
    if (Messages.length === 0) break;
    for (const message of Messages) messages.set(message.MessageId ?? '', message);
  }
  return [...messages.values()];
}

function toQueued({ MessageId = '', Body = '', Attributes, MessageAttributes = {} }: Message) {
  const attributes = Object.entries(MessageAttributes).map(
    ([name, { StringValue = '' }]): [string, string] => [name, StringValue],
  );
  return {
    id: MessageId,
    at: Number(Attributes?.SentTimestamp ?? 0),
    body: Body,
    attributes: Object.fromEntries(attributes),
  };
}
