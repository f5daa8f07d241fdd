import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventField, Rule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CadreEnvironment, type CadreEnvironmentProps } from '../../infra/index.ts';
import { makeFolder, tempFolder } from '../fixtures/temp-folder.ts';
import { inspect, readable, type Synthesised, testApp } from './synthesise.ts';
import { nightlyTest } from '../fixtures/nightly.ts';

const PLAIN = 'name = "plain"\nmodel = "offline/extractive"\n';
const SCHEDULED = `${PLAIN}[schedule]\ncron = "0 7 ? * MON-FRI *"\n`;
const WEATHER = `[[functions]]
name = "weather"
description = "Tells the weather"
file = "tools/weather.ts"
`;
const CALLER = `${PLAIN}${WEATHER}[[functions]]
name = "stock"
description = "Tells what is in stock"
function = "stock"
`;
const NODE = Runtime.NODEJS_24_X;
const MODULE = 'export const handler = () => 1;';
const MACHINE = 'arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:stateMachine:cadre-dev';
const STOCK = 'arn:aws:lambda:eu-central-1:123456789012:function:shop-stock-1A2B';
const PAGER = 'arn:aws:sns:eu-central-1:123456789012:pager';
const BOUNDARY = 'arn:aws:iam::123456789012:policy/boundary';

interface Made {
  stack: Stack;
  cadre: CadreEnvironment;
  found: Synthesised;
  warnings: unknown[];
}

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

/** A stack with one environment and its users. */
async function make(
  files: Record<string, string>,
  propsIn: (stack: Stack) => Partial<CadreEnvironmentProps>,
  use: (cadre: CadreEnvironment, stack: Stack) => void = () => {},
): Promise<Made> {
  const folder = await makeFolder(files);
  folders.push(folder);
  const stack = new Stack(testApp(folder), 'shop');
  const agentsFolder = join(folder, 'agents');
  const cadre = new CadreEnvironment(stack, 'Cadre', { environment: 'dev', agentsFolder, ...propsIn(stack) });
  const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
  cadre.grantStart(new Role(stack, 'Starter', { assumedBy }));
  cadre.grantRead(new Role(stack, 'Reader', { assumedBy }));
  const eventPattern = { source: ['shop.orders'] };
  cadre.addEventTarget(new Rule(stack, 'Reads', { eventPattern }), {
    agent: 'plain',
    prompt: 'Look at this order',
  });
  cadre.addEventTarget(new Rule(stack, 'Asks', { eventPattern }), {
    agent: 'plain',
    prompt: `Review ${EventField.fromPath('$.detail.url')}`,
    context: 'Be brief.',
  });
  use(cadre, stack);
  const warnings = Annotations.fromStack(stack).findWarning('*', Match.anyValue());
  return { stack, cadre, found: inspect(stack), warnings: warnings.map(({ entry }) => entry.data) };
}

const stockOf = (stack: Stack) => ({ stock: LambdaFunction.fromFunctionArn(stack, 'Stock', STOCK) });

/** With no more props than it has to have. */
let plain: Made;
/** With every prop about its surroundings. */
let full: Made;
beforeAll(async () => {
  plain = await make(
    {
      'agents/plain.toml': `${PLAIN}models = ["offline/extractive"]
`,
    },
    () => ({}),
  );
  full = await make(
    { 'agents/plain.toml': SCHEDULED, 'agents/caller.toml': CALLER, 'tools/weather.ts': MODULE },
    (stack) => {
      const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
        vpcId: 'vpc-1',
        availabilityZones: ['a', 'b'],
        privateSubnetIds: ['subnet-1', 'subnet-2'],
      });
      return {
        functions: stockOf(stack),
        tags: { team: 'shop' },
        logRetention: RetentionDays.TWO_YEARS,
        vpc,
        securityGroups: [new SecurityGroup(stack, 'Group', { vpc })],
        encryptionKey: new Key(stack, 'Key'),
        permissionsBoundary: ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', BOUNDARY),
        retainData: false,
        verify: true,
        dashboard: true,
      };
    },
  );
});

