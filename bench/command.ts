import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { runNode } from './node-process.ts';
import { inProject } from './project.ts';
import { median, type Row } from './row.ts';

const PROCESSES = 21;

/** The whole process of a run of one turn, as a user starts it, beside a process of Node.js that does nothing. */
export async function measureCommand(): Promise<Row[]> {
  const command = join(process.cwd(), 'bin/cadre.js');
  return inProject(PROJECT, async (folder) => {
    const run = (env: Record<string, string> = {}) => {
      const end = runNode([command, 'run', 'single', '-p', 'What matters here?'], { cwd: folder, env });
      if (end.stdout !== ANSWER) throw new Error(`the command printed "${end.stdout}"`);
      return end.milliseconds;
    };
    const coverage = join(folder, 'coverage');
    run({ NODE_V8_COVERAGE: coverage });
    const loaded = await loadedFiles(coverage);
    const runs: number[] = [];
    const empty: number[] = [];
    for (let index = 0; index < PROCESSES; index++) {
      runs.push(run());
      empty.push(runNode(['-e', '0']).milliseconds);
    }
    const time = { unit: ' ms', digits: 0, counts: 'least' } as const;
    const what = 'cadre run, one scripted turn';
    return [
      { ...time, what: `${what}: process time`, value: Math.min(...runs), atMost: 250 },
      { ...time, what: 'node -e 0: process time', value: Math.min(...empty) },
      {
        what: `${what}: process time / node -e 0`,
        value: median(runs.map((time, index) => time / (empty[index] ?? NaN))),
        unit: '',
        digits: 1,
        counts: 'median',
      },
      {
        // The AWS SDK alone would be three times as much.
        what: `${what}: code loaded`,
        value: loaded.reduce((sum, url) => sum + statSync(new URL(url)).size, 0) / 1024,
        unit: ' KB',
        digits: 0,
        atMost: 1_000,
        counts: 'most',
      },
    ];
  });
}

/** Every file that a process ran code of, by the engine's own account. */
async function loadedFiles(coverage: string): Promise<string[]> {
  const urls: string[] = [];
  for (const name of await readdir(coverage)) {
    const { result } = v.parse(coverageSchema, await readFile(join(coverage, name), 'utf8'));
    urls.push(...result.map(({ url }) => url).filter((url) => url.startsWith('file:')));
  }
  if (!urls.some((url) => url.endsWith('/bin/cadre.js'))) throw new Error('the command left no account');
  return urls;
}

const coverageSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ result: v.array(v.object({ url: v.string() })) }),
);

const ANSWER = 'That it is short.';
const PROJECT = {
  'agents/single.toml': `name = "single"\nmodel = "scripted/single.json"\n`,
  'single.json': JSON.stringify({ conversations: [{ turns: [{ text: ANSWER }] }] }),
};
