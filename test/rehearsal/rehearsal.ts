import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingMessage, Server } from 'node:http';
import { CreateTableCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import * as v from 'valibot';
import { environmentPath } from '../../src/places/aws/deployment.ts';
import { lambdaEndpoint } from '../../src/asl/resources/lambda-endpoint.ts';
import { listen } from '../../src/asl/server/server.ts';
import { checkDefinitionText } from '../../src/asl/definition/check-definition.ts';
import { createStateMachines } from '../../src/asl/create-state-machines.ts';
import type { StateMachines } from '../../src/asl/state-machines.ts';
import { createDynamoDbTable, dynamoDbClient } from '../fixtures/dynamodb.ts';
import { startLambda, type DeployedFunction, type Lambda } from '../fixtures/lambda-runtime.ts';
import { bodyOf, listenOnLoopback, serveOnLoopback, type LoopbackServer } from '../fixtures/loopback.ts';
import { startS3Server, type S3Server } from '../fixtures/s3-server.ts';
import { startStsServer } from '../fixtures/sts-server.ts';
import { startConverse, type Role } from './converse.ts';
import { openEventBridge, serveEventBridge, type EventBridge } from './event-bridge.ts';
import { openHttpApi, serveSigned, type HttpApi } from './http-api.ts';
import { movableClock, type MovableClock } from './movable-clock.ts';
import { startScheduler, type Scheduler } from './scheduler.ts';
import { serveFunctionUrl } from './function-url.ts';
import { grantsIn, noteRefusals } from './grants.ts';
import { openTableStream, tellWrites, type TableStream } from './table-stream.ts';
import { ACCOUNT, API_URL, DOORS_URL, REGION, synthesiseStack, type Deployed, type Stack } from './stack.ts';

/** An environment deployed to this machine: the synthesised template and the built bundles on stand-ins for AWS. */
export interface Rehearsal {
  /** For users of the AWS SDK: Region, credentials, and all addresses. */
  environment: Record<string, string>;
  lambda: Lambda;
  /** The time of the functions and of the machines. */
  clock: MovableClock;
  machines: StateMachines;
  bucket: S3Server;
  events: EventBridge;
  stream: TableStream;
  /** What functions have asked of the table that their roles do not allow them. */
  refused: ReadonlySet<string>;
  askApi: HttpApi['ask'];
  /** The same, as it comes. */
  answerApi: HttpApi['answer'];
  /** Where clients of OpenAI and MCP find agents. */
  doorsUrl: string;
  scheduler: Scheduler;
  /** How many requests the models got. */
  asked(): number;
  /** Starts what a schedule starts, as EventBridge Scheduler does at this time. @returns the execution's ARN */
  tick(schedule: string, time: string): string;
  /** Makes another table with what the stack's own contains now, as a restore to this point in time does. */
  copyTable(name: string): Promise<void>;
  /** Deploys the environment again, with other agents or settings: absent are those of before, and those of cdk.json. */
  redeploy(next: Partial<Deployed>): Promise<void>;
  /** Runs that carry on are stopped. */
  close(): Promise<void>;
}

export interface RehearsalOptions extends Deployed {
  /** The lines of the models `bedrock/anthropic.claude-<role>`. */
  roles: Record<string, Role>;
  /** What its user has put into its secrets. */
  secrets?: Record<string, string>;
  /** Origins that functions reach outside the account, by where on this machine something stands in for each. */
  outside?: Record<string, string>;
}

const PROJECT = join(import.meta.dirname, '../..');
const CACHE = join(PROJECT, 'node_modules/.cache');

/** Deploys the environment `dev`. */
export async function startRehearsal({
  roles,
  secrets = {},
  outside = {},
  ...deployed
}: RehearsalOptions): Promise<Rehearsal> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'cadre-rehearsal-'));
  const stack = await synthesiseStack('dev', folder, deployed, 1);
  // Roles have no versions: what is under way goes by those of the newest deployment.
  let newest = stack;
  const granted = (action: string, arn: string) => grantsIn(newest)(action, arn);

  const database = dynalite({ createTableMs: 0 });
  const refused = noteRefusals(database, () => newest);
  const table = await startTable(database, stack, () => stream);
  const sessions = await startStsServer((role) => granted('sts:AssumeRole', role));
  const bucket = await startS3Server(stack.nameOf('AWS::S3::Bucket'), undefined, sessions);
  const models = await startConverse(roles, (model) =>
    granted('bedrock:InvokeModelWithResponseStream', `arn:aws:bedrock:${REGION}::foundation-model/${model}`),
  );
  const clock = movableClock();
  const lambda = await startLambda(clock.ahead, (arn) => granted('lambda:InvokeFunction', arn));
  const events = openEventBridge(stack, lambda);
  const stream = openTableStream(stack, lambda);
  const bus = await serveEventBridge(events);
  const machines = createStateMachines({
    region: REGION,
    account: ACCOUNT,
    invokeLambda: lambdaEndpoint(lambda.endpoint),
    onStatusChange: (_, toEvent) => events.put(toEvent()),
    clock,
    // Retries come at once.
    random: () => 0,
    checkDefinition: checkDefinitionText,
  });
  const states = await listen(machines, { port: 0 });
  const httpApi = openHttpApi(stack, lambda);
  const api = await serveSigned(httpApi);
  const scheduler = await startScheduler(machines);
  const doors = await serveFunctionUrl(stack, lambda);
  const settings = await startSettings(secrets);
  settings.publish(stack, api.endpoint, doors.endpoint);

  const environment = {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: models.url,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: scheduler.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: settings.endpoint,
    AWS_ENDPOINT_URL_SFN: states.url,
    AWS_ENDPOINT_URL_SSM: settings.endpoint,
    AWS_ENDPOINT_URL_STS: sessions.endpoint,
    NODE_NO_WARNINGS: '1',
  };
  const ofFunctions = { ...environment, REHEARSAL_OUTSIDE: JSON.stringify(outside) };
  lambda.deploy(functionsOf(stack), ofFunctions);
  for (const machine of machinesOf(stack)) machines.createStateMachine(machine);
  let deployment = 1;

  return {
    environment,
    lambda,
    clock,
    machines,
    bucket,
    events,
    stream,
    refused,
    askApi: httpApi.ask,
    answerApi: httpApi.answer,
    doorsUrl: doors.endpoint,
    scheduler,
    asked: () => models.requests.length,
    tick: (schedule, time) => startSchedule(stack, machines, schedule, time),
    async copyTable(name) {
      await createDynamoDbTable(table.endpoint, name);
      const client = dynamoDbClient(table.endpoint);
      const own = stack.nameOf('AWS::DynamoDB::Table');
      const { Items = [] } = await client.send(new ScanCommand({ TableName: own }));
      for (const Item of Items) await client.send(new PutItemCommand({ TableName: name, Item }));
      client.destroy();
    },
    async redeploy(changed) {
      deployment += 1;
      const next = await synthesiseStack(
        'dev',
        join(folder, `${deployment}`),
        { ...deployed, ...changed },
        deployment,
      );
      lambda.deploy(functionsOf(next), ofFunctions);
      for (const { name, definition } of machinesOf(next)) {
        const known = machines.listStateMachines().find((machine) => machine.name === name);
        machines.updateStateMachine({ stateMachineArn: known?.stateMachineArn ?? '', definition });
      }
      settings.publish(next, api.endpoint, doors.endpoint);
      newest = next;
    },
    async close() {
      machines.stopAll('the rehearsal is over');
      await lambda.close();
      const servers = [api, doors, bus, scheduler, table, bucket, sessions, settings, models, states];
      await Promise.all(servers.map((server) => server.close()));
      await rm(folder, { recursive: true });
    },
  };
}