describe('an environment in a stack of an app', () => {
  test('has tools that start and read runs, are told its machine, and use a table of the app', async () => {
    const given: LambdaFunction[] = [];
    // A template whose resources depend on each other in a circle is refused.
    const { found } = await make(
      { 'agents/plain.toml': PLAIN, 'agents/caller.toml': CALLER, 'tools/weather.ts': MODULE },
      (app) => {
        const code = Code.fromInline('exports.handler = () => 1;');
        const stock = new LambdaFunction(app, 'Stock', { code, handler: 'index.handler', runtime: NODE });
        given.push(stock);
        return { functions: { stock } };
      },
      (cadre, stack) => {
        const partitionKey = { name: 'id', type: AttributeType.STRING };
        const articles = new Table(stack, 'Articles', { partitionKey });
        for (const each of [...given, ...Object.values(cadre.functions)]) {
          cadre.grantStart(each);
          cadre.grantRead(each);
          cadre.machine.grantStartExecution(each);
          articles.grantReadWriteData(each);
          each.addEnvironment('MACHINE', cadre.machine.stateMachineArn);
        }
      },
    );
    for (const role of ['Stock', 'CadreUserFunctionsweather']) {
      const start = { action: 'states:StartExecution', resource: MACHINE };
      expect(found.grantsOf(role)).toEqual(expect.arrayContaining([start]));
    }
  });

  test('takes no function that none of its agents names', async () => {
    const files = { 'agents/plain.toml': PLAIN, 'agents/caller.toml': CALLER, 'tools/weather.ts': MODULE };
    const made = make(files, (stack) => {
      const functions = stockOf(stack);
      return { functions: { ...functions, stok: functions.stock } };
    });
    await expect(made).rejects.toThrow(
      'CadreEnvironment.functions["stok"]: no deployed agent has function = "stok" in [[functions]]; did you mean "stock"?',
    );
  });

  test('retains data, for 90 days of runs and 30 of logs, unless it is told otherwise', () => {
    const { resources, template } = plain.found;
    expect([...resources('AWS::DynamoDB::Table').values()]).toMatchObject([
      { DeletionPolicy: 'Retain', Properties: { DeletionProtectionEnabled: true } },
    ]);
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    expect(JSON.stringify(template.toJSON())).toContain('\\"keepDays\\":90');
    expect(resources('AWS::CloudWatch::Dashboard').size).toBe(0);
  });

  test('keeps logs for as long as it is told', () => {
    const groups = [...full.found.resources('AWS::Logs::LogGroup').values()];
    expect(new Set(groups.map(({ Properties }) => Properties['RetentionInDays']))).toEqual(new Set([731]));
  });

  test('is tagged, and its resources named, for the environment', () => {
    const [table] = full.found.resources('AWS::DynamoDB::Table').values();
    expect(table?.Properties['Tags']).toEqual([
      { Key: 'cadre:environment', Value: 'dev' },
      { Key: 'team', Value: 'shop' },
    ]);
    const names = namesIn(full.found).map((name) => name.slice(name.indexOf(' ') + 1));
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !/^(?:\/aws\/vendedlogs\/states\/)?\/?cadre[-/]dev/.test(name))).toEqual(
      [],
    );
  });

  test('has its functions in a VPC, in which Lambda may make interfaces and their code may not', () => {
    const ours = [...full.found.resources('AWS::Lambda::Function').values()]
      .map(({ Properties }) => Properties)
      .filter(({ FunctionName }) => FunctionName !== undefined);
    expect(ours).toHaveLength(9);
    for (const { VpcConfig } of ours) {
      expect(VpcConfig).toEqual({
        SubnetIds: ['subnet-1', 'subnet-2'],
        SecurityGroupIds: [{ 'Fn::GetAtt': [expect.stringMatching('^Group'), 'GroupId'] }],
      });
    }
    const Action = expect.arrayContaining(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']);
    const arn = [
      'arn:',
      'AWS::Partition',
      ':lambda:',
      'AWS::Region',
      ':',
      'AWS::AccountId',
      ':function:cadre-dev-turn',
    ];
    const turn = { 'Fn::Join': ['', arn.map((part) => (part.startsWith('AWS') ? { Ref: part } : part))] };
    const [, policy] =
      [...full.found.resources('AWS::IAM::Policy')].find(([id]) => id.startsWith('CadreFunctionsTurn')) ?? [];
    expect(policy?.Properties['PolicyDocument']).toMatchObject({
      Statement: expect.arrayContaining([
        { Effect: 'Allow', Action, Resource: '*' },
        {
          Effect: 'Deny',
          Action,
          Resource: '*',
          Condition: { ArnEquals: { 'lambda:SourceFunctionArn': turn } },
        },
      ]),
    });
  });

  test('encrypts with a key of the app, which its functions and users of runs may use', () => {
    const { grantsOf, template } = full.found;
    const arn = { 'Fn::GetAtt': [expect.stringMatching('^Key'), 'Arn'] };
    expect(Object.values(template.findResources('AWS::DynamoDB::Table'))).toMatchObject([
      { Properties: { SSESpecification: { SSEType: 'KMS', KMSMasterKeyId: arn } } },
    ]);
    expect(Object.values(template.findResources('AWS::SecretsManager::Secret'))).toMatchObject([
      { Properties: { KmsKeyId: arn } },
    ]);
    for (const role of ['CadreFunctionsTurn', 'Starter', 'Reader']) {
      expect(grantsOf(role)).toContainEqual({ action: 'kms:GenerateDataKey', resource: '<Key.Arn>' });
    }
  });

  test('bounds every role that comes with it', () => {
    const roles = [...full.found.resources('AWS::IAM::Role')].filter(([id]) => !/^(Starter|Reader)/.test(id));
    expect(roles.length).toBeGreaterThan(9);
    const unbound = roles.filter(([, { Properties }]) => Properties['PermissionsBoundary'] !== BOUNDARY);
    expect(unbound.map(([id]) => id)).toEqual([]);
  });

  test('exposes what a stack needs to work with it', () => {
    const { cadre, stack } = full;
    const exposed = {
      name: cadre.environmentName,
      machine: cadre.machine.stateMachineArn,
      table: cadre.table.tableName,
      bucket: cadre.bucket.bucketName,
      api: cadre.api.apiId,
      stage: cadre.apiStage.stageName,
      turn: cadre.handlers.turn.functionArn,
      keys: cadre.keysSecret.secretArn,
      alarms: cadre.alarmTopic.topicArn,
      ...Object.fromEntries(
        Object.entries(cadre.functions).map(([name, { functionArn }]) => [name, functionArn]),
      ),
    };
    expect(
      Object.fromEntries(
        Object.entries(exposed).map(([name, value]) => [name, readable(stack.resolve(value))]),
      ),
    ).toEqual({
      name: 'dev',
      machine: MACHINE,
      table: '<CadreStoreTable>',
      bucket: '<CadreStoreBucket>',
      api: '<CadreApiHttpApi>',
      stage: '$default',
      turn: '<CadreFunctionsTurn.Arn>',
      keys: '<CadreProviderKeysSecret>',
      alarms: '<CadreAlarmsTopic>',
      weather: '<CadreUserFunctionsweather.Arn>',
    });
  });
});

