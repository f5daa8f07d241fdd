import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventField, Rule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { CadreEnvironment, type CadreEnvironmentProps } from '../../infra/index.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { inspect, readable, testApp } from './synthesise.ts';

const PLAIN = 'name = "plain"\nmodel = "offline/extractive"\n';
const SCHEDULED = `${PLAIN}[schedule]\nrate = "1 day"\n`;
const CALLER = `${PLAIN}[[functions]]
name = "weather"
description = "Tells the weather"
file = "tools/weather.ts"
[[functions]]
name = "stock"
description = "Tells what is in stock"
function = "stock"
`;
const MODULE = 'export const handler = () => 1;';

/** An app with one stack, and the props that every environment in it has. */
async function openApp(files: Record<string, string> = {}): Promise<{
  stack: Stack;
  props: { environment: string; agentsFolder: string };
}> {
  const folder = await tempFolder({ 'agents/plain.toml': PLAIN, ...files });
  const stack = new Stack(testApp(folder), 'shop');
  return { stack, props: { environment: 'dev', agentsFolder: join(folder, 'agents') } };
}

/** A stack with one environment. */
async function withEnvironment(change: Partial<CadreEnvironmentProps> = {}, files?: Record<string, string>) {
  const { stack, props } = await openApp(files);
  const cadre = new CadreEnvironment(stack, 'Cadre', { ...props, ...change });
  return { stack, cadre };
}

/** What in a stack has a name that no other in the account and Region may have. */
function namesIn(stack: Stack): string[] {
  const { template } = inspect(stack);
  const NAMES = /^(?!(?:Policy|Metric|Display|Stage)Name$).*Name$/;
  return Object.values(template.toJSON()['Resources']).flatMap((resource) => {
    const { Type, Properties = {} } = v.parse(
      v.object({ Type: v.string(), Properties: v.optional(v.record(v.string(), v.unknown())) }),
      resource,
    );
    return Object.entries(Properties).flatMap(([key, value]) =>
      NAMES.test(key) && typeof value === 'string' ? [`${Type} ${value}`] : [],
    );
  });
}

describe('an environment in a stack of an app', () => {
  test('retains data, for 90 days of runs and 30 of logs, unless it is told otherwise', async () => {
    const { stack } = await withEnvironment();
    const { resources, template } = inspect(stack);
    expect([...resources('AWS::DynamoDB::Table').values()][0]).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    expect(JSON.stringify(template.toJSON())).toContain('\\"keepDays\\":90');
    expect(resources('AWS::CloudWatch::Dashboard').size).toBe(0);
  });

  test('is tagged, and its resources named, for the environment', async () => {
    const { stack } = await withEnvironment({ tags: { team: 'shop' }, verify: true });
    const { resources } = inspect(stack);
    const [table] = resources('AWS::DynamoDB::Table').values();
    expect(table?.Properties['Tags']).toEqual([
      { Key: 'cadre:environment', Value: 'dev' },
      { Key: 'team', Value: 'shop' },
    ]);
    expect(
      namesIn(stack).filter((name) => !/ \/?(?:aws\/vendedlogs\/states\/)?cadre[-/]dev/.test(name)),
    ).toEqual([]);
  });

  test('keeps logs for as long as it is told', async () => {
    const { stack } = await withEnvironment({ logRetention: RetentionDays.TWO_YEARS });
    inspect(stack).template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 731 });
  });

  test('has its functions in a VPC, in which Lambda may make interfaces and their code may not', async () => {
    const { stack, props } = await openApp({ 'agents/plain.toml': CALLER, 'tools/weather.ts': MODULE });
    const vpc = Vpc.fromVpcAttributes(stack, 'Vpc', {
      vpcId: 'vpc-1',
      availabilityZones: ['a', 'b'],
      privateSubnetIds: ['subnet-1', 'subnet-2'],
    });
    const group = new SecurityGroup(stack, 'Group', { vpc });
    new CadreEnvironment(stack, 'Cadre', { ...props, vpc, securityGroups: [group] });
    const { resources } = inspect(stack);
    const ours = [...resources('AWS::Lambda::Function').values()]
      .map(({ Properties }) => Properties)
      .filter(({ FunctionName }) => FunctionName !== undefined);
    expect(ours).toHaveLength(7);
    for (const { VpcConfig } of ours) {
      expect(VpcConfig).toEqual({
        SubnetIds: ['subnet-1', 'subnet-2'],
        SecurityGroupIds: [{ 'Fn::GetAtt': [expect.stringMatching('^Group'), 'GroupId'] }],
      });
    }
    const INTERFACES = expect.arrayContaining(['ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface']);
    const ofTurn = [...resources('AWS::IAM::Policy')].find(([id]) =>
      id.startsWith('CadreFunctionsTurnParts'),
    );
    expect(ofTurn?.[1].Properties['PolicyDocument']).toMatchObject({
      Statement: expect.arrayContaining([
        { Effect: 'Allow', Action: INTERFACES, Resource: '*' },
        {
          Effect: 'Deny',
          Action: INTERFACES,
          Resource: '*',
          Condition: {
            ArnEquals: {
              'lambda:SourceFunctionArn': {
                'Fn::Join': [
                  '',
                  [
                    'arn:',
                    { Ref: 'AWS::Partition' },
                    ':lambda:',
                    { Ref: 'AWS::Region' },
                    ':',
                    { Ref: 'AWS::AccountId' },
                    ':function:cadre-dev-turn',
                  ],
                ],
              },
            },
          },
        },
      ]),
    });
  });

  test('encrypts with a key of the app, which its functions may use', async () => {
    const { stack, props } = await openApp();
    new CadreEnvironment(stack, 'Cadre', { ...props, encryptionKey: new Key(stack, 'Key') });
    const { grantsOf, template } = inspect(stack);
    const arn = { 'Fn::GetAtt': [expect.stringMatching('^Key'), 'Arn'] };
    expect(Object.values(template.findResources('AWS::DynamoDB::Table'))[0]).toMatchObject({
      Properties: { SSESpecification: { SSEType: 'KMS', KMSMasterKeyId: arn } },
    });
    expect(Object.values(template.findResources('AWS::SecretsManager::Secret'))[0]).toMatchObject({
      Properties: { KmsKeyId: arn },
    });
    expect(grantsOf('CadreFunctionsTurn')).toContainEqual({ action: 'kms:Decrypt', resource: '<Key.Arn>' });
  });

  test.each([true, false])('bounds every role that comes with it: retained data %s', async (retainData) => {
    const { stack, props } = await openApp({ 'agents/plain.toml': SCHEDULED });
    const boundary = 'arn:aws:iam::123456789012:policy/boundary';
    const cadre = new CadreEnvironment(stack, 'Cadre', {
      ...props,
      retainData,
      verify: true,
      permissionsBoundary: ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', boundary),
    });
    cadre.addEventTarget(new Rule(stack, 'Rule', { eventPattern: { source: ['shop'] } }), {
      agent: 'plain',
      prompt: 'go',
    });
    const roles = [...inspect(stack).resources('AWS::IAM::Role')];
    expect(roles.length).toBeGreaterThan(9);
    expect(
      roles.filter(([, { Properties }]) => Properties['PermissionsBoundary'] !== boundary).map(([id]) => id),
    ).toEqual([]);
  });
});

