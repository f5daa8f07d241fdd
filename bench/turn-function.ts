import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runNode } from './node-process.ts';
import { atMost, figure, median, type Row } from './row.ts';

const PROCESSES = 11;

/** What a cold start of the turn function has to read: its bundle. The AWS SDK is part of Lambda's runtime. */
export async function measureTurnFunction(): Promise<Row[]> {
  const path = join(process.cwd(), 'dist/functions/turn/index.mjs');
  const what = 'turn function';
  if (!existsSync(path)) return [figure(`${what}: bundle and import`, 'not built')];
  const bundle = await readFile(path, 'utf8');
  const packages = [...new Set(bundle.match(/(?<=from\s*["'])@aws-sdk\/[^"']+/g))];
  const alone: number[] = [];
  const sdk: number[] = [];
  for (let index = 0; index < PROCESSES; index++) {
    const [ofSdk = NaN, ofBundle = NaN] = importTimes([...packages, pathToFileURL(path).href]);
    sdk.push(ofSdk);
    alone.push(ofBundle);
  }
  return [
    atMost(`${what}: bundle without the SDK`, Buffer.byteLength(bundle) / 1024, 100, ' KB', 1),
    atMost(`${what}: import without the SDK`, median(alone), 40, ' ms', 1),
    figure(`${what}: import of the SDK`, `${median(sdk).toFixed(1)} ms`),
  ];
}

/** Milliseconds to import all modules but the last, and then the last, in a new process. */
function importTimes(modules: readonly string[]): number[] {
  const code = `
    const times = [performance.now()];
    const [last, ...before] = ${JSON.stringify(modules)}.reverse();
    for (const module of before.reverse()) await import(module);
    times.push(performance.now());
    await import(last);
    times.push(performance.now());
    console.log(JSON.stringify([times[1] - times[0], times[2] - times[1]]));`;
  const times: number[] = JSON.parse(runNode(['--input-type=module', '-e', code]).stdout);
  return times;
}
