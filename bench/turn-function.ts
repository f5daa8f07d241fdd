import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EnvironmentVariable } from '../src/places/aws/variables.ts';
import { runNode } from './node-process.ts';
import type { Row } from './row.ts';

const PROCESSES = 11;

/**
 * The code that a cold start of the turn function has to read: as it is deployed, and with the AWS SDK in files of its
 * own.
 */
export async function measureTurnFunction(): Promise<Row[]> {
  // Where scripts/bench.mjs has put it.
  const apart = join(process.cwd(), '.cadre/bench/turn/index.mjs');
  const time = { unit: ' ms', digits: 0, counts: 'least' } as const;
  return [
    {
      what: 'turn function: bundle, without the SDK',
      value: bytesOf(apart) / 1024,
      unit: ' KB',
      digits: 0,
      atMost: 108,
      counts: 'most',
    },
    {
      ...time,
      what: 'turn function: import',
      value: Math.min(...importTimes(join(process.cwd(), 'dist/functions/turn/index.mjs'))),
      atMost: 50,
    },
    {
      ...time,
      what: 'turn function: import, with the SDK in node_modules',
      value: Math.min(...importTimes(apart)),
    },
  ];
}

/** The bytes of a module and of all that are loaded with it. */
function bytesOf(path: string, read = new Set<string>()): number {
  if (read.has(path)) return 0;
  read.add(path);
  const code = readFileSync(path, 'utf8');
  const others = [...code.matchAll(/\b(?:from|import)"(\.[^"]+)"/g)].map(([, name = '']) => name);
  return others.reduce(
    (sum, name) => sum + bytesOf(join(dirname(path), name), read),
    Buffer.byteLength(code),
  );
}

/** Milliseconds that a new process takes to import the bundle. */
function importTimes(path: string): number[] {
  const code = `
    const start = performance.now();
    await import(${JSON.stringify(pathToFileURL(path).href)});
    console.log(performance.now() - start);`;
  return Array.from({ length: PROCESSES }, () => {
    const { stdout } = runNode(['--input-type=module', '--eval', code], { env: DEPLOYED });
    return Number(stdout);
  });
}

const DEPLOYED: Record<EnvironmentVariable | 'AWS_REGION' | 'NODE_OPTIONS', string> = {
  NODE_OPTIONS: '--enable-source-maps',
  AWS_REGION: 'us-east-1',
  CADRE_ADMIN_SCOPES: '',
  CADRE_BATCH_MACHINE: '',
  CADRE_API_MODELS: '',
  CADRE_BUCKET: 'bucket',
  CADRE_CONTROL: 'cadre-bench-control',
  CADRE_ENVIRONMENT: 'bench',
  CADRE_FUNCTIONS: '',
  CADRE_ISSUER: '',
  CADRE_KEEP_DAYS: '30',
  CADRE_KEYS_SECRET: 'keys',
  CADRE_LIMITS: '{}',
  CADRE_LOG_LEVEL: 'info',
  CADRE_PROVIDERS: '',
  CADRE_SERVER_SECRETS: '',
  CADRE_SIGN_IN: '',
  CADRE_STATE_MACHINE: 'arn:aws:states:us-east-1:123456789012:stateMachine:cadre',
  CADRE_TABLE: 'table',
  CADRE_WEB_SEARCH: '',
};
