import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { runNode } from './node-process.ts';
import { isMissed, mergeRows, rowSchema, toTable, type Row } from './row.ts';

/**
 * The measurements, and how often each is repeated. `npm run bench -- <name>…` makes some of them. A process loads the
 * code that it measures and nothing else, as a command does.
 */
const MEASURES = new Map<string, { measure: () => Promise<Row[]>; times: number }>([
  [
    'first-conversation',
    { measure: async () => (await import('./conversation.ts')).measureFirstConversation(), times: 30 },
  ],
  [
    'conversation',
    { measure: async () => (await import('./conversation.ts')).measureConversation(), times: 5 },
  ],
  ['store-alone', { measure: async () => (await import('./store-alone.ts')).measureStoreAlone(), times: 5 }],
  ['fan-out', { measure: async () => (await import('./fan-out.ts')).measureFanOut(), times: 3 }],
  ['watching', { measure: async () => (await import('./watching.ts')).measureWatching(), times: 2 }],
  ['first-word', { measure: async () => (await import('./first-word.ts')).measureFirstWord(), times: 2 }],
  ['delegation', { measure: async () => (await import('./delegation.ts')).measureDelegation(), times: 3 }],
  ['many-runs', { measure: async () => (await import('./many-runs.ts')).measureManyRuns(), times: 2 }],
  ['many-trees', { measure: async () => (await import('./many-trees.ts')).measureManyTrees(), times: 1 }],
  ['big-tree', { measure: async () => (await import('./big-tree.ts')).measureBigTree(), times: 1 }],
  ['deleting', { measure: async () => (await import('./deleting.ts')).measureDeleting(), times: 1 }],
  ['stored-size', { measure: async () => (await import('./stored-size.ts')).measureStoredSize(), times: 1 }],
  ['replay', { measure: async () => (await import('./replaying.ts')).measureReplay(), times: 5 }],
  ['openai', { measure: async () => (await import('./openai.ts')).measureOpenAi(), times: 2 }],
  ['page', { measure: async () => (await import('./page.ts')).measurePage(), times: 2 }],
  ['tools', { measure: async () => (await import('./tools.ts')).measureTools(), times: 2 }],
  ['grep', { measure: async () => (await import('./grep.ts')).measureGrep(), times: 1 }],
  ['memory', { measure: async () => (await import('./memory.ts')).measureMemory(), times: 2 }],
  ['eval', { measure: async () => (await import('./eval.ts')).measureEval(), times: 3 }],
  ['command', { measure: async () => (await import('./command.ts')).measureCommand(), times: 1 }],
  [
    'turn-function',
    { measure: async () => (await import('./turn-function.ts')).measureTurnFunction(), times: 1 },
  ],
]);

const rowsSchema = v.pipe(v.string(), v.parseJson(), v.array(rowSchema));

/** Set in the processes that measure. */
const MEASURE = process.env['CADRE_BENCH_MEASURE'];

if (MEASURE === undefined) printTable(process.argv.slice(2));
else console.log(JSON.stringify(await find(MEASURE).measure()));

/**
 * Each measurement has a process of its own, one after another, so that none finds what another left behind. The
 * processes of each measure are spread over the whole run, so that a busy minute does not affect all of them.
 */
function printTable(chosen: readonly string[]): void {
  const names = chosen.length > 0 ? chosen : [...MEASURES.keys()];
  const measured = new Map(names.map((name): [string, Row[][]] => [name, []]));
  const queue = names.flatMap((name) => {
    const { times } = find(name);
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
  const found = MEASURES.get(name);
  if (found === undefined)
    throw new Error(`there is no measure "${name}", but: ${[...MEASURES.keys()].join(', ')}`);
  return found;
}
