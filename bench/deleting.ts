import { once } from 'node:events';
import { openLocalStore } from '../src/places/local/local-store.ts';
import { aRun } from '../test/fixtures/records.ts';
import { cpuTimeToldBy, spawnCommand } from './node-process.ts';
import { inProject } from './project.ts';
import type { Row } from './row.ts';
import { keepTrees, treesOf } from './stored-trees.ts';

const TREES = treesOf(50_000);
const TEXT = 'What matters in this section is that it is of an ordinary length. '.repeat(62);

/** The removal of many trees by the command, while this process writes to the same store. */
export async function measureDeleting(): Promise<Row[]> {
  return inProject({}, async (cwd) => {
    await keepTrees(cwd, TREES, Date.now() - 1_000, TEXT);
    const { runs, close } = await openLocalStore(cwd);
    const start = performance.now();
    const command = spawnCommand(['runs', '--older-than', '0s'], cwd);
    const ended = once(command, 'close');
    const cpuTime = cpuTimeToldBy(command);
    command.stderr?.resume();
    let isOver = false;
    void ended.then(() => (isOver = true));
    const waits: number[] = [];
    for (let number = 0; !isOver; number++) {
      const asked = performance.now();
      const id = `later-${'z'.repeat(8)}${String(number).padStart(6, '0')}`;
      await runs.insertRun(aRun({ id, root: id, startedAt: new Date(8.64e15).toISOString() }));
      waits.push(performance.now() - asked);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const wall = performance.now() - start;
    for await (const run of runs.roots(1, { after: 'later-zzzzzzzz000000' }))
      throw new Error(`the run ${run.id} is still there`);
    await close();
    const what = `cadre runs --older-than, ${TREES} trees of one run with a task and an answer of 4 KB`;
    return [
      { what, value: wall / 1000, unit: ' s', digits: 1, atMost: 10, counts: 'least' },
      { what: `${what}: CPU time`, value: (await cpuTime) / 1000, unit: ' s', digits: 1, counts: 'least' },
      {
        what: `${what}: the longest that another process waits for a write meanwhile`,
        value: Math.max(...waits),
        unit: ' ms',
        digits: 1,
        counts: 'least',
      },
    ];
  });
}
