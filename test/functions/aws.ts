import type { IncomingMessage, ServerResponse } from 'node:http';
import dynalite from 'dynalite';
import * as v from 'valibot';
import { createDynamoDbTable } from '../fixtures/dynamodb.ts';
import { bodyOf, listenOnLoopback, serveOnLoopback } from '../fixtures/loopback.ts';
import { startS3Server, type S3Server } from '../fixtures/s3-server.ts';

/** The services of AWS that deployed functions reach, on loopback, with a note of every request. */
export interface Aws {
  /** For the process that functions run in: where everything is, and what the stack sets. */
  environment: Record<string, string>;
  bucket: S3Server;
  /** `dynamodb:GetItem on the table`, as a plan names what functions may do. */
  asked: Set<string>;
  /** The task tokens that were answered. */
  woken: string[];
  /** The events on the default bus; it takes none while `isBusDown`. */
  events: { Source: string; DetailType: string; Detail: string }[];
  isBusDown: boolean;
  /** The messages to topics, each as a form. */
  published: Record<string, string>[];
  /** The ARNs of executions that were stopped, of which nothing has told. */
  /** The names of executions that were to be started. */
  started: string[];
  aborted: Set<string>;
  close(): Promise<void>;
}

/** Operations that are granted on the machine itself. */
const ON_MACHINE = ['SendTaskSuccess', 'StartExecution'];

/** What the conditions on roles tell apart of the table. */
function placeOf(operation: string, partition: string): string {
  if (operation === 'DeleteItem' && /^(questions|open(#\d)?)$/.test(partition))
    return 'lists of what is open in the table';
  if (operation === 'PutItem' && partition.startsWith('key#')) return 'keys in the table';
  if (partition.startsWith('memory') && ['DeleteItem', 'Query'].includes(operation))
    return 'memories in the table';
  const isNote = partition.startsWith('watch#') && ['PutItem', 'UpdateItem'].includes(operation);
  return isNote ? 'notes of who watches in the table' : 'the table';
}

const SecretName = v.picklist(['keys', 'servers', 'notifications', 'telemetry']);
const TABLE = 'runs';
const BUCKET = 'texts';

/** @param kept the contents of Secrets Manager: the keys of providers, and the secrets for servers of tools */
export async function startAws(
  kept: Record<'keys' | 'servers' | 'notifications' | 'telemetry', Record<string, string>>,
): Promise<Aws> {
  const asked = new Set<string>();
  const woken: string[] = [];
  const events: Aws['events'] = [];
  const operationOf = ({ headers }: IncomingMessage) => String(headers['x-amz-target']).replace(/^.*\./, '');

  const dynamo = dynalite({ createTableMs: 0 });
  const table = await listenOnLoopback(dynamo);
  await createDynamoDbTable(table.endpoint, TABLE);
  dynamo.on('request', (request: IncomingMessage) => {
    const operation = operationOf(request);
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const [, partition = ''] = /"(?:partition|:partition)":\{"S":"(.*?)"\}/.exec(body) ?? [];
      asked.add(`dynamodb:${operation} on ${placeOf(operation, partition)}`);
    });
  });

  const bucket = await startS3Server(BUCKET, (action, key) => {
    // The grants call the workspaces of owners by the same name.
    asked.add(`${action} on ${key.split(/[/@]/)[0]}/ of the bucket`);
  });

  const answer = (response: ServerResponse, body: object) => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(body));
  };
  const secrets = await serveOnLoopback(async (request, response) => {
    const { SecretId: id } = JSON.parse(String(await bodyOf(request)));
    asked.add(`secretsmanager:${operationOf(request)} on the secret of ${id}`);
    answer(response, { SecretString: JSON.stringify(kept[v.parse(SecretName, id)]) });
  });
  const states = await serveOnLoopback(async (request, response) => {
    const {
      name,
      taskToken,
      executionArn: described,
      stateMachineArn = '',
    } = JSON.parse(String(await bodyOf(request)));
    if (taskToken !== undefined) woken.push(taskToken);
    const operation = operationOf(request);
    const machine = stateMachineArn.endsWith('-batches') ? 'the machine of batches' : 'the machine';
    asked.add(`states:${operation} on ${ON_MACHINE.includes(operation) ? '' : 'executions of '}${machine}`);
    if (operation === 'StartExecution') aws.started.push(name);
    const executionArn = `arn:aws:states:eu-central-1:123456789012:execution:cadre-test:${name}`;
    const date = 1_700_000_000;
    const status = aws.aborted.has(described) ? 'ABORTED' : 'RUNNING';
    answer(response, { executionArn, status, startDate: date, stopDate: date });
  });

  const bus = await serveOnLoopback(async (request, response) => {
    asked.add(`events:${operationOf(request)} on the event bus, to tell of questions`);
    const { Entries } = JSON.parse(String(await bodyOf(request)));
    if (!aws.isBusDown) events.push(...Entries);
    const failed = { ErrorCode: 'InternalFailure', ErrorMessage: 'the bus is down' };
    answer(response, { Entries: [aws.isBusDown ? failed : { EventId: 'x' }] });
  });

  const topics = await serveOnLoopback(async (request, response) => {
    asked.add('sns:Publish on the topic of questions');
    aws.published.push(Object.fromEntries(new URLSearchParams(String(await bodyOf(request)))));
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(
      '<PublishResponse><PublishResult><MessageId>x</MessageId></PublishResult></PublishResponse>',
    );
  });

  const servers = [table, bucket, secrets, states, bus, topics];
  const aws: Aws = {
    environment: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_SESSION_TOKEN: '',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
      AWS_ENDPOINT_URL_S3: bucket.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
      AWS_ENDPOINT_URL_SFN: states.endpoint,
      AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
      AWS_ENDPOINT_URL_SNS: topics.endpoint,
      CADRE_ENVIRONMENT: 'test',
      CADRE_LOG_LEVEL: 'info',
      CADRE_TABLE: TABLE,
      CADRE_BUCKET: BUCKET,
      CADRE_KEEP_DAYS: '30',
      CADRE_KEYS_SECRET: 'keys',
      CADRE_SERVER_SECRETS: 'servers',
      CADRE_BATCH_MACHINE: 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre-test-batches',
      CADRE_STATE_MACHINE: 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre-test',
    },
    bucket,
    asked,
    woken,
    events,
    isBusDown: false,
    published: [],
    aborted: new Set(),
    started: [],
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
  return aws;
}
