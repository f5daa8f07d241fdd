import { beforeAll, expect, test } from 'vitest';
import { sandboxName } from '../../src/places/aws/sandbox/protocol.ts';
import { readable, synthesise, type Synthesised } from './synthesise.ts';

const agent = (name: string, sandbox: string) =>
  `name = "${name}"\nmodel = "offline/extractive"\ntools = ["run_command"]\n[sandbox]\nkind = "isolated"\n${sandbox}`;

const IMAGE = 'python:3.13-slim';
const OPEN = sandboxName({ network: true });
const IN_IMAGE = sandboxName({ network: true, image: IMAGE });
const IN_CLOSED_IMAGE = sandboxName({ network: false, image: IMAGE });

let made: Synthesised;
beforeAll(async () => {
  made = await synthesise('dev', {
    agents: {
      closed: agent('closed', ''),
      open: agent('open', 'network = true\n'),
      python: agent('python', `network = true\nimage = "${IMAGE}"\n`),
    },
    settings: { sandboxVpc: true },
  });
});

const functions = () =>
  new Map(
    [...made.resources('AWS::Lambda::Function').values()]
      .map(
        ({ Properties }) =>
          [String(Properties['FunctionName']).replace('cadre-dev-', ''), Properties] as const,
      )
      .filter(([name]) => name.startsWith('sandbox')),
  );

test('each sandbox that commands can run in is a function, with and without what callers may have less', () => {
  expect([...functions().keys()].sort()).toEqual(['sandbox', OPEN, IN_IMAGE, IN_CLOSED_IMAGE].sort());
});

test('they are apart by tree, last for 12 minutes, and are told nothing', () => {
  for (const properties of functions().values()) {
    expect(properties).toMatchObject({
      TenancyConfig: { TenantIsolationMode: 'PER_TENANT' },
      Timeout: 720,
      MemorySize: 2_048,
      EphemeralStorage: { Size: 4_096 },
    });
    expect(properties['Environment']).toEqual({
      Variables: {
        NODE_OPTIONS: '--enable-source-maps',
        CADRE_ENVIRONMENT: 'dev',
        CADRE_LOG_LEVEL: 'info',
      },
    });
    expect(properties).not.toHaveProperty('TracingConfig');
  }
});

test('their roles permit nothing; in a VPC, Lambda makes interfaces in their name', () => {
  const of = (name: string) => made.grantsOf(`Sandboxes${name.replace('-', '')}PartsRole`);
  expect([OPEN, IN_IMAGE].flatMap(of)).toEqual([]);
  const ofClosed = made.grantsOf('SandboxessandboxPartsRole');
  expect(ofClosed.filter(({ action }) => !action.startsWith('ec2:'))).toEqual([]);
});

test('the role for files is the tool function’s alone, and reaches files and no records', () => {
  const [files, ...others] = [...made.resources('AWS::IAM::Role')].filter(([id]) =>
    id.includes('SandboxesFiles'),
  );
  expect(others).toEqual([]);
  expect(files?.[1].Properties['AssumeRolePolicyDocument']).toMatchObject({
    Statement: [
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: {
          AWS: {
            'Fn::GetAtt': [
              expect.stringMatching(/^CadreFunctionsToolPartsRole|^FunctionsToolPartsRole/),
              'Arn',
            ],
          },
        },
      },
    ],
  });
  const prefixes = ['workspace/*', 'workspace@*', 'sandbox/*'];
  expect(made.grantsOf('SandboxesFiles')).toEqual([
    {
      action: 's3:ListBucket',
      resource: '<StoreBucket.Arn>',
      condition: { StringLike: { 's3:prefix': prefixes } },
    },
    ...['s3:DeleteObject', 's3:GetObject', 's3:PutObject'].flatMap((action) =>
      prefixes.map((prefix) => ({ action, resource: `<StoreBucket.Arn>/${prefix}` })),
    ),
  ]);
});

test('without a network, nothing leads out but to the bucket, not even a name', () => {
  for (const type of ['Route', 'InternetGateway', 'NatGateway', 'VPCGatewayAttachment']) {
    expect([...made.resources(`AWS::EC2::${type}`).keys()]).toEqual([]);
  }
  const [endpoint] = made.resources('AWS::EC2::VPCEndpoint').values();
  expect(endpoint?.Properties).toMatchObject({
    VpcEndpointType: 'Gateway',
    PolicyDocument: {
      Statement: [
        { Effect: 'Allow', Action: ['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject'] },
      ],
    },
  });
  const domains = [...made.resources('AWS::Route53Resolver::FirewallDomainList').values()].map(
    ({ Properties }) => [Properties['Domains']].flat().map(readable),
  );
  expect(domains).toEqual([['<StoreBucket.RegionalDomainName>', 's3.<AWS::Region>.<AWS::URLSuffix>'], ['*']]);
  const inVpc = [...functions()].filter(([, { VpcConfig }]) => VpcConfig !== undefined).map(([name]) => name);
  expect(inVpc.sort()).toEqual(['sandbox', IN_CLOSED_IMAGE].sort());
});

test('an image is one that the function is laid into', () => {
  const packages = [...functions()].map(([name, { PackageType }]) => [name, PackageType]);
  expect(Object.fromEntries(packages)).toMatchObject({
    [IN_IMAGE]: 'Image',
    [IN_CLOSED_IMAGE]: 'Image',
  });
  expect(functions().get('sandbox')).toMatchObject({ Runtime: 'nodejs24.x', Handler: 'index.handler' });
});

test('the tool function is told which function is which', () => {
  const [tool] = [...made.resources('AWS::Lambda::Function').values()].filter(
    ({ Properties }) => Properties['FunctionName'] === 'cadre-dev-tool',
  );
  expect(JSON.stringify(tool?.Properties['Environment'])).toContain('CADRE_SANDBOX');
});

test('an agent whose commands have no network is refused where there is no place without one', async () => {
  await expect(synthesise('dev', { agents: { closed: agent('closed', '') } })).rejects.toThrow(
    /agents\/closed\.toml:5:8: commands without a network run in a VPC without routes, and the environment has none: set its sandboxVpc, or network = true under \[sandbox\]$/,
  );
});
