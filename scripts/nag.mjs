// Holds the template, with all of its options, to the rules of cdk-nag's pack "AWS Solutions". Each finding that stays is
// here with its reason; a reason for what is not found any more is a fault, too.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import cdk from '../cdk.json' with { type: 'json' };
import { CadreStack } from '../infra/cadre-stack.ts';

const STARS = 'AwsSolutions-IAM5';
const RUNS = "keys of runs' texts are made from their content: only the folder is known";
const FILES = 'agents name files by themselves: only the folder is known';
const VERSIONS = 'executions under way call the version that their definition names';

const REASONS = new Map([
  ['AwsSolutions-SQS3', 'this queue is where dead letters end'],
  ['AwsSolutions-SMG4', 'keys of providers are made and changed at the provider, not by us'],
  ['AwsSolutions-APIG4', 'an answer link is all that it takes to answer the question that it was made for'],
  [
    'AwsSolutions-SF1',
    'only errors are logged: the history has every event, and X-Ray and the functions log the rest',
  ],
  [
    `${STARS}[Resource::*]`,
    'tracing (xray:Put…) and the delivery of logs of state machines take no narrower resource',
  ],
  [`${STARS}[Resource::<StoreBucket.Arn>/runs/*]`, RUNS],
  [`${STARS}[Resource::<StoreBucket.Arn>/workspace/*]`, FILES],
  [`${STARS}[Resource::<StoreBucket.Arn>/workspace@*]`, FILES],
  [
    `${STARS}[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:cadre-nag:*]`,
    'the executions of one machine, whose names are those of runs',
  ],
  ...['Open', 'Turn', 'Tool', 'Control', 'Settle', 'Batch'].map((name) => [
    `${STARS}[Resource::<Functions${name}.Arn>:*]`,
    VERSIONS,
  ]),
]);

const found = new Set(
  // CDK ends the ids of resources in a digest.
  findings().map((name) => name.replace(/[0-9A-F]{8}(?=[.>])/g, '')),
);
for (const name of found) {
  if (!REASONS.has(name)) fail(`${name}: mend it, or give the reason why it stays in scripts/nag.mjs`);
}
for (const name of REASONS.keys()) {
  if (!found.has(name)) fail(`${name} is not found any more: take its reason out of scripts/nag.mjs`);
}

function findings() {
  const outdir = mkdtempSync(join(tmpdir(), 'cadre-nag-'));
  try {
    const app = new App({ outdir });
    new CadreStack(app, 'nag', {
      environment: 'nag',
      agentsFolder: join(import.meta.dirname, '../agents'),
      localAgents: cdk.context.localAgents,
      alarms: 'none',
      accessLogs: true,
      doors: true,
      telemetry: { endpoint: 'https://xray.eu-central-1.amazonaws.com' },
      notify: { webhook: 'https://hooks.example.com', secret: '${SIGN}', mail: 'somebody@example.org' },
      verify: true,
      ask: { notify: 'somebody@example.org' },
    });
    return new AwsSolutionsChecks().validateScope(app).violations.map(({ ruleName }) => ruleName);
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

function fail(message) {
  console.error(`cdk-nag: ${message}`);
  process.exitCode = 1;
}
