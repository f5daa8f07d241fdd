import { createHash } from 'node:crypto';
import { Match } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import conversation from '../../infra/conversation.asl.json' with { type: 'json' };
import leafConversation from '../../infra/leaf-conversation.asl.json' with { type: 'json' };
import { OPERATIONS } from '../../src/doors/api/operations.ts';
import { tickKey } from '../../src/core/records/run-id.ts';
import { Deployment } from '../../src/places/aws/deployment.ts';
import { describeAlarms } from './alarms-contract.ts';
import { describePermissions } from './permissions-contract.ts';
import { readable, synthesise, type Synthesised } from './synthesise.ts';
import { templateLines } from './template-lines.ts';

const SCHEDULED = `name = "daily"
model = "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
[schedule]
cron = "0 7 ? * MON-FRI *"
timezone = "Europe/Berlin"
prompt = "What happened yesterday?"
[guardrail]
id = "abc123"
version = "1"
[[functions]]
name = "stock"
description = "Tells what is in stock"
function = "team-stock"
`;

const SERVED = `name = "served"
model = "offline/extractive"
[memory]
search = true
embedding = "bedrock/amazon.titan-embed-text-v2:0"
[[mcp_servers]]
name = "docs"
url = "https://docs.example.com/mcp"
headers = { Authorization = "Bearer \${DOCS_TOKEN}" }
[[mcp_servers]]
name = "wiki"
url = "https://wiki.example.com/mcp"
auth = "oauth"
[[remote_agents]]
name = "booking"
url = "https://booking.example.com"
`;

const BUILDER = `name = "builder"
model = "offline/extractive"
tools = ["run_command"]
[sandbox]
kind = "isolated"
`;

const LONG_NAMES = [`${'x'.repeat(63)}1`, `${'x'.repeat(63)}2`, 'y'.repeat(53)];
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);

let dev: Synthesised;
let prod: Synthesised;

const PROVIDERS = { acme: { protocol: 'openai', baseUrl: 'https://api.acme.example' } } as const;

beforeAll(async () => {
  dev = await synthesise('dev', {
    agents: { plain: 'name = "plain"\nmodel = "offline/extractive"\n' },
    settings: { verify: false },
  });
  prod = await synthesise('prod', {
    agents: {
      daily: SCHEDULED,
      served: SERVED,
      builder: BUILDER,
      ...Object.fromEntries(LONG_NAMES.map((name) => [name, SCHEDULED.replace('daily', name)])),
    },
    settings: {
      alarmEmail: 'somebody@example.org',
      dashboard: true,
      doors: true,
      sandboxVpc: true,
      telemetry: { endpoint: 'https://otlp.example.com', headers: { Authorization: 'Bearer ${TOKEN}' } },
      notify: { webhook: 'https://hooks.example.com', secret: '${SIGN}', mail: 'somebody@example.org' },
      apiModels: ['openai/gpt-5', 'openai/gpt-5.1'],
      providers: PROVIDERS,
      jwt: { issuer: 'https://login.example.org', audience: ['cadre'], scopes: ['cadre/run'] },
      console: true,
    },
  });
});

test('every resource of an environment has the properties that were accepted', async () => {
  const lines = templateLines(prod.template);
  await expect(textOf(lines)).toMatchFileSnapshot('accepted/prod.txt');
  // Of an environment with fewer settings, what is not the same.
  const same = new Set(blocksOf(lines.map((line) => line.replaceAll('prod', 'dev'))));
  const others = blocksOf(templateLines(dev.template)).filter((block) => !same.has(block));
  await expect(textOf(others)).toMatchFileSnapshot('accepted/dev.txt');
});

