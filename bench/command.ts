import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inProject } from './project.ts';
import { runNode } from './node-process.ts';
import { atMost, figure, holds, median, type Row } from './row.ts';

const PROCESSES = 11;

/** The whole process of a run of one turn, as a user starts it, and of Node.js that does nothing. */
export async function measureCommand(): Promise<Row[]> {
  const command = join(process.cwd(), 'bin/cadre.js');
  return inProject(PROJECT, async (folder) => {
    const run = (env: Record<string, string> = {}) => {
      const end = runNode([command, 'run', 'single', '-p', 'What matters here?'], { cwd: folder, env });
      if (end.stdout !== ANSWER) throw new Error(`the command printed "${end.stdout}"`);
      return end.milliseconds;
    };
    run();
    const runs: number[] = [];
    const empty: number[] = [];
    for (let index = 0; index < PROCESSES; index++) {
      runs.push(run());
      empty.push(runNode(['-e', '0']).milliseconds);
    }
    const coverage = join(folder, 'coverage');
    run({ NODE_V8_COVERAGE: coverage });
    const loaded = await loadedFiles(coverage);
    const ofSdk = loaded.filter((url) => /\/(@aws-sdk|@smithy|@aws-crypto)\//.test(url));
    const what = 'cadre run, one scripted turn';
    return [
      atMost(`${what}: process time`, median(runs), 250, ' ms', 0),
      figure(`${what}: process time / node -e 0`, (median(runs) / median(empty)).toFixed(2)),
      figure('node -e 0: process time', `${median(empty).toFixed(0)} ms`),
      holds(
        `${what}: files of the AWS SDK loaded`,
        `${ofSdk.length} of ${loaded.length}`,
        'none',
        ofSdk.length === 0,
      ),
    ];
  });
}

/** Every file that a process ran code of, from what the engine itself keeps account of. */
async function loadedFiles(coverage: string): Promise<string[]> {
  const urls: string[] = [];
  for (const name of await readdir(coverage)) {
    const report: { result: { url: string }[] } = JSON.parse(await readFile(join(coverage, name), 'utf8'));
    urls.push(...report.result.map(({ url }) => url).filter((url) => url.startsWith('file:')));
  }
  return urls;
}

const ANSWER = 'That it is short.';
const PROJECT = {
  'agents/single.toml': `name = "single"\nmodel = "scripted/single.json"\n`,
  'single.json': JSON.stringify({ conversations: [{ turns: [{ text: ANSWER }] }] }),
};
