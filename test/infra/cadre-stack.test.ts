import { Match } from 'aws-cdk-lib/assertions';
import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import conversation from '../../infra/conversation.asl.json' with { type: 'json' };
import { tickKey } from '../../src/runs/run-id.ts';
import { Deployment } from '../../src/deployment.ts';
import { describePermissions } from './permissions-contract.ts';
import { synthesise, type Synthesised } from './synthesise.ts';

const SCHEDULED = `name = "daily"
model = "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
[schedule]
cron = "0 7 ? * MON-FRI *"
timezone = "Europe/Berlin"
prompt = "What happened yesterday?"
`;

let dev: Synthesised;
let prod: Synthesised;

beforeAll(async () => {
  dev = await synthesise('dev', { agents: { plain: 'name = "plain"\nmodel = "offline/extractive"\n' } });
  prod = await synthesise('prod', {
    agents: { daily: SCHEDULED },
    settings: {
      alarmEmail: 'somebody@example.org',
      dashboard: true,
      jwt: { issuer: 'https://login.example.org', audience: ['cadre'] },
    },
  });
});

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

  test('is a bucket that nobody reaches from outside, without TLS or unencrypted, and that forgets texts of runs', () => {
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
    assertResource(dev, 'AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: 's3:*',
            Principal: { AWS: '*' },
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    });
  });

  test.each([
    ['AWS::DynamoDB::Table'],
    ['AWS::S3::Bucket'],
    ['AWS::SecretsManager::Secret'],
    ['AWS::Logs::LogGroup'],
  ])('goes with the stack in dev and stays in prod: %s', (type) => {
    const policies = ({ resources }: Synthesised) =>
      new Set([...resources(type).values()].map(({ DeletionPolicy }) => DeletionPolicy));
    expect([policies(dev), policies(prod)]).toEqual([new Set(['Delete']), new Set(['Retain'])]);
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
      ['api', 'open', 'settle', 'tool', 'turn'].map((name) => `cadre-dev-${name}`),
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

  test('end before whatever waits for them', () => {
    const timeouts = Object.fromEntries(
      ours(dev).map(({ FunctionName, Timeout }) => [
        String(FunctionName).slice('cadre-dev-'.length),
        Timeout,
      ]),
    );
    expect(timeouts).toEqual({ open: 55, turn: 900, tool: 300, settle: 55, api: 29 });
    expect(conversation.States.Open.TimeoutSeconds).toBe(60);
    expect(conversation.States['Record the failure'].TimeoutSeconds).toBe(60);
  });

  test('keep a part of the account for turns where the environment says so', () => {
    const reserved = (stack: Synthesised) =>
      ours(stack).flatMap(({ FunctionName, ReservedConcurrentExecutions: reserve }) =>
        reserve === undefined ? [] : [[FunctionName, reserve]],
      );
    expect([reserved(dev), reserved(prod)]).toEqual([[], [['cadre-prod-turn', 100]]]);
  });
});

