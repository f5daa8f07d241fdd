import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { refuse } from '../scripts/options.mjs';
import { runNode } from './node-process.ts';
import { isMissed, mergeRows, rowSchema, toTable, type Row } from './row.ts';

/**
 * How often each measurement is made, and its code. `npm run bench -- <name>…` makes some of them. A process loads the
 * code that it measures and nothing else, as a command does.
 */
const MEASURES = new Map<string, [times: number, load: () => Promise<() => Promise<Row[]>>]>([
  ['first-conversation', [30, async () => (await import('./conversation.ts')).measureFirstConversation]],
  ['conversation', [5, async () => (await import('./conversation.ts')).measureConversation]],
  ['store-alone', [5, async () => (await import('./store-alone.ts')).measureStoreAlone]],
  ['fan-out', [3, async () => (await import('./fan-out.ts')).measureFanOut]],
  ['watching', [2, async () => (await import('./watching.ts')).measureWatching]],
  ['first-word', [2, async () => (await import('./first-word.ts')).measureFirstWord]],
  ['delegation', [3, async () => (await import('./delegation.ts')).measureDelegation]],
  ['many-runs', [2, async () => (await import('./many-runs.ts')).measureManyRuns]],
  ['many-trees', [1, async () => (await import('./many-trees.ts')).measureManyTrees]],
  ['big-tree', [1, async () => (await import('./big-tree.ts')).measureBigTree]],
  ['deleting', [1, async () => (await import('./deleting.ts')).measureDeleting]],
  ['stored-size', [1, async () => (await import('./stored-size.ts')).measureStoredSize]],
  ['replay', [5, async () => (await import('./replaying.ts')).measureReplay]],
  ['openai', [2, async () => (await import('./openai.ts')).measureOpenAi]],
  ['page', [2, async () => (await import('./page.ts')).measurePage]],
  ['tools', [2, async () => (await import('./tools.ts')).measureTools]],
  ['grep', [1, async () => (await import('./grep.ts')).measureGrep]],
  ['memory', [2, async () => (await import('./memory.ts')).measureMemory]],
  ['eval', [3, async () => (await import('./eval.ts')).measureEval]],
  ['command', [1, async () => (await import('./command.ts')).measureCommand]],
  ['turn-function', [1, async () => (await import('./turn-function.ts')).measureTurnFunction]],
]);

const rowsSchema = v.pipe(v.string(), v.parseJson(), v.array(rowSchema));

/** Set in the processes that measure. */
const MEASURE = process.env['CADRE_BENCH_MEASURE'];

if (MEASURE === undefined) printTable(process.argv.slice(2));
else {
  const measure = await find(MEASURE)[1]();
  console.log(JSON.stringify(await measure()));
}

/**
 * Each measurement has a process of its own, one after another, so that none finds what another left behind. The
 * processes of each measure are spread over the whole run, so that a busy minute does not affect all of them.
 */
function printTable(chosen: readonly string[]): void {
  const names = chosen.length > 0 ? chosen : [...MEASURES.keys()];
  const measured = new Map(names.map((name): [string, Row[][]] => [name, []]));
  const queue = names.flatMap((name) => {
    const [times] = find(name);
    return Array.from({ length: times }, (_, index) => ({ name, at: (index + 0.5) / times }));
  });
  queue.sort((one, other) => one.at - other.at);
  for (const { name } of queue) measured.get(name)?.push(measureInProcess(name));
  const rows = [...measured.values()].flatMap(mergeRows);
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GB`;
  console.log(`${cpus().length} x ${cpu?.model ?? 'unknown'}, ${memory}, Node.js ${process.version}\n`);
  console.log(toTable(rows));
  if (rows.some(isMissed)) process.exitCode = 1;
}

function measureInProcess(name: string): Row[] {
  const { stdout } = runNode(['--expose-gc', fileURLToPath(import.meta.url)], {
    env: { CADRE_BENCH_MEASURE: name },
  });
  return v.parse(rowsSchema, stdout);
}

function find(name: string) {
  return MEASURES.get(name) ?? refuse(`no measure "${name}", but ${[...MEASURES.keys()].join(', ')}`);
}
