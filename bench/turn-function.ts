import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import type { EnvironmentVariable } from '../src/environment.ts';
import { runNode } from './node-process.ts';
import { median, type Row } from './row.ts';

const PROCESSES = 11;

/** What a cold start of the turn function has to read beside the AWS SDK, which Lambda's runtime brings along. */
export async function measureTurnFunction(): Promise<Row[]> {
  const path = join(process.cwd(), 'dist/functions/turn/index.mjs');
  const bundle = await readFile(path, 'utf8');
  const times = importTimes(path, sdkPackagesOf(bundle));
  const time = { unit: ' ms', digits: 0, counts: 'least' } as const;
  return [
    {
      what: 'turn function: bundle, without the SDK',
      value: Buffer.byteLength(bundle) / 1024,
      unit: ' KB',
      digits: 0,
      atMost: 100,
      counts: 'most',
    },
    {
      ...time,
      what: 'turn function: import, without the SDK',
      value: median(times.map(({ own }) => own)),
      atMost: 40,
    },
    { ...time, what: 'turn function: import of the SDK', value: median(times.map(({ sdk }) => sdk)) },
  ];
}

/** What the bundle imports of the SDK, at once or later. */
function sdkPackagesOf(bundle: string): string[] {
  return [...new Set(bundle.match(/@aws-sdk\/[a-z0-9-]+(?=["'])/g))];
}

/** Milliseconds that a new process takes to import the packages, and then the bundle. */
function importTimes(path: string, packages: readonly string[]): { sdk: number; own: number }[] {
  const code = `
    const start = performance.now();
    ${packages.map((name) => `await import(${JSON.stringify(name)});`).join('\n')}
    const between = performance.now();
    await import(${JSON.stringify(pathToFileURL(path).href)});
    console.log(JSON.stringify({ sdk: between - start, own: performance.now() - between }));`;
  return Array.from({ length: PROCESSES }, () => {
    const { stdout } = runNode(['--input-type=module', '-e', code], { env: DEPLOYED });
    return v.parse(timesSchema, stdout);
  });
}

const DEPLOYED: Record<EnvironmentVariable | 'AWS_REGION', string> = {
  AWS_REGION: 'us-east-1',
  CADRE_API_MODELS: '',
  CADRE_BUCKET: 'bucket',
  CADRE_ENVIRONMENT: 'bench',
  CADRE_KEEP_DAYS: '30',
  CADRE_KEYS_SECRET: 'keys',
  CADRE_LOG_LEVEL: 'info',
  CADRE_STATE_MACHINE: 'arn:aws:states:us-east-1:123456789012:stateMachine:cadre',
  CADRE_TABLE: 'table',
};

const timesSchema = v.pipe(v.string(), v.parseJson(), v.object({ sdk: v.number(), own: v.number() }));