describe('a grant', () => {
  const granted = (role: string) =>
    plain.found.grantsOf(role).map(({ action, resource }) => `${action} on ${resource}`);

  test('lets a principal start runs and nothing else', () => {
    expect(granted('Starter')).toEqual([
      'ssm:GetParameter on arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter<CadreDeployment>',
      'dynamodb:GetItem on <CadreStoreTable.Arn>',
      'dynamodb:PutItem on <CadreStoreTable.Arn>',
      's3:PutObject on <CadreStoreBucket.Arn>/runs/*',
      'states:DescribeExecution on arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:cadre-dev:*',
      `states:StartExecution on ${MACHINE}`,
    ]);
  });

  test('lets a principal read runs and nothing else', () => {
    expect(granted('Reader')).toEqual([
      'ssm:GetParameter on arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter<CadreDeployment>',
      'dynamodb:GetItem on <CadreStoreTable.Arn>',
      'dynamodb:Query on <CadreStoreTable.Arn>',
      's3:GetObject on <CadreStoreBucket.Arn>/runs/*',
      'states:DescribeExecution on arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:cadre-dev:*',
    ]);
  });
});

test('a function takes from the app what refers to a secret, and what it has in place of what is written', async () => {
  const env = 'env = { KEY = "${WEATHER_KEY}", TABLE = "stations" }\n';
  const folder = await tempFolder({
    'agents/a.toml': `name = "a"\nmodel = "offline/extractive"\n${WEATHER}${env}`,
    'tools/weather.ts': MODULE,
  });
  const stack = new Stack(testApp(folder), 'shop');
  const agentsFolder = join(folder, 'agents');
  const { functions } = new CadreEnvironment(stack, 'Cadre', { environment: 'dev', agentsFolder });
  const secret = Secret.fromSecretNameV2(stack, 'Secret', 'shop/weather');
  functions['weather']?.addEnvironment('KEY', secret.secretValueFromJson('key').unsafeUnwrap());
  functions['weather']?.addEnvironment('TABLE', 'shop-stations');
  const made = [...inspect(stack).resources('AWS::Lambda::Function').values()]
    .map(({ Properties }) => v.parse(Configured, Properties))
    .filter(({ FunctionName }) => FunctionName === 'cadre-dev-fn-weather');
  expect(
    made.map(({ Environment: { Variables } }) => [readable(Variables['KEY']), Variables['TABLE']]),
  ).toEqual([
    [
      '{{resolve:secretsmanager:arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:shop/weather:SecretString:key::}}',
      'shop-stations',
    ],
  ]);
});

