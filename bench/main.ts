import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { measureCommand } from './command.ts';
import { measureConversation } from './conversation.ts';
import { measureFanOut } from './fan-out.ts';
import { measureManyRuns } from './many-runs.ts';
import { runNode } from './node-process.ts';
import { toTable, type Row } from './row.ts';
import { measureTurnFunction } from './turn-function.ts';

/** What `npm run bench` measures; `npm run bench -- <name>…` for some of it. */
const MEASURES = new Map<string, () => Promise<Row[]>>([
  ['conversation', measureConversation],
  ['fan-out', measureFanOut],
  ['many-runs', measureManyRuns],
  ['command', measureCommand],
  ['turn-function', measureTurnFunction],
]);

/** Set for the processes in which the measures run. */
const MEASURE = process.env['CADRE_BENCH_MEASURE'];

if (MEASURE === undefined) printTable(process.argv.slice(2));
else console.log(JSON.stringify(await MEASURES.get(MEASURE)?.()));

/** Each measure has a process of its own, one after another, so that none finds what another left behind. */
function printTable(chosen: readonly string[]): void {
  const rows = (chosen.length > 0 ? chosen : [...MEASURES.keys()]).flatMap((name) => {
    if (!MEASURES.has(name))
      throw new Error(`no measure "${name}": there are ${[...MEASURES.keys()].join(', ')}`);
    const env = { CADRE_BENCH_MEASURE: name };
    const found: Row[] = JSON.parse(runNode(['--expose-gc', fileURLToPath(import.meta.url)], { env }).stdout);
    return found;
  });
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GB`;
  console.log(`${cpus().length} x ${cpu?.model ?? 'unknown'}, ${memory}, Node.js ${process.version}\n`);
  console.log(toTable(rows));
  if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;
}