describe('the machine', () => {
  test('runs the definition as it stands, with an ARN for each name in it', () => {
    const [, { Properties }] = only(dev.resources('AWS::StepFunctions::StateMachine'));
    expect(JSON.parse(String(Properties['DefinitionString']))).toEqual(conversation);
    const wanted = [...JSON.stringify(conversation).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    const given = v.parse(v.record(v.string(), v.unknown()), Properties['DefinitionSubstitutions']);
    expect(Object.keys(given)).toEqual(expect.arrayContaining([...new Set(wanted)]));
    for (const arn of Object.values(given))
      expect(arn).toEqual({ 'Fn::GetAtt': [expect.any(String), 'Arn'] });
  });

  test('is traced, and logs failures without what was said', () => {
    assertResource(dev, 'AWS::StepFunctions::StateMachine', {
      StateMachineName: 'cadre-dev',
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: { IncludeExecutionData: false, Level: 'ERROR' },
    });
  });

  // CDK makes neither timeouts nor retries for a definition from a file.
  test('has a timeout for itself and for every task, and retries what the services do wrong', () => {
    const tasks = [...tasksOf(conversation.States), ...tasksOf(conversation.States.Act.ItemProcessor.States)];
    expect(tasks.map(([name]) => name)).toEqual(['Open', 'Take turn', 'Record the failure', 'Run sub-agent']);
    for (const [, task] of tasks) {
      expect(task).toMatchObject({
        TimeoutSeconds: expect.anything(),
        Retry: expect.arrayContaining([
          expect.objectContaining({
            BackoffRate: 2,
            MaxAttempts: expect.any(Number),
            JitterStrategy: 'FULL',
          }),
        ]),
      });
    }
    expect(conversation.TimeoutSeconds).toBe(864_000);
  });

  test('may call its functions and itself, and stop what it started', () => {
    const itself = (resource: string) => ({
      'Fn::Join': ['', expect.arrayContaining([expect.stringContaining(resource)])],
    });
    const grants = dev.grantsOf('ConversationRole').filter(({ resource }) => resource !== '*');
    expect(grants).toEqual([
      {
        action: 'lambda:InvokeFunction',
        resource: ['Open', 'Turn', 'Tool', 'Settle'].map((name) => ({
          'Fn::GetAtt': [expect.stringContaining(`Functions${name}`), 'Arn'],
        })),
      },
      { action: 'states:StartExecution', resource: itself(':stateMachine:cadre-dev') },
      { action: 'states:DescribeExecution', resource: itself(':execution:cadre-dev:*') },
      { action: 'states:StopExecution', resource: itself(':execution:cadre-dev:*') },
      ...['events:DescribeRule', 'events:PutRule', 'events:PutTargets'].map((action) => ({
        action,
        resource: itself(':rule/StepFunctionsGetEventsForStepFunctionsExecutionRule'),
      })),
    ]);
  });
});

function tasksOf(states: Record<string, { Type: string }>) {
  return Object.entries(states).filter(([, { Type }]) => Type === 'Task');
}

describe('an execution that ends without an answer', () => {
  test('is told to settle, again and again, and ends in the dead letters if nothing helps', () => {
    const [queue] = only(dev.resources('AWS::SQS::Queue'));
    const arn = { 'Fn::GetAtt': [queue, 'Arn'] };
    assertResource(dev, 'AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [{ Ref: Match.stringLikeRegexp('Machine') }],
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
    assertResource(dev, 'AWS::Lambda::EventInvokeConfig', {
      DestinationConfig: { OnFailure: { Destination: arn } },
      MaximumEventAgeInSeconds: 21_600,
      MaximumRetryAttempts: 2,
    });
    assertResource(dev, 'AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 1,
      Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
      AlarmActions: [{ Ref: Match.stringLikeRegexp('Topic') }],
    });
  });
});

describe('the API', () => {
  test('takes requests that an IAM principal signed, where nothing else is said', () => {
    assertAllResources(dev, 'AWS::ApiGatewayV2::Route', { AuthorizationType: 'AWS_IAM' });
    expect(dev.resources('AWS::ApiGatewayV2::Authorizer')).toEqual(new Map());
  });

  test("takes an issuer's tokens where the environment names one", () => {
    assertAllResources(prod, 'AWS::ApiGatewayV2::Route', { AuthorizationType: 'JWT' });
    assertResource(prod, 'AWS::ApiGatewayV2::Authorizer', {
      AuthorizerType: 'JWT',
      JwtConfiguration: { Audience: ['cadre'], Issuer: 'https://login.example.org' },
    });
  });
});

describe('a schedule', () => {
  test('starts the run of its tick, tries again, and ends in the dead letters', () => {
    const [queue] = only(prod.resources('AWS::SQS::Queue'));
    const [, { Properties }] = only(prod.resources('AWS::Scheduler::Schedule'));
    expect(Properties).toMatchObject({
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
    expect(Properties['Target']).toHaveProperty(
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

  test('is not made for agents without one, nor is what starts it', () => {
    expect(dev.resources('AWS::Scheduler::Schedule')).toEqual(new Map());
    expect(dev.resources('AWS::StepFunctions::StateMachine').size).toBe(1);
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

  test('tells somebody of alarms where it names an address', () => {
    expect(dev.resources('AWS::SNS::Subscription')).toEqual(new Map());
    assertResource(prod, 'AWS::SNS::Subscription', {
      Protocol: 'email',
      Endpoint: 'somebody@example.org',
    });
  });

  test('lets turns call the models on Bedrock that its agents name, in every Region of their profile', () => {
    const models = ({ grantsOf }: Synthesised) =>
      grantsOf('FunctionsTurnPartsRole').filter(({ action }) => action.startsWith('bedrock:'));
    const partsOf = (text: string) => ({
      'Fn::Join': ['', expect.arrayContaining([expect.stringContaining(text)])],
    });
    expect(models(dev)).toEqual([]);
    expect(models(prod)).toEqual([
      {
        action: 'bedrock:InvokeModel',
        resource: [
          partsOf(':inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0'),
          partsOf(':bedrock:*::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0'),
        ],
      },
    ]);
  });
});

describePermissions(() => prod);