describe('two environments', () => {
  const files = { 'agents/plain.toml': SCHEDULED, 'agents/caller.toml': CALLER, 'tools/weather.ts': MODULE };
  const full = { dashboard: true, verify: true, retainData: false };

  test.each([
    ['of two names', { environment: 'dev' }, { environment: 'prod' }],
    ['of two prefixes', { prefix: 'shop' }, { prefix: 'crm' }],
    ['with a prefix and without', {}, { prefix: 'crm' }],
  ])('%s are in one stack without a name in common', async (_, one, other) => {
    const { stack, props } = await openApp(files);
    new CadreEnvironment(stack, 'One', { ...props, ...full, ...one });
    new CadreEnvironment(stack, 'Other', { ...props, ...full, ...other });
    const names = namesIn(stack);
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const exported = Object.values(inspect(stack).template.findOutputs('*')).filter(({ Export }) => Export);
    expect(exported).toEqual([]);
  });

  test('of the same name in one stack are refused before anything is deployed', async () => {
    const { stack, props } = await openApp();
    new CadreEnvironment(stack, 'One', props);
    expect(() => new CadreEnvironment(stack, 'Other', { ...props, prefix: 'cadre' })).toThrow(
      'stack shop has an environment "dev" already: give one of them another prefix',
    );
  });

  test('with prefixes are told apart by their functions, parameters and metrics', async () => {
    const { stack } = await withEnvironment({ prefix: 'crm', dashboard: true }, files);
    const { resources, template } = inspect(stack);
    const [parameter] = resources('AWS::SSM::Parameter').values();
    expect(parameter?.Properties['Name']).toBe('/crm/dev');
    template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'crm-dev-turn',
      Environment: { Variables: { CADRE_ENVIRONMENT: 'crm/dev' } },
    });
    expect(JSON.stringify(template.toJSON())).toContain('environment=\\\\\\"crm/dev\\\\\\"');
  });
});