const Configured = v.looseObject({
  FunctionName: v.unknown(),
  Environment: v.optional(v.object({ Variables: v.record(v.string(), v.unknown()) }), { Variables: {} }),
});

describe('functions of the app', () => {
  test("are called by their agents' names for them, under any name in the account", () => {
    const { grantsOf, resources } = full.found;
    const [tool] = [...resources('AWS::Lambda::Function').values()]
      .filter(({ Properties }) => Properties['FunctionName'] === 'cadre-dev-tool')
      .map(({ Properties }) => v.parse(Configured, Properties));
    const known = readable(tool?.Environment.Variables['CADRE_FUNCTIONS']);
    expect(known).toBe(
      JSON.stringify({ stock: STOCK, 'fn-weather': '<CadreUserFunctionsweatherCurrentVersion.Version>' }),
    );
    const invoked = grantsOf('CadreFunctionsTool').filter(({ action }) => action === 'lambda:InvokeFunction');
    expect(invoked.map(({ resource }) => resource)).toEqual([
      '<CadreUserFunctionsweather.Arn>',
      '<CadreUserFunctionsweather.Arn>:*',
      STOCK,
    ]);
  });

  test('that no agent names are not opened to agents', () => {
    expect(JSON.stringify(plain.found.template.toJSON())).not.toContain(STOCK);
  });
});

