import { CreateTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { runAgent } from '../../src/doors/cli/commands/run.ts';
import { dynamoDbClient, startDynamoDb } from '../fixtures/dynamodb.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { nightlyTest } from '../fixtures/nightly.ts';

// A project of one's own: the example of docs/construct.md, with the construct as it is built.

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const TSX = join(root, 'node_modules/tsx/dist/loader.mjs');

/** The exports of the package, with the sources of their types. */
const PACKAGE = {
  name: 'cadre',
  type: 'module',
  exports: { './cdk': { types: './infra/index.ts', default: './dist/cdk/index.js' } },
};
/** As `cdk init` makes it, and what the construct's sources need, which stand in for its declarations. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2024'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    exactOptionalPropertyTypes: true,
  },
  include: ['infra', 'tools'],
};

/** The files of the example, each of which stands in a block behind its name. */
async function exampleFiles(): Promise<Record<string, string>> {
  const text = await readFile(join(root, 'docs/construct.md'), 'utf8');
  const blocks = text.matchAll(/^`([\w/]+\.\w+)`[^`]*?:\n\n```\w+\n(.*?)^```$/gms);
  return Object.fromEntries([...blocks].map(([, path = '', content = '']) => [path, content]));
}

async function exampleProject(change: Record<string, string> = {}): Promise<string> {
  const installed = ['@aws-sdk', '@types', 'aws-cdk-lib', 'constructs', 'valibot'];
  return tempFolder({
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify(TSCONFIG),
    'node_modules/cadre/package.json': JSON.stringify(PACKAGE),
    'node_modules/cadre/dist': { linkTo: join(root, 'dist') },
    'node_modules/cadre/infra': { linkTo: join(root, 'infra') },
    ...Object.fromEntries(
      installed.map((name) => [`node_modules/${name}`, { linkTo: join(root, 'node_modules', name) }]),
    ),
    ...(await exampleFiles()),
    ...change,
  });
}

/** Runs its app as the command of CDK does, but for the rules that every template is held to. */
function synthesise(project: string) {
  const env = {
    ...process.env,
    CDK_OUTDIR: join(project, 'cdk.out'),
    CDK_VALIDATION: 'false',
    NODE_NO_WARNINGS: '1',
  };
  return run(process.execPath, ['--import', TSX, 'infra/app.ts'], { cwd: project, env });
}

const Resources = v.record(
  v.string(),
  v.object({ Type: v.string(), Properties: v.optional(v.record(v.string(), v.unknown()), {}) }),
);

nightlyTest('the example is five files, and has no mistake in its types', async () => {
  expect(Object.keys(await exampleFiles())).toEqual([
    'agents/orders.toml',
    'tools/stock.ts',
    'starter/index.mjs',
    'infra/app.ts',
    'cdk.json',
  ]);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', await exampleProject()]);
  expect(stdout).toBe('');
});

test('the example is synthesised: queue, tool, table, event and domain work with the environment', async () => {
  const project = await exampleProject();
  await synthesise(project);
  const text = await readFile(join(project, 'cdk.out/shop-dev.template.json'), 'utf8');
  const resources = Object.entries(v.parse(v.object({ Resources }), JSON.parse(text)).Resources);
  const find = (type: string, prefix: string) =>
    resources.find(([id, { Type }]) => Type === type && id.startsWith(prefix))?.[1].Properties;
  const machine = { 'Fn::Join': ['', expect.arrayContaining([':stateMachine:cadre-dev'])] };

  expect(find('AWS::Lambda::Function', 'CadreUserFunctionsstock')).toMatchObject({
    FunctionName: 'cadre-dev-fn-stock',
    Environment: { Variables: { ARTICLES: { Ref: expect.stringMatching('^Articles') } } },
  });
  expect(find('AWS::IAM::Policy', 'CadreUserFunctionsstockParts')).toMatchObject({
    PolicyDocument: {
      Statement: expect.arrayContaining([
        expect.objectContaining({ Action: expect.arrayContaining(['dynamodb:GetItem']) }),
      ]),
    },
  });
  expect(find('AWS::Lambda::Function', 'Starter')).toMatchObject({
    Environment: { Variables: { MACHINE: machine } },
  });
  expect(find('AWS::IAM::Policy', 'StarterServiceRole')).toMatchObject({
    PolicyDocument: {
      Statement: expect.arrayContaining([
        { Effect: 'Allow', Action: 'states:StartExecution', Resource: machine },
      ]),
    },
  });
  expect(find('AWS::Events::Rule', 'Returned')).toMatchObject({ Targets: [{ Arn: machine }] });
  expect(find('AWS::ApiGatewayV2::ApiMapping', 'Mapping')).toMatchObject({
    ApiId: { Ref: expect.stringMatching('^CadreApiHttpApi') },
    Stage: '$default',
  });
});

test('the tool of the example runs on this machine, against a table at the endpoint of the user', async () => {
  const table = await startDynamoDb();
  onTestFinished(() => table.close());
  const client = dynamoDbClient(table.endpoint);
  onTestFinished(() => client.destroy());
  await client.send(
    new CreateTableCommand({
      TableName: 'articles',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  const Item = { id: { S: 'A1' }, pieces: { N: '3' } };
  await client.send(new PutItemCommand({ TableName: 'articles', Item }));
  const turns = [{ calls: [{ name: 'stock', arguments: { article: 'A1' } }] }, { text: '{{results}}' }];
  const project = await exampleProject({
    'scripts/orders.json': JSON.stringify({ conversations: [{ turns }] }),
    'home/.aws/config': `[default]\nservices = here\n[services here]\ndynamodb =\n  endpoint_url = ${table.endpoint}\n`,
    'home/.aws/credentials': '[default]\naws_access_key_id = test\naws_secret_access_key = test\n',
  });
  const io = recordedIo(project, { env: { HOME: join(project, 'home') } });
  const options = { prompt: 'Is A1 there?', model: 'scripted/scripts/orders.json' };
  expect([await runAgent('orders', options, io), io.out]).toEqual([0, '{"article":"A1","pieces":3}']);
});

test('a mistake in an agent stops the app with file, line and column, and without a stack trace', async () => {
  const project = await exampleProject({ 'agents/wrong.toml': 'name = "wrong"\nmodel = 5\n' });
  const failed = synthesise(project);
  await expect(failed).rejects.toMatchObject({
    stderr: expect.stringContaining('agents/wrong.toml:2:9: model must be a string, got 5'),
  });
  await expect(failed).rejects.not.toMatchObject({ stderr: expect.stringMatching(/^ +at /m) });
});

test('CommonJS can load the construct', async () => {
  const project = await exampleProject();
  const script = "process.stdout.write(typeof require('cadre/cdk').CadreEnvironment)";
  const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', script], { cwd: project });
  expect(stdout).toBe('function');
});