describe('what is exposed', () => {
  test('is what a stack needs to work with it', async () => {
    const { stack, cadre } = await withEnvironment(
      {},
      { 'agents/caller.toml': CALLER, 'tools/weather.ts': MODULE },
    );
    const exposed = {
      machine: cadre.machine.stateMachineArn,
      name: cadre.environmentName,
      table: cadre.table.tableName,
      bucket: cadre.bucket.bucketName,
      api: cadre.api.apiId,
      stage: cadre.apiStage.stageName,
      weather: cadre.functions['weather']?.functionArn,
      turn: cadre.handlers.turn.functionArn,
      keys: cadre.keysSecret.secretArn,
      alarms: cadre.alarmTopic.topicArn,
    };
    expect(
      Object.fromEntries(
        Object.entries(exposed).map(([name, value]) => [name, readable(stack.resolve(value))]),
      ),
    ).toEqual({
      machine: '<CadreConversationMachine>',
      name: 'dev',
      table: '<CadreStoreTable>',
      bucket: '<CadreStoreBucket>',
      api: '<CadreApiHttpApi>',
      stage: '$default',
      weather: '<CadreUserFunctionsweather.Arn>',
      turn: '<CadreFunctionsTurn.Arn>',
      keys: '<CadreProviderKeysSecret>',
      alarms: '<CadreAlarmsTopic>',
    });
    expect(Object.keys(cadre.functions)).toEqual(['weather']);
  });

  test('lets somebody start runs and nothing else', async () => {
    expect(await granted((cadre, role) => cadre.grantStart(role))).toEqual([
      'ssm:GetParameter on arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter<CadreDeployment>',
      'dynamodb:PutItem on <CadreStoreTable.Arn>',
      's3:PutObject on <CadreStoreBucket.Arn>/runs/*',
      'states:StartExecution on <CadreConversationMachine>',
    ]);
  });

  test('lets somebody read runs and nothing else', async () => {
    expect(await granted((cadre, role) => cadre.grantRead(role))).toEqual([
      'ssm:GetParameter on arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter<CadreDeployment>',
      'dynamodb:GetItem on <CadreStoreTable.Arn>',
      'dynamodb:Query on <CadreStoreTable.Arn>',
      's3:GetObject on <CadreStoreBucket.Arn>/runs/*',
      'states:DescribeExecution on arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:cadre-dev:*',
    ]);
  });

  test('lets either use the key with which runs are encrypted', async () => {
    for (const grant of ['grantStart', 'grantRead'] as const) {
      const grants = await granted((cadre, role) => cadre[grant](role), true);
      expect(grants).toContain('kms:GenerateDataKey on <Key.Arn>');
    }
  });
});

/** What a role may do after a grant. */
async function granted(
  grant: (cadre: CadreEnvironment, role: Role) => unknown,
  isEncrypted = false,
): Promise<string[]> {
  const { stack, props } = await openApp();
  const key = isEncrypted ? { encryptionKey: new Key(stack, 'Key') } : {};
  const role = new Role(stack, 'Somebody', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  grant(new CadreEnvironment(stack, 'Cadre', { ...props, ...key }), role);
  return inspect(stack)
    .grantsOf('Somebody')
    .map(({ action, resource }) => `${action} on ${resource}`);
}

describe('functions of the app', () => {
  const files = { 'agents/caller.toml': CALLER, 'tools/weather.ts': MODULE };
  const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:shop-stock-1A2B';

  test('are called by the names that agents have for them, whatever they are called in the account', async () => {
    const { stack, props } = await openApp(files);
    const stock = LambdaFunction.fromFunctionArn(stack, 'Stock', ARN);
    new CadreEnvironment(stack, 'Cadre', { ...props, functions: { stock } });
    const { grantsOf, template } = inspect(stack);
    template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'cadre-dev-tool',
      Environment: { Variables: { CADRE_FUNCTIONS: JSON.stringify({ stock: ARN }) } },
    });
    const invoked = grantsOf('CadreFunctionsTool').filter(({ action }) => action === 'lambda:InvokeFunction');
    expect(invoked.map(({ resource }) => resource)).toEqual(['<CadreUserFunctionsweather.Arn>', ARN]);
  });

  test('that no agent names are not opened to agents', async () => {
    const { stack, props } = await openApp();
    const stock = LambdaFunction.fromFunctionArn(stack, 'Stock', ARN);
    new CadreEnvironment(stack, 'Cadre', { ...props, functions: { stock } });
    expect(JSON.stringify(inspect(stack).template.toJSON())).not.toContain(ARN);
  });
});