const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`;

/** Lines with those that are indented below them. */
function blocksOf(lines: readonly string[]): string[] {
  return lines.join('\n').split(/\n(?! )/);
}

/** One resource of the type, at least, has these properties. */
function assertResource({ template }: Synthesised, type: string, properties: object): void {
  template.hasResourceProperties(type, properties);
}

/** All resources of the type have these properties. */
function assertAllResources({ template }: Synthesised, type: string, properties: object): void {
  template.allResourcesProperties(type, properties);
}

const only = <Value>(values: Map<string, Value>): [string, Value] => {
  const [entry, ...others] = values;
  if (entry === undefined || others.length > 0) throw new Error(`expected one, got ${values.size}`);
  return entry;
};

describe('the store', () => {
  test('is a table on demand that expires, is encrypted and can be restored to any second', () => {
    const [, { Properties }] = only(dev.resources('AWS::DynamoDB::Table'));
    expect(Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'partition', KeyType: 'HASH' },
        { AttributeName: 'sort', KeyType: 'RANGE' },
      ],
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
    });
  });

  test('is a bucket that cannot be reached from outside, without TLS or unencrypted, and that forgets texts of runs', () => {
    const [, { Properties }] = only(dev.resources('AWS::S3::Bucket'));
    expect(Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      LifecycleConfiguration: {
        Rules: [
          { Prefix: 'runs/', ExpirationInDays: 33, Status: 'Enabled' },
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
        ],
      },
    });
    const [, { Properties: policy }] = only(dev.resources('AWS::S3::BucketPolicy'));
    expect(policy['PolicyDocument']).toMatchObject({
      Statement: [
        { Effect: 'Deny', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
        { Effect: 'Deny', Action: 's3:*', Condition: { NumericLessThan: { 's3:TlsVersion': 1.2 } } },
        // CDK's function that empties the bucket when the stack goes.
        { Effect: 'Allow' },
      ].map((statement) => ({ ...statement, Principal: { AWS: expect.anything() } })),
    });
  });

  test('keeps old versions of its bucket for 30 days where data are retained', () => {
    const [, { Properties }] = only(prod.resources('AWS::S3::Bucket'));
    expect(Properties).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: {
        Rules: [
          { Prefix: 'runs/', ExpirationInDays: 368, Status: 'Enabled' },
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            ExpiredObjectDeleteMarker: true,
            NoncurrentVersionExpiration: { NoncurrentDays: 30 },
            Status: 'Enabled',
          },
          { Prefix: 'sandbox/', ExpirationInDays: 365, Status: 'Enabled' },
        ],
      },
    });
    expect(only(dev.resources('AWS::S3::Bucket'))[1].Properties).not.toHaveProperty(
      'VersioningConfiguration',
    );
  });

  // A resource with a fixed name that stays when a first deployment fails keeps the second from making it.
  test.each([
    ['AWS::S3::Bucket', 'RetainExceptOnCreate'],
    ['AWS::SecretsManager::Secret', 'RetainExceptOnCreate'],
    ['AWS::Logs::LogGroup', 'RetainExceptOnCreate'],
    ['AWS::DynamoDB::Table', 'Retain'],
  ])('goes with the stack in dev, and in prod stays once it was made: %s', (type, inProd) => {
    const policies = ({ resources }: Synthesised) =>
      new Set([...resources(type).values()].map(({ DeletionPolicy }) => DeletionPolicy));
    expect([policies(dev), policies(prod)]).toEqual([new Set(['Delete']), new Set([inProd])]);
  });

  test('has no fixed name where it stays although the first deployment failed', () => {
    const [, { Properties }] = only(prod.resources('AWS::DynamoDB::Table'));
    expect(Properties).toMatchObject({ DeletionProtectionEnabled: true });
    expect(Properties).not.toHaveProperty('TableName');
  });

  test('logs requests to its bucket where the environment says so, in a bucket that is as closed', async () => {
    expect(dev.resources('AWS::S3::Bucket').size).toBe(1);
    const { resources } = await synthesise('dev', { settings: { accessLogs: true } });
    const [[bucket, logged] = [], [logs, own] = []] = resources('AWS::S3::Bucket');
    expect(logged?.Properties).toMatchObject({
      LoggingConfiguration: { DestinationBucketName: { Ref: logs } },
    });
    expect(own?.Properties).toMatchObject({
      PublicAccessBlockConfiguration: { RestrictPublicBuckets: true },
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 14, Status: 'Enabled' }] },
    });
    const policies = [...resources('AWS::S3::BucketPolicy').values()].map(({ Properties }) => Properties);
    expect(
      policies.find(({ Bucket }) => v.is(v.object({ Ref: v.literal(logs ?? '') }), Bucket)),
    ).toMatchObject({
      PolicyDocument: {
        Statement: expect.arrayContaining([
          {
            Effect: 'Allow',
            Action: 's3:PutObject',
            Principal: { Service: 'logging.s3.amazonaws.com' },
            Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': [logs, 'Arn'] }, '/*']] },
            Condition: {
              ArnLike: { 'aws:SourceArn': { 'Fn::GetAtt': [bucket, 'Arn'] } },
              StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
            },
          },
        ]),
      },
    });
  });

  test('has logs under plain names where they go with the stack, and else under names that no other stack has', () => {
    const names = ({ resources }: Synthesised) =>
      [...resources('AWS::Logs::LogGroup').values()].map(({ Properties }) => Properties['LogGroupName']);
    expect(names(dev)).toContain('/cadre/dev/turn');
    const uuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };
    const first = { 'Fn::Select': [0, { 'Fn::Split': ['-', uuid] }] };
    expect(names(prod)).toContainEqual({ 'Fn::Join': ['', ['/cadre/prod/turn-', first]] });
    expect(names(prod).filter((name) => typeof name === 'string')).toEqual([]);
  });

  test('is guarded with the stack in prod', () => {
    expect([dev, prod].map(({ isProtected }) => isProtected)).toEqual([false, true]);
  });
});

describe('the functions', () => {
  const ours = ({ resources }: Synthesised) =>
    [...resources('AWS::Lambda::Function').values()]
      .filter(({ Properties }) => String(Properties['FunctionName']).startsWith('cadre-'))
      .map(({ Properties }) => Properties);

  test('are all made in one way', () => {
    const made = ours(dev);
    expect(made.map(({ FunctionName }) => String(FunctionName)).sort()).toEqual(
      ['api', 'batch', 'control', 'open', 'settle', 'tool', 'turn', 'watch'].map(
        (name) => `cadre-dev-${name}`,
      ),
    );
    for (const properties of made) {
      expect(properties).toMatchObject({
        Architectures: ['arm64'],
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        TracingConfig: { Mode: 'Active' },
        LoggingConfig: { LogGroup: { Ref: expect.stringMatching(/PartsLog/) } },
        Environment: {
          Variables: {
            NODE_OPTIONS: '--enable-source-maps',
            CADRE_ENVIRONMENT: 'dev',
            CADRE_LOG_LEVEL: 'info',
          },
        },
      });
    }
  });

  test('end before the states that wait for them', () => {
    const timeouts = Object.fromEntries(
      ours(dev).map(({ FunctionName, Timeout }) => [
        String(FunctionName).slice('cadre-dev-'.length),
        Timeout,
      ]),
    );
    expect(timeouts).toEqual({
      open: 55,
      turn: 900,
      tool: 900,
      control: 55,
      settle: 55,
      batch: 900,
      api: 29,
      watch: 29,
    });
    expect(conversation.States.Open.TimeoutSeconds).toBe(60);
    expect(conversation.States['Record the failure'].TimeoutSeconds).toBe(60);
  });

  test('keep a part of the account for turns, apart from requests that wait, where the environment says so', () => {
    const reserved = (stack: Synthesised) =>
      ours(stack).flatMap(({ FunctionName, ReservedConcurrentExecutions: reserve }) =>
        reserve === undefined ? [] : [[FunctionName, reserve]],
      );
    expect([reserved(dev), reserved(prod)]).toEqual([
      [],
      [
        ['cadre-prod-turn', 100],
        ['cadre-prod-api', 50],
        ['cadre-prod-watch', 100],
        ['cadre-prod-doors', 50],
      ],
    ]);
  });
});

describe('the machine', () => {
  test('runs the definition as it stands, with an ARN for each name in it', () => {
    const machines = [
      { Properties: machineOf(dev, 'cadre-dev'), definition: conversation },
      { Properties: machineOf(dev, 'cadre-dev-leaves'), definition: leafConversation },
    ];
    for (const { Properties, definition } of machines) {
      expect(JSON.parse(String(Properties['DefinitionString']))).toEqual(definition);
      const wanted = [...JSON.stringify(definition).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? '');
      const given = v.parse(v.record(v.string(), v.unknown()), Properties['DefinitionSubstitutions']);
      expect(Object.keys(given).sort()).toEqual([...new Set(wanted)].sort());
    }
  });

  test('has another for batches, which may call its function and nothing else', () => {
    expect(machineOf(dev, 'cadre-dev-batches')).toMatchObject({
      LoggingConfiguration: { Level: 'ERROR', IncludeExecutionData: false },
    });
    const grants = dev.grantsOf('BatchesRole').filter(({ resource }) => resource !== '*');
    expect(grants.map(({ action, resource }) => `${action} on ${resource}`)).toEqual([
      'lambda:InvokeFunction on <FunctionsBatch.Arn>:*',
    ]);
  });

  test('has another for leaves, of the Express kind, which may call functions and nothing else', () => {
    expect(machineOf(dev, 'cadre-dev-leaves')).toMatchObject({
      StateMachineType: 'EXPRESS',
      LoggingConfiguration: { Level: 'ERROR', IncludeExecutionData: false },
    });
    const grants = dev.grantsOf('ConversationLeavesRole').filter(({ resource }) => resource !== '*');
    expect(grants.map(({ action }) => action)).toEqual(Array(4).fill('lambda:InvokeFunction'));
  });

  // CDK makes neither timeouts nor retries for a definition from a file.
  test('has a timeout for itself and for every task, and retries what the services do wrong', () => {
    const { States: states } = conversation;
    const inner = [states.Act, states['Run sub-agents'], states['Run leaves'], states['Run tools']];
    const tasks = [states, ...inner.map((map) => map.ItemProcessor.States)].flatMap((each) => tasksOf(each));
    const CALL = '5 12 8 2 8';
    expect(tasks.map(([name, task]) => [name, limitOf(task), attemptsOf(task)])).toEqual([
      ['Open', 60, CALL],
      ['Take turn', 'deadline + 5', CALL],
      ['Idle', 'deadline', CALL],
      ['Await batch', 'until', CALL],
      ['Record the failure', 60, '8 3'],
      ['Run sub-agent', 'deadline + 5', '5'],
      ['Run leaf', 'deadline + 5', '5'],
      ['Start agent', 30, '5 2'],
      ['Control agents', 'timeout + 5', CALL],
      ['Run tool', 'timeout + 5', CALL],
      ['Ask', 'deadline', CALL],
      ['Run one sub-agent', 'deadline + 5', '5'],
      ['Run one leaf', 'deadline + 5', '5'],
      ['Move one leaf', 'deadline + 5', '5'],
      ['Run one tool', 'timeout + 5', CALL],
    ]);
    expect(conversation.TimeoutSeconds).toBe(864_000);
  });

  test('calls published versions, so that no code is changed under a running execution', () => {
    const versions = prod.resources('AWS::Lambda::Version');
    expect(
      [...versions.values()].map(({ Properties }) => readable(Properties['FunctionName'])).sort(),
    ).toEqual([
      ...['Batch', 'Control', 'Open', 'Settle', 'Tool', 'Turn'].map((name) => `<Functions${name}>`),
      '<Sandboxessandbox>',
    ]);
    // Those of earlier deployments stay; that of a deployment that failed goes, or the next one could not make it again.
    const policies = [...versions.values()].map((version) => [
      version.DeletionPolicy,
      version.UpdateReplacePolicy,
    ]);
    expect(policies).toEqual(Array(7).fill(['RetainExceptOnCreate', 'Retain']));
    const substitutions = machineOf(prod, 'cadre-prod')['DefinitionSubstitutions'];
    const named = Object.fromEntries(
      [...versions.keys()].map((id) => [/^Functions(.*)Current/.exec(id)?.[1], id]),
    );
    expect(substitutions).toEqual({
      Partition: { Ref: 'AWS::Partition' },
      OpenFunction: { Ref: named['Open'] },
      TurnFunction: { Ref: named['Turn'] },
      ToolFunction: { Ref: named['Tool'] },
      ControlFunction: { Ref: named['Control'] },
      SettleFunction: { Ref: named['Settle'] },
      LeafMachine: { Ref: expect.stringContaining('ConversationLeaves') },
    });
  });

  test('may call every version of its functions, start itself, and stop what it started', () => {
    const grants = dev.grantsOf('ConversationRole').filter(({ resource }) => resource !== '*');
    const arn = (service: string, resource: string) =>
      `arn:<AWS::Partition>:${service}:<AWS::Region>:<AWS::AccountId>:${resource}`;
    expect(grants).toEqual([
      ...['Open', 'Turn', 'Tool', 'Control', 'Settle'].map((name) => ({
        action: 'lambda:InvokeFunction',
        resource: `<Functions${name}.Arn>:*`,
      })),
      { action: 'states:StartExecution', resource: arn('states', 'stateMachine:cadre-dev') },
      { action: 'states:DescribeExecution', resource: arn('states', 'execution:cadre-dev:*') },
      { action: 'states:StopExecution', resource: arn('states', 'execution:cadre-dev:*') },
      ...['events:DescribeRule', 'events:PutRule', 'events:PutTargets'].map((action) => ({
        action,
        resource: arn('events', 'rule/StepFunctionsGetEventsForStepFunctionsExecutionRule'),
      })),
      { action: 'states:StartSyncExecution', resource: '<ConversationLeavesMachine>' },
    ]);
  });
});

describe('each machine', () => {
  test.each([
    ['cadre-prod', 'ConversationLog'],
    ['cadre-prod-leaves', 'ConversationLeavesLog'],
    ['cadre-prod-schedule', 'SchedulesLog'],
  ])('are traced, and log failures without what was said: %s', (name, log) => {
    expect(machineOf(prod, name)).toMatchObject({
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: {
        Destinations: [
          {
            CloudWatchLogsLogGroup: {
              LogGroupArn: { 'Fn::GetAtt': [expect.stringMatching(`^${log}[0-9A-F]{8}$`), 'Arn'] },
            },
          },
        ],
        IncludeExecutionData: false,
        Level: 'ERROR',
      },
    });
  });

  test('have roles that Step Functions takes on for this account alone', () => {
    for (const name of ['cadre-prod', 'cadre-prod-schedule']) {
      const role = v.parse(
        v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.literal('Arn')]) }),
        machineOf(prod, name)['RoleArn'],
      )['Fn::GetAtt'][0];
      expect(
        prod.resources('AWS::IAM::Role').get(role)?.Properties['AssumeRolePolicyDocument'],
      ).toMatchObject({
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Effect: 'Allow',
            Principal: { Service: 'states.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          },
        ],
      });
    }
  });
});

/** The properties of the machine of this name. */
function machineOf({ resources }: Synthesised, name: string) {
  const machines = [...resources('AWS::StepFunctions::StateMachine').values()];
  const found = machines.find(({ Properties }) => Properties['StateMachineName'] === name);
  if (found === undefined) throw new Error(`there is no machine ${name}`);
  return found.Properties;
}

const Task = v.object({
  Type: v.literal('Task'),
  TimeoutSeconds: v.union([v.number(), v.string()]),
  Retry: v.array(
    v.object({ MaxAttempts: v.number(), BackoffRate: v.literal(2), JitterStrategy: v.literal('FULL') }),
  ),
});

function tasksOf(states: Record<string, { Type: string }>) {
  return Object.entries(states).flatMap(([name, state]) =>
    state.Type === 'Task' ? [[name, v.parse(Task, state)] as const] : [],
  );
}

/** How long a task may take: so many seconds, or up to the deadline or the timeout in its input, and some more. */
function limitOf({ TimeoutSeconds: limit }: v.InferOutput<typeof Task>) {
  if (typeof limit === 'number') return limit;
  const [margin = ''] = limit.match(/ \+ \d+(?= %\}$)/) ?? [];
  if (limit.includes('$states.input.until')) return 'until';
  return (limit.includes('deadline') ? 'deadline' : limit.includes('timeout') && 'timeout') + margin;
}

/** How often each of its retriers tries again. */
const attemptsOf = ({ Retry }: v.InferOutput<typeof Task>) =>
  Retry.map(({ MaxAttempts }) => MaxAttempts).join(' ');

describe('an execution that ends without an answer', () => {
  test('is told to settle, again and again, and ends in the dead letters if nothing helps', () => {
    const [queue] = only(dev.resources('AWS::SQS::Queue'));
    const arn = { 'Fn::GetAtt': [queue, 'Arn'] };
    assertResource(dev, 'AWS::Events::Rule', {
      Name: 'cadre-dev-ended',
      EventPattern: {
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [{ 'Fn::Join': ['', Match.arrayWith([':stateMachine:cadre-dev'])] }],
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
        },
      },
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('FunctionsSettle'), 'Arn'] },
          DeadLetterConfig: { Arn: arn },
          RetryPolicy: { MaximumEventAgeInSeconds: 21_600, MaximumRetryAttempts: 20 },
        },
      ],
    });
    for (const handler of ['FunctionsSettle', 'FunctionsControl']) {
      assertResource(dev, 'AWS::Lambda::EventInvokeConfig', {
        FunctionName: { Ref: Match.stringLikeRegexp(handler) },
        DestinationConfig: { OnFailure: { Destination: arn } },
        MaximumEventAgeInSeconds: 21_600,
        MaximumRetryAttempts: 2,
      });
    }
  });

  test('is looked for every five minutes, since events about it are delivered at best effort', () => {
    assertResource(dev, 'AWS::Events::Rule', {
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [Match.stringLikeRegexp('FunctionsSettle'), 'Arn'] },
          Input: '{"sweep":true}',
          RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 0 },
        },
      ],
    });
  });

  test('reaches the dead letters over TLS alone', () => {
    const [, { Properties }] = only(dev.resources('AWS::SQS::QueuePolicy'));
    expect(Properties['PolicyDocument']).toMatchObject({
      Statement: [
        {
          Effect: 'Deny',
          Action: 'sqs:*',
          Principal: { AWS: '*' },
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        },
        {
          Effect: 'Allow',
          Action: 'sqs:SendMessage',
          Principal: { Service: 'events.amazonaws.com' },
          Condition: {
            ArnEquals: {
              'aws:SourceArn': { 'Fn::GetAtt': [expect.stringMatching('^SettlingEnded'), 'Arn'] },
            },
          },
        },
      ],
    });
  });
});

describe('the API', () => {
  test('takes requests that an IAM principal signed, where nothing else is said', () => {
    assertAllResources(dev, 'AWS::ApiGatewayV2::Route', { AuthorizationType: 'AWS_IAM' });
    expect(dev.resources('AWS::ApiGatewayV2::Authorizer')).toEqual(new Map());
  });

  test("takes an issuer's tokens where the environment names one", () => {
    const others = [...prod.resources('AWS::ApiGatewayV2::Route').values()]
      .filter(({ Properties }) => Properties['AuthorizationType'] !== 'JWT')
      .map(({ Properties }) => Properties['RouteKey']);
    const files = ['/', '/console.js', '/console.css', '/console-config.json', '/chunks/{file}'];
    expect(others).toEqual([
      ...files.map((path) => `GET ${path}`),
      // The one leads to the page, which ends what was begun; the other is public by its nature.
      'GET /oauth/callback',
      'GET /oauth/client.json',
      // Their addresses are all that it takes to use them.
      'GET /answer/{token}',
      'POST /answer/{token}',
    ]);
    assertResource(prod, 'AWS::ApiGatewayV2::Route', {
      RouteKey: '$default',
      AuthorizationScopes: ['cadre/run'],
    });
    assertResource(prod, 'AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      JwtConfiguration: { Audience: ['cadre'], Issuer: 'https://login.example.org' },
    });
  });

  test('has a permission of its own for answering questions: a route, and for tokens a scope', () => {
    const RouteKey = 'POST /runs/{id}/questions/{question}/answer';
    expect(RouteKey).toBe(
      `${OPERATIONS.answerQuestion.method.toUpperCase()} ${OPERATIONS.answerQuestion.path}`,
    );
    assertResource(dev, 'AWS::ApiGatewayV2::Route', { RouteKey, AuthorizationType: 'AWS_IAM' });
    assertResource(prod, 'AWS::ApiGatewayV2::Route', { RouteKey, AuthorizationScopes: ['cadre/answer'] });
    assertResource(prod, 'AWS::ApiGatewayV2::Route', {
      RouteKey: 'GET /questions',
      AuthorizationScopes: ['cadre/run', 'cadre/answer'],
    });
  });

  test('has a permission of its own for adding to budgets', () => {
    const RouteKey = 'POST /runs/{id}/budget';
    expect(RouteKey).toBe(`${OPERATIONS.addBudget.method.toUpperCase()} ${OPERATIONS.addBudget.path}`);
    assertResource(dev, 'AWS::ApiGatewayV2::Route', { RouteKey, AuthorizationType: 'AWS_IAM' });
    assertResource(prod, 'AWS::ApiGatewayV2::Route', { RouteKey, AuthorizationScopes: ['cadre/budget'] });
  });

  test('has those who follow runs served by a function of their own, and counted by themselves', () => {
    const integrations = new Map(
      [...prod.resources('AWS::ApiGatewayV2::Integration')].map(([id, { Properties }]) => [
        `integrations/${readable({ Ref: id })}`,
        readable(Properties['IntegrationUri']),
      ]),
    );
    const served = [...prod.resources('AWS::ApiGatewayV2::Route').values()].map(({ Properties }) => [
      Properties['RouteKey'],
      integrations.get(String(readable(Properties['Target']))),
    ]);
    const following = served.filter(([, uri]) => uri === '<FunctionsWatch.Arn>').map(([route]) => route);
    expect(following).toEqual([
      'GET /runs/{id}/events',
      'GET /runs/{id}/tree/events',
      'GET /runs/{id}/writing/events',
    ]);
    expect(Object.fromEntries(served)).toMatchObject({
      $default: '<FunctionsApi.Arn>',
      'GET /questions': '<FunctionsApi.Arn>',
    });
  });

  test('takes 50 requests a second, and 100 at once; of those who follow runs more, which are counted apart', () => {
    // A second stage would have no limits.
    const [, { Properties }] = only(dev.resources('AWS::ApiGatewayV2::Stage'));
    expect(Properties).toMatchObject({
      StageName: '$default',
      DefaultRouteSettings: { ThrottlingBurstLimit: 100, ThrottlingRateLimit: 50 },
      RouteSettings: Object.fromEntries(
        ['events', 'tree/events', 'writing/events'].map((path) => [
          `GET /runs/{id}/${path}`,
          { ThrottlingBurstLimit: 200, ThrottlingRateLimit: 200 },
        ]),
      ),
    });
  });
});

test('the function that asks models, and no other, knows the providers of the settings', () => {
  const variable = 'CADRE_PROVIDERS';
  assertResource(prod, 'AWS::Lambda::Function', {
    FunctionName: 'cadre-prod-turn',
    Environment: { Variables: { [variable]: JSON.stringify(PROVIDERS) } },
  });
  for (const [stack, name] of [
    [dev, 'cadre-dev-turn'],
    [prod, 'cadre-prod-api'],
    [prod, 'cadre-prod-tool'],
  ] as const) {
    assertResource(stack, 'AWS::Lambda::Function', {
      FunctionName: name,
      Environment: { Variables: { [variable]: Match.absent() } },
    });
  }
});

describe('the doors for clients of OpenAI and MCP', () => {
  test('are not there unless the environment says so', () => {
    expect(dev.resources('AWS::Lambda::Url')).toEqual(new Map());
  });

  const invokersOf = (stack: Synthesised) =>
    [...stack.resources('AWS::Lambda::Permission').values()]
      .filter(({ Properties: given }) => readable(given['FunctionName']) === '<FunctionsDoors.Arn>')
      .map(({ Properties: given }) => ({ ...given, FunctionName: undefined }));
  const urlOf = (stack: Synthesised) => {
    const [, { Properties }] = only(stack.resources('AWS::Lambda::Url'));
    return { ...Properties, TargetFunctionArn: readable(Properties['TargetFunctionArn']) };
  };
  const URL = { InvokeMode: 'RESPONSE_STREAM', TargetFunctionArn: '<FunctionsDoors.Arn>' };

  test('stream their answers to callers that sign requests, and are closed to all others', async () => {
    const signed = await synthesise('dev', {
      agents: { plain: 'name = "plain"\nmodel = "offline/extractive"\n' },
      settings: { doors: true },
    });
    expect(urlOf(signed)).toEqual({ AuthType: 'AWS_IAM', ...URL });
    expect(invokersOf(signed)).toEqual([]);
    assertResource(signed, 'AWS::Lambda::Function', {
      FunctionName: 'cadre-dev-doors',
      Environment: { Variables: { CADRE_DOOR_TOKENS: Match.absent() } },
    });
  });

  test('take the tokens that the API takes, which they check themselves, as anybody may invoke them by their address', () => {
    expect(urlOf(prod)).toEqual({ AuthType: 'NONE', ...URL });
    expect(invokersOf(prod)).toEqual([
      { Action: 'lambda:InvokeFunctionUrl', Principal: '*', FunctionUrlAuthType: 'NONE' },
      { Action: 'lambda:InvokeFunction', Principal: '*', InvokedViaFunctionUrl: true },
    ]);
    assertResource(prod, 'AWS::Lambda::Function', {
      FunctionName: 'cadre-prod-doors',
      Environment: {
        Variables: {
          CADRE_ADMIN_SCOPES: 'cadre/admin',
          CADRE_ISSUER: 'https://login.example.org',
          CADRE_DOOR_TOKENS: JSON.stringify({
            issuer: 'https://login.example.org',
            audience: ['cadre'],
            scopes: ['cadre/run'],
            answerScopes: ['cadre/answer'],
          }),
        },
      },
    });
  });

  test('last as long as a function can, and read what the API reads', () => {
    assertResource(prod, 'AWS::Lambda::Function', {
      FunctionName: 'cadre-prod-doors',
      Timeout: 900,
      Environment: {
        Variables: {
          CADRE_CONTROL: { Ref: Match.stringLikeRegexp('FunctionsControl') },
          CADRE_STATE_MACHINE: Match.anyValue(),
        },
      },
    });
  });

  test('are where the environment says that they are, in an output and to the command', () => {
    const url = '<FunctionsDoorsFunctionUrl.FunctionUrl>';
    expect(readable(prod.template.findOutputs('*')['DoorsUrl']?.['Value'])).toBe(url);
    const [, { Properties }] = only(prod.resources('AWS::SSM::Parameter'));
    expect(readable(Properties['Value'])).toContain(`"doorsUrl":"${url}"`);
  });
});

describe('the models that callers of the API may choose', () => {
  const models = 'CADRE_API_MODELS';

  test('are those of the settings, and none without them', () => {
    const variable = {
      Environment: { Variables: { [models]: 'openai/gpt-5,openai/gpt-5.1' } },
    };
    assertResource(prod, 'AWS::Lambda::Function', { FunctionName: 'cadre-prod-api', ...variable });
    assertResource(dev, 'AWS::Lambda::Function', {
      FunctionName: 'cadre-dev-api',
      Environment: { Variables: { [models]: Match.absent() } },
    });
  });
});

describe('a schedule', () => {
  test('starts the run of its tick, tries again, and ends in the dead letters', () => {
    const [queue] = only(prod.resources('AWS::SQS::Queue'));
    const [first] = prod.resources('AWS::Scheduler::Schedule').values();
    expect(first?.Properties).toMatchObject({
      Name: 'cadre-prod-daily',
      ScheduleExpression: 'cron(0 7 ? * MON-FRI *)',
      ScheduleExpressionTimezone: 'Europe/Berlin',
      State: 'ENABLED',
      Target: {
        Arn: { Ref: expect.stringMatching(/^SchedulesMachine/) },
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [queue, 'Arn'] } },
        RetryPolicy: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 20 },
      },
    });
    expect(first?.Properties['Target']).toHaveProperty(
      'Input',
      JSON.stringify({
        agent: 'daily',
        prompt: 'What happened yesterday?',
        time: '<aws.scheduler.scheduled-time>',
        prefix: 'daily',
        suffix: tickKey('daily'),
      }),
    );
  });

  test('has a machine that may start runs, and a role that may start the machine', () => {
    const start = { action: 'states:StartExecution' };
    const grants = (role: string) => prod.grantsOf(role).filter(({ resource }) => resource !== '*');
    const machine = 'arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:stateMachine:cadre-prod';
    expect(grants('SchedulesRole')).toEqual([
      { ...start, resource: machine },
      { action: 'lambda:InvokeFunction', resource: '<FunctionsControl.Arn>' },
    ]);
    expect(grants('SchedulesSchedulerRole')).toEqual([
      { ...start, resource: '<SchedulesMachine>' },
      { action: 'sqs:SendMessage', resource: '<DeadLettersQueue.Arn>' },
    ]);
  });

  test('has a name of 64 characters at most, one for each agent', () => {
    const [, ...long] = [...prod.resources('AWS::Scheduler::Schedule').values()].map(({ Properties }) =>
      String(Properties['Name']),
    );
    expect(long).toEqual([
      `cadre-prod-${'x'.repeat(44)}-${digestOf(`${'x'.repeat(63)}1`)}`,
      `cadre-prod-${'x'.repeat(44)}-${digestOf(`${'x'.repeat(63)}2`)}`,
      `cadre-prod-${'y'.repeat(53)}`,
    ]);
    expect(long.map((name) => name.length)).toEqual([64, 64, 64]);
  });

  test('is not made for agents without one, nor is what starts it', () => {
    expect(dev.resources('AWS::Scheduler::Schedule')).toEqual(new Map());
    expect(dev.resources('AWS::StepFunctions::StateMachine').size).toBe(3);
  });
});

describe('the environment', () => {
  test('publishes where it is to be found, in the form that the command reads', () => {
    const [, { Properties }] = only(dev.resources('AWS::SSM::Parameter'));
    expect(Properties['Name']).toBe('/cadre/dev');
    const value = v.parse(
      v.object({ 'Fn::Join': v.tuple([v.string(), v.array(v.unknown())]) }),
      Properties['Value'],
    );
    const text = value['Fn::Join'][1].map((part) => (typeof part === 'string' ? part : 'x')).join('');
    expect(v.safeParse(Deployment, JSON.parse(text)).success).toBe(true);
  });

  test('notifies the address of an environment that names one', () => {
    expect(dev.resources('AWS::SNS::Subscription')).toEqual(new Map());
    assertResource(prod, 'AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'somebody@example.org',
    });
  });

  test('lets turns call the models and guardrails on Bedrock that its agents name, those in every Region of their profile', () => {
    const models = ({ grantsOf }: Synthesised) =>
      grantsOf('FunctionsTurnPartsRole').filter(({ action }) => action.startsWith('bedrock:'));
    expect(models(dev)).toEqual([]);
    const model = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
    const resources = [
      `arn:<AWS::Partition>:bedrock:<AWS::Region>:<AWS::AccountId>:inference-profile/eu.${model}`,
      `arn:<AWS::Partition>:bedrock:*::foundation-model/${model}`,
    ];
    const guardrail = 'arn:<AWS::Partition>:bedrock:<AWS::Region>:<AWS::AccountId>:guardrail/abc123';
    expect(models(prod)).toEqual([
      ...['bedrock:CountTokens', 'bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'].flatMap(
        (action) => resources.map((resource) => ({ action, resource })),
      ),
      { action: 'bedrock:ApplyGuardrail', resource: guardrail },
    ]);
  });

  test('says in its outputs where the API, the keys and the files are, and what tells of alarms', () => {
    expect(
      Object.fromEntries(
        Object.entries(dev.template.findOutputs('*')).map(([name, output]) => [
          name,
          readable(output['Value']),
        ]),
      ),
    ).toEqual({
      AlarmTopic: '<AlarmsTopic>',
      ApiUrl: '<ApiHttpApi.ApiEndpoint>',
      KeysSecret: '<ProviderKeysSecret>',
      PageTopic: '<AlarmsPages>',
      Workspace: 's3://<StoreBucket>/workspace/',
    });
  });

  test('keeps secrets for servers apart from the keys of models, and only where an agent has servers', () => {
    const readers = (stack: Synthesised, secret: string) =>
      ['Open', 'Turn', 'Tool', 'Settle', 'Api', 'Notify', 'Telemetry'].filter((name) =>
        stack.grantsOf(`Functions${name}PartsRole`).some(({ resource }) => resource === secret),
      );
    expect([readers(dev, '<ProviderKeysSecret>'), readers(dev, '<ServerSecretsSecret>')]).toEqual([
      ['Turn'],
      [],
    ]);
    expect([readers(prod, '<ProviderKeysSecret>'), readers(prod, '<ServerSecretsSecret>')]).toEqual([
      ['Turn'],
      ['Open', 'Tool'],
    ]);
    expect(readers(prod, '<NotifySecret>')).toEqual(['Notify']);
    expect(readers(prod, '<TelemetrySecret>')).toEqual(['Telemetry']);
    expect(dev.resources('AWS::SecretsManager::Secret').size).toBe(1);
    expect(prod.resources('AWS::SecretsManager::Secret').size).toBe(5);
  });

  test('has a key for sign-ins that nobody has chosen, which those read who use tokens or have them made', () => {
    const readers = [...prod.resources('AWS::IAM::Role').keys()].filter((role) =>
      prod.grantsOf(role).some(({ resource }) => resource === '<LoginsKeySecret>'),
    );
    expect(readers.map((role) => /^Functions(\w+)PartsRole/.exec(role)?.[1])).toEqual([
      'Open',
      'Tool',
      'Api',
    ]);
    assertResource(prod, 'AWS::SecretsManager::Secret', {
      GenerateSecretString: {
        SecretStringTemplate: '{}',
        GenerateStringKey: 'key',
        PasswordLength: 64,
        ExcludePunctuation: true,
      },
    });
  });

  test('gives the key for web search to the function of calls alone, and to none where nobody searches', async () => {
    const searching = await synthesise('dev', {
      agents: { searcher: 'name = "searcher"\nmodel = "offline/extractive"\ntools = ["web_search"]\n' },
      settings: { webSearch: { provider: 'tavily' } },
    });
    const may = (name: string) =>
      searching
        .grantsOf(`Functions${name}PartsRole`)
        .filter(({ resource }) => resource === '<ServerSecretsSecret>')
        .map(({ action }) => action);
    expect(['Open', 'Turn', 'Tool', 'Api', 'Control'].map(may)).toEqual([
      [],
      [],
      ['secretsmanager:GetSecretValue'],
      [],
      [],
    ]);
    assertResource(searching, 'AWS::Lambda::Function', {
      FunctionName: 'cadre-dev-tool',
      Environment: { Variables: { CADRE_WEB_SEARCH: '{"provider":"tavily"}' } },
    });
    const byModel = await synthesise('dev', {
      agents: {
        searcher: 'name = "searcher"\nmodel = "anthropic/claude-sonnet-4-5"\ntools = ["web_search"]\n',
      },
      settings: { webSearch: { provider: 'model' } },
    });
    assertResource(byModel, 'AWS::Lambda::Function', {
      FunctionName: 'cadre-dev-open',
      Environment: { Variables: { CADRE_WEB_SEARCH: '{"provider":"model"}' } },
    });
    await expect(synthesise('dev', { settings: { webSearch: { provider: 'searxng' } } })).rejects.toThrow(
      'environment "dev", webSearch: searxng has no usual place: set the url of a server',
    );
    await expect(
      synthesise('dev', { settings: { webSearch: { provider: 'brave', apiKey: 'sk-1234' } } }),
    ).rejects.toThrow(
      'CadreEnvironment.webSearch.apiKey: expected a secret by its name, such as ${TAVILY_API_KEY}',
    );
  });

  test('names no partition of AWS, so that it can be deployed in all of them', () => {
    for (const { template } of [dev, prod]) expect(JSON.stringify(template.toJSON())).not.toMatch(/arn:aws/);
  });
});

describeAlarms(() => prod);
describePermissions(() => prod);