describe('an event', () => {
  const targetOf = (rule: string) => {
    const found = [...plain.found.resources('AWS::Events::Rule')].find(([id]) => id.startsWith(rule));
    return found?.[1].Properties['Targets'];
  };

  test('starts an agent, which reads the event', () => {
    expect(targetOf('Reads')).toEqual([
      {
        Id: expect.any(String),
        Arn: expect.toSatisfy((arn) => readable(arn) === MACHINE),
        RoleArn: { 'Fn::GetAtt': [expect.stringMatching('^CadreConversationMachineEventsRole'), 'Arn'] },
        DeadLetterConfig: { Arn: { 'Fn::GetAtt': [expect.stringMatching('^CadreDeadLettersQueue'), 'Arn'] } },
        RetryPolicy: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 20 },
        InputTransformer: {
          InputPathsMap: {
            source: '$.source',
            'detail-type': '$.detail-type',
            time: '$.time',
            detail: '$.detail',
          },
          InputTemplate:
            '{"agent":"plain","prompt":"Look at this order","context":{"source":<source>,"type":<detail-type>,"time":<time>,"detail":<detail>}}',
        },
      },
    ]);
    expect(plain.found.grantsOf('CadreConversationMachineEventsRole')).toEqual([
      { action: 'states:StartExecution', resource: MACHINE },
    ]);
  });

  test('can be what an agent is asked', () => {
    expect(targetOf('Asks')).toMatchObject([
      {
        InputTransformer: {
          InputTemplate: '{"agent":"plain","prompt":"Review <detail-url>","context":"Be brief."}',
        },
      },
    ]);
  });

  test('cannot start an agent that is not deployed', async () => {
    const rule = new Rule(new Stack(testApp(await tempFolder()), 'other'), 'Rule', {
      eventPattern: { source: ['shop'] },
    });
    expect(() => plain.cadre.addEventTarget(rule, { agent: 'plian', prompt: 'go' })).toThrow(
      'agent "plian" is not deployed, so no event can start it; did you mean "plain"?',
    );
  });
});

/** The resources whose names no other in the account and Region may have, with their types. */
function namesIn({ template }: Synthesised): string[] {
  const NAMES = /^(?!(?:Policy|Metric|Display|Stage)Name$).*Name$/;
  const Resource = v.object({
    Type: v.string(),
    Properties: v.optional(v.record(v.string(), v.unknown()), {}),
  });
  const resources = v.parse(v.record(v.string(), Resource), template.toJSON()['Resources']);
  return Object.values(resources).flatMap(({ Type, Properties }) =>
    Object.entries(Properties).flatMap(([key, value]) =>
      NAMES.test(key) && typeof value === 'string' ? [`${Type} ${value}`] : [],
    ),
  );
}

describe('several environments', () => {
  nightlyTest('of different names or prefixes are in one stack without a name in common', async () => {
    const folder = await tempFolder({
      'agents/plain.toml': SCHEDULED,
      'agents/caller.toml': CALLER,
      'tools/weather.ts': MODULE,
    });
    const stack = new Stack(testApp(folder), 'shop');
    const props = { agentsFolder: join(folder, 'agents'), dashboard: true, verify: true, retainData: false };
    new CadreEnvironment(stack, 'Dev', { ...props, environment: 'dev' });
    new CadreEnvironment(stack, 'Prod', { ...props, environment: 'prod' });
    new CadreEnvironment(stack, 'Crm', { ...props, environment: 'dev', prefix: 'crm' });
    expect(
      () => new CadreEnvironment(stack, 'Again', { ...props, environment: 'dev', prefix: 'cadre' }),
    ).toThrow('stack shop has an environment "dev" already: give one of them another prefix');
    stack.node.tryRemoveChild('Again');

    const found = inspect(stack);
    const names = namesIn(found);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(Object.values(found.template.findOutputs('*')).filter(({ Export }) => Export)).toEqual([]);
    expect(names).toContain('AWS::SSM::Parameter /crm/dev');
    found.template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'crm-dev-turn',
      Environment: { Variables: { CADRE_ENVIRONMENT: 'crm/dev' } },
    });
    // The dashboard's search, by what metrics are told apart.
    expect(JSON.stringify(found.template.toJSON())).toContain('environment=\\\\\\"crm/dev\\\\\\"');
  });

  test('of one name are in several accounts of one app', async () => {
    const folder = await tempFolder({ 'agents/plain.toml': PLAIN });
    const app = testApp(folder);
    const accounts = ['111111111111', '222222222222'].map((account) => {
      const stack = new Stack(app, `shop-${account}`, { env: { account, region: 'eu-central-1' } });
      new CadreEnvironment(stack, 'Cadre', { environment: 'dev', agentsFolder: join(folder, 'agents') });
      return stack;
    });
    const [one, other] = accounts.map((stack) => namesIn(inspect(stack)));
    expect(one).toEqual(other);
  });
});