const Table = v.object({
  AttributeDefinitions: v.array(
    v.object({ AttributeName: v.string(), AttributeType: v.picklist(['S', 'N', 'B']) }),
  ),
  KeySchema: v.array(v.object({ AttributeName: v.string(), KeyType: v.picklist(['HASH', 'RANGE']) })),
  BillingMode: v.literal('PAY_PER_REQUEST'),
});

async function startTable(
  database: Server,
  stack: Stack,
  stream: () => TableStream,
): Promise<LoopbackServer> {
  tellWrites(database, stream);
  const server = await listenOnLoopback(database);
  const client = dynamoDbClient(server.endpoint);
  const [properties] = stack.resources('AWS::DynamoDB::Table');
  const TableName = stack.nameOf('AWS::DynamoDB::Table');
  await client.send(new CreateTableCommand({ ...v.parse(Table, properties), TableName }));
  client.destroy();
  return server;
}

const Parameter = v.object({ Name: v.string(), Value: v.string() });

/** Secrets Manager with the stack's secrets, each with what the user put there, and Systems Manager with its parameter. */
async function startSettings(
  secrets: Record<string, string>,
): Promise<LoopbackServer & { publish(stack: Stack, apiUrl: string, doorsUrl: string): void }> {
  let answers = new Map<string, unknown>();
  const server = await serveOnLoopback(async (request: IncomingMessage, response) => {
    const { SecretId, Name } = v.parse(
      v.object({ SecretId: v.optional(v.string()), Name: v.optional(v.string()) }),
      JSON.parse(String(await bodyOf(request))),
    );
    const answer = answers.get(`${String(request.headers['x-amz-target'])} ${SecretId ?? Name}`);
    response.writeHead(answer === undefined ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(
      JSON.stringify(answer ?? { __type: SecretId ? 'ResourceNotFoundException' : 'ParameterNotFound' }),
    );
  });
  return {
    ...server,
    publish: (stack, apiUrl, doorsUrl) => void (answers = settingsIn(stack, secrets, apiUrl, doorsUrl)),
  };
}

/** What the services answer, by operation and name. */
function settingsIn(
  stack: Stack,
  secrets: Record<string, string>,
  apiUrl: string,
  doorsUrl: string,
): Map<string, unknown> {
  const [parameter] = stack.resources('AWS::SSM::Parameter').map((given) => v.parse(Parameter, given));
  if (parameter?.Name !== environmentPath('dev')) throw new Error('the stack publishes nothing of itself');
  return new Map<string, unknown>([
    ...[...stack.named('AWS::SecretsManager::Secret').keys()].map(
      (name) => [`secretsmanager.GetSecretValue ${name}`, { SecretString: JSON.stringify(secrets) }] as const,
    ),
    [
      `AmazonSSM.GetParameter ${parameter.Name}`,
      {
        Parameter: {
          ...parameter,
          Value: parameter.Value.replace(API_URL, apiUrl).replace(DOORS_URL, `${doorsUrl}/`),
        },
      },
    ],
  ]);
}

const Function = v.object({
  Handler: v.string(),
  Timeout: v.number(),
  MemorySize: v.number(),
  FunctionName: v.string(),
  Environment: v.object({ Variables: v.record(v.string(), v.string()) }),
  ReservedConcurrentExecutions: v.optional(v.number()),
  TenancyConfig: v.optional(v.object({ TenantIsolationMode: v.literal('PER_TENANT') })),
});

/** Ours; one of CDK's own empties the bucket when the stack goes. */
function functionsOf(stack: Stack): DeployedFunction[] {
  return stack.resources('AWS::Lambda::Function').flatMap((properties) => {
    const known = v.safeParse(Function, properties);
    if (!known.success) return [];
    const { FunctionName: name, Handler, Timeout, MemorySize, Environment } = known.output;
    const { ReservedConcurrentExecutions: reserved, TenancyConfig } = known.output;
    // As it is, and as the version that the machine names.
    return ['', `:${stack.deployment}`].map((version) => ({
      arn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}${version}`,
      name,
      folder: stack.codeOf(properties),
      handler: Handler,
      environment: Environment.Variables,
      timeoutSeconds: Timeout,
      memoryMb: MemorySize,
      isTenanted: TenancyConfig !== undefined,
      reserved,
    }));
  });
}

const Machine = v.object({
  StateMachineName: v.string(),
  StateMachineType: v.optional(v.string(), 'STANDARD'),
  DefinitionString: v.string(),
  DefinitionSubstitutions: v.record(v.string(), v.string()),
  RoleArn: v.string(),
});

function machinesOf(stack: Stack) {
  return stack.resources('AWS::StepFunctions::StateMachine').map((properties) => {
    const {
      StateMachineName: name,
      StateMachineType: type,
      DefinitionString,
      DefinitionSubstitutions,
      RoleArn: roleArn,
    } = v.parse(Machine, properties);
    const definition = DefinitionString.replaceAll(/\$\{(\w+)\}/g, (_, key: string) => {
      const value = DefinitionSubstitutions[key];
      if (value === undefined) throw new Error(`the definition of ${name} has no substitution for ${key}`);
      return value;
    });
    return { name, type, definition, roleArn };
  });
}

const Schedule = v.object({
  Name: v.string(),
  State: v.literal('ENABLED'),
  Target: v.object({ Arn: v.string(), Input: v.string() }),
});

function startSchedule(stack: Stack, machines: StateMachines, name: string, time: string): string {
  const schedules = stack.resources('AWS::Scheduler::Schedule').map((given) => v.parse(Schedule, given));
  const target = schedules.find((schedule) => schedule.Name === name)?.Target;
  if (target === undefined) throw new Error(`there is no schedule ${name}`);
  const input = target.Input.replaceAll('<aws.scheduler.scheduled-time>', time);
  return machines.startExecution({ stateMachineArn: target.Arn, input: JSON.parse(input) }).executionArn;
}
