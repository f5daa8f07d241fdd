import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasLocalStore, openLocalStore, type LocalStore } from '../src/places/local/local-store.ts';
import { COMMAND, cpuTimeOf, spawnCommand } from './node-process.ts';
import { inProject } from './project.ts';
import type { Row } from './row.ts';

/** As many as a tree may have, and as many as an answer may call. */
const SUB_AGENTS = 1_000;
const CALLS = 100;
const PROCESSES = 3;

/** A tree whose process is killed when all of its sub-agents have answered, and what looks at it afterwards. */
export async function measureBigTree(): Promise<Row[]> {
  return inProject(PROJECT, async (cwd) => {
    const command = spawnCommand(['run', 'lead', '-p', 'Look at everything'], cwd);
    command.stderr?.resume();
    const closed = once(command, 'close');
    await allAnswered(cwd);
    command.kill('SIGKILL');
    await closed;
    await writeFile(join(cwd, LEAD), scriptOf(0));
    const timed = (...words: string[]) => cpuTimeOf([COMMAND, ...words], { cwd });
    const resumed = timed('resume', 'last');
    const least = (...words: string[]) =>
      Math.min(...Array.from({ length: PROCESSES }, () => timed(...words)));
    const what = `a tree of ${SUB_AGENTS + 1} agents: CPU time of`;
    const row = { unit: ' ms', digits: 0, atMost: 1_000, counts: 'least' } as const;
    return [
      { ...row, what: `${what} cadre resume after a death, to the end`, value: resumed },
      { ...row, what: `${what} cadre show`, value: least('show', 'last') },
      {
        ...row,
        what: `${what} cadre watch --json from the beginning`,
        value: least('watch', 'last', '--json'),
      },
    ];
  });
}

async function allAnswered(cwd: string): Promise<void> {
  while (!hasLocalStore(cwd)) await delay(100);
  const { runs, close } = await openLocalStore(cwd);
  while (!(await haveAnswered(runs))) await delay(500);
  await close();
}

async function haveAnswered(runs: LocalStore['runs']): Promise<boolean> {
  for await (const { id } of runs.roots(1)) {
    const tree = await runs.tree(id);
    return tree.filter(({ status }) => status === 'succeeded').length === SUB_AGENTS;
  }
  return false;
}

/** @param lastMs how long the last turn takes */
function scriptOf(lastMs: number): string {
  const call = { name: 'call_agent', arguments: { agent: 'scout', task: 'Look at this part. '.repeat(15) } };
  const calls = Array.from({ length: CALLS }, () => call);
  const turns = Array.from({ length: SUB_AGENTS / CALLS }, () => ({ calls }));
  return JSON.stringify({
    conversations: [{ turns: [...turns, { text: 'All is well.', delay_ms: lastMs }] }],
  });
}

const LEAD = 'lead.json';
const PROJECT = {
  'agents/lead.toml': 'name = "lead"\nmodel = "scripted/lead.json"\nsub_agents = ["scout"]\n',
  'agents/scout.toml': 'name = "scout"\nmodel = "scripted/scout.json"\n',
  [LEAD]: scriptOf(600_000),
  'scout.json': JSON.stringify({
    conversations: [{ turns: [{ text: 'What matters is that it is of an ordinary length. '.repeat(40) }] }],
  }),
};