describe('an event', () => {
  const target = async (props: Parameters<CadreEnvironment['addEventTarget']>[1]) => {
    const { stack, cadre } = await withEnvironment();
    const rule = new Rule(stack, 'Rule', { eventPattern: { source: ['shop.orders'] } });
    cadre.addEventTarget(rule, props);
    const { grantsOf, resources } = inspect(stack);
    const found = resources('AWS::Events::Rule').get('Rule4C995B7F')?.Properties['Targets'];
    return { targets: found, grants: grantsOf('CadreConversationMachineEventsRole') };
  };

  test('starts an agent, which reads the event', async () => {
    const { targets, grants } = await target({ agent: 'plain', prompt: 'Look at this order' });
    expect(targets).toEqual([
      {
        Id: expect.any(String),
        Arn: { Ref: expect.stringMatching('^CadreConversationMachine') },
        RoleArn: expect.anything(),
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
    expect(grants).toEqual([{ action: 'states:StartExecution', resource: '<CadreConversationMachine>' }]);
  });

  test('can be what an agent is asked', async () => {
    const { targets } = await target({
      agent: 'plain',
      prompt: `Review ${EventField.fromPath('$.detail.url')}`,
      context: 'Be brief.',
    });
    expect(targets).toMatchObject([
      {
        InputTransformer: {
          InputTemplate: '{"agent":"plain","prompt":"Review <detail-url>","context":"Be brief."}',
        },
      },
    ]);
  });

  test('cannot start an agent that is not deployed', async () => {
    await expect(target({ agent: 'plian', prompt: 'go' })).rejects.toThrow(
      'agent "plian" is not deployed, so no event can start it; did you mean "plain"?',
    );
  });
});

describe('synthesis', () => {
  test('stops at once where agents are wrong, with file, line and column of all of them', async () => {
    const files = {
      'agents/a.toml': 'name = "a"\nmodel = \n',
      'agents/b.toml': `${PLAIN}sub_agents = ["plian"]\n`,
    };
    const { stack, props } = await openApp(files);
    const where = props.agentsFolder;
    expect(() => new CadreEnvironment(stack, 'Cadre', props)).toThrow(
      [
        `failed to parse agent config "a": ${where}/a.toml:2:9: expected a value after "="`,
        `${where}/b.toml:3:15: agent config not found: plian; did you mean "plain"?`,
      ].join('\n'),
    );
  });

  test('stops where there are no agents to be found', async () => {
    const { stack, props } = await openApp();
    const agentsFolder = `${props.agentsFolder}/none`;
    expect(() => new CadreEnvironment(stack, 'Cadre', { ...props, agentsFolder })).toThrow(
      `failed to read agents folder ${agentsFolder}: there is no such file or folder`,
    );
  });

  test('takes agents from any folder, with the skills in it and beside it', async () => {
    const folder = await tempFolder({
      'bots/a.toml': `${PLAIN}skill = "bots/kind.md"\n`,
      'bots/kind.md': 'Be kind.',
      'bots/b.toml': `${PLAIN}skill = "brief"\n`,
      'skills/brief/SKILL.md': 'Be brief.',
      'bots/c.toml': `${PLAIN}skill = "agents/kind.md"\n`,
      'agents/kind.md': 'Be kind.',
    });
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

  test('tells what is odd about agents as warnings of CDK', async () => {
    const { stack } = await withEnvironment({}, { 'agents/plain.toml': `${PLAIN}colour = "red"\n` });
    expect(
      Annotations.fromStack(stack)
        .findWarning('*', Match.anyValue())
        .map(({ entry }) => String(entry.data)),
    ).toEqual([expect.stringMatching(/agents\/plain\.toml:3:1: .*colour/)]);
  });

  test.each([
    [
      { environment: undefined },
      'CadreEnvironment.environment: expected a name such as "dev", got undefined',
    ],
    [{ environment: 'Dev' }, 'invalid environment name "Dev": use at most 32 lower-case letters'],
    [{ prefix: 'my-shop' }, 'invalid prefix "my-shop": use 2 to 16 lower-case letters and digits'],
    [{ prefix: 'awsome' }, 'invalid prefix "awsome": use 2 to 16 lower-case letters and digits'],
    [{ turnConcurrency: -1 }, 'CadreEnvironment.turnConcurrency: expected at least 0, got -1'],
    [{ runDays: 0.5 }, 'CadreEnvironment.runDays: expected a whole number, got 0.5'],
    [
      { providers: { acme: { baseUrl: 'acme.example' } } },
      'CadreEnvironment.providers.acme.baseUrl: expected an http or https URL, got "acme.example"',
    ],
  ])('refuses props that TypeScript lets pass: %o', async (change, message) => {
    const { stack, props } = await openApp();
    const wrong: object = { ...props, ...change };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- programs without types, and context of cdk.json, can pass anything
    expect(() => new CadreEnvironment(stack, 'Cadre', wrong as CadreEnvironmentProps)).toThrow(message);
  });
});

test('an environment of several stages has the functions of each', async () => {
  const { props } = await openApp();
  const app = new App();
  for (const account of ['111111111111', '222222222222']) {
    const stack = new Stack(app, `shop-${account}`, { env: { account, region: 'eu-central-1' } });
    new CadreEnvironment(stack, 'Cadre', props);
  }
  expect(app.node.children).toHaveLength(2);
});