describe('synthesis', () => {
  /** Of a project with these files. */
  async function synthesising(files: Record<string, string>, change: object = {}) {
    const folder = await tempFolder(files);
    const agentsFolder = join(folder, 'agents');
    return {
      folder,
      start: () =>
        new CadreEnvironment(new Stack(testApp(folder), 'shop'), 'Cadre', {
          environment: 'dev',
          agentsFolder,
          ...change,
        }),
    };
  }

  test('stops at once where agents are wrong, with file, line and column of all of them', async () => {
    const { folder, start } = await synthesising({
      'agents/a.toml': 'name = "a"\nmodel = \n',
      'agents/b.toml': `${PLAIN}sub_agents = ["plian"]\n`,
      'agents/plain.toml': PLAIN,
    });
    expect(start).toThrow(
      [
        `failed to parse agent config "a": ${folder}/agents/a.toml:2:9: expected a value after "="`,
        `${folder}/agents/b.toml:3:15: agent config not found: plian; did you mean "plain"?`,
      ].join('\n'),
    );
  });

  test('stops where there are no agents to be found', async () => {
    const { folder, start } = await synthesising({});
    expect(start).toThrow(`failed to read agents folder ${folder}/agents: there is no such file or folder`);
  });

  test('takes agents from any folder, with the skills in it and beside it', async () => {
    const files = {
      'bots/a.toml': `${PLAIN}skill = "bots/kind.md"\n`,
      'bots/kind.md': 'Be kind.',
      'bots/b.toml': `${PLAIN}skill = "brief"\n`,
      'skills/brief/SKILL.md': 'Be brief.',
      'bots/c.toml': `${PLAIN}skill = "agents/kind.md"\n`,
      'agents/kind.md': 'Be kind.',
    };
    const { folder } = await synthesising(files);
    const make = (localAgents: string[]) =>
      new CadreEnvironment(new Stack(testApp(folder), 'shop'), 'Cadre', {
        environment: 'dev',
        agentsFolder: join(folder, 'bots'),
        localAgents,
      });
    expect(() => make(['c'])).not.toThrow();
    expect(() => make([])).toThrow(
      'c.toml:3:9: skill agents/kind.md is not deployed: only bots/ and skills/ are',
    );
  });

  test('tells what is odd about agents as warnings of CDK', () => {
    expect(plain.warnings).toEqual([
      expect.stringMatching(/agents\/plain\.toml:3:1: models has no effect /),
      expect.stringMatching(
        /^environment "dev" tells nobody of its alarms: set alarmEmail or alarmTopic, or /,
      ),
    ]);
  });

  test.each([{ alarmEmail: 'somebody@example.org' }, { alarms: 'none' as const }])(
    'warns of no alarms where somebody is told, or nobody is to be: %o',
    async (props) => {
      const { warnings } = await make({ 'agents/plain.toml': PLAIN }, () => props);
      expect(warnings).toEqual([]);
    },
  );

  test.each<[number, Partial<CadreEnvironmentProps>]>([
    [1, { jwt: { issuer: 'https://login.example.org', audience: ['cadre'] } }],
    [0, { jwt: { issuer: 'https://login.example.org', audience: ['cadre'] }, apiConcurrency: 10 }],
    [0, {}],
  ])('warns of doors that anybody can invoke as often as they like: %d, %o', async (count, props) => {
    const { warnings } = await make({ 'agents/plain.toml': PLAIN }, () => ({ doors: true, ...props }));
    const found = warnings.filter((warning) =>
      String(warning).startsWith('anybody can invoke the doors of environment "dev"'),
    );
    expect(found).toHaveLength(count);
  });

  test('keeps runs and files where the app says, and makes neither table nor bucket then', async () => {
    const { cadre, found } = await make({ 'agents/plain.toml': PLAIN }, (stack) => ({
      table: Table.fromTableName(stack, 'Restored', 'restored'),
      bucket: Bucket.fromBucketName(stack, 'Copied', 'copied'),
    }));
    expect([cadre.table.tableName, cadre.bucket.bucketName]).toEqual(['restored', 'copied']);
    for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket']) {
      expect(found.resources(type)).toEqual(new Map());
    }
    const resources = (action: string) =>
      found.grantsOf('CadreFunctionsTurn').flatMap((each) => (each.action === action ? [each.resource] : []));
    expect([...resources('dynamodb:PutItem'), ...resources('s3:PutObject')]).toEqual([
      'arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/restored',
      'arn:<AWS::Partition>:s3:::copied/runs/*',
    ]);
  });

  test("tells the app's topics of alarms, where it is given any, and makes none", async () => {
    const { cadre, found, warnings } = await make({ 'agents/plain.toml': PLAIN }, (stack) => ({
      alarmTopic: new Topic(stack, 'Mail', { enforceSSL: true }),
      pageTopic: Topic.fromTopicArn(stack, 'Pager', PAGER),
    }));
    expect(warnings).toEqual([]);
    expect(cadre.pageTopic.topicArn).toBe(PAGER);
    expect([...found.resources('AWS::SNS::Topic').keys()]).toEqual([expect.stringMatching(/^Mail/)]);
    const actions = (type: string) =>
      [...found.resources(type).values()].map(({ Properties }) => Properties['AlarmActions']);
    expect(new Set(actions('AWS::CloudWatch::Alarm').map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify([{ Ref: [...found.resources('AWS::SNS::Topic').keys()][0] }])]),
    );
    expect(actions('AWS::CloudWatch::CompositeAlarm')).toEqual([[PAGER]]);
    expect(JSON.stringify([...found.resources('AWS::SNS::TopicPolicy').values()])).toContain(
      'cloudwatch.amazonaws.com',
    );
  });

  test.each([
    [
      { environment: undefined },
      'CadreEnvironment.environment: expected a name such as "dev", got undefined',
    ],
    [{ environment: 'Dev' }, 'invalid environment name "Dev": use at most 32 lower-case letters'],
    [{ prefix: 'my-shop' }, 'invalid prefix "my-shop": use 2 to 16 lower-case letters and digits'],
    [{ prefix: 'awsome' }, 'invalid prefix "awsome": use 2 to 16 lower-case letters and digits'],
    [{ retaindata: false }, 'CadreEnvironment.retaindata: unknown key, did you mean "retainData"?'],
    [{ jwt: { isuer: 'x' } }, 'CadreEnvironment.jwt.isuer: unknown key, did you mean "jwt.issuer"?'],
    [
      { localAgents: 'plain' },
      'CadreEnvironment.localAgents: expected a list of the names of agents, got "plain"',
    ],
    [{ agentFolder: 'agents' }, 'CadreEnvironment.agentFolder: unknown key, did you mean "agentsFolder"?'],
    [{ turnConcurrency: -1 }, 'CadreEnvironment.turnConcurrency: expected at least 0, got -1'],
    [{ runDays: 0.5 }, 'CadreEnvironment.runDays: expected a whole number, got 0.5'],
    [
      { providers: { acme: { baseUrl: 'acme.example' } } },
      'CadreEnvironment.providers.acme.baseUrl: expected an http or https URL, got "acme.example"',
    ],
  ])('refuses props that TypeScript lets pass: %o', async (change, message) => {
    const { start } = await synthesising({ 'agents/plain.toml': PLAIN }, change);
    expect(start).toThrow(message);
  });

  test('tells a fault in props without the place in the bundle that found it', async () => {
    const { start } = await synthesising({ 'agents/plain.toml': PLAIN }, { retaindata: false });
    const stack = 'ConfigError: CadreEnvironment.retaindata: unknown key, did you mean "retainData"?';
    expect(start).toThrow(expect.objectContaining({ stack }));
  });
});
