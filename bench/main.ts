import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { measureCommand } from './command.ts';
import { measureConversation, measureFirstConversation } from './conversation.ts';
import { measureDelegation } from './delegation.ts';
import { measureFanOut } from './fan-out.ts';
import { measureGrep } from './grep.ts';
import { measureManyRuns } from './many-runs.ts';
import { runNode } from './node-process.ts';
import { measureReplay } from './replaying.ts';
import { measureOpenAi } from './openai.ts';
import { measurePage } from './page.ts';
import { isMissed, mergeRows, rowSchema, toTable, type Row } from './row.ts';
import { measureTools } from './tools.ts';
import { measureTurnFunction } from './turn-function.ts';
import { measureWatching } from './watching.ts';

/** What is measured, and how many times over. `npm run bench -- <name>…` measures some of it. */
const MEASURES = new Map<string, { measure: () => Promise<Row[]>; times: number }>([
  ['first-conversation', { measure: measureFirstConversation, times: 15 }],
  ['conversation', { measure: measureConversation, times: 5 }],
  ['fan-out', { measure: measureFanOut, times: 3 }],
  ['watching', { measure: measureWatching, times: 2 }],
  ['delegation', { measure: measureDelegation, times: 3 }],
  ['many-runs', { measure: measureManyRuns, times: 2 }],
  ['replay', { measure: measureReplay, times: 5 }],
  ['openai', { measure: measureOpenAi, times: 2 }],
  ['page', { measure: measurePage, times: 2 }],
  ['tools', { measure: measureTools, times: 2 }],
  ['grep', { measure: measureGrep, times: 1 }],
  ['command', { measure: measureCommand, times: 1 }],
  ['turn-function', { measure: measureTurnFunction, times: 1 }],
]);

const rowsSchema = v.pipe(v.string(), v.parseJson(), v.array(rowSchema));

/** Set in the processes that measure. */
const MEASURE = process.env['CADRE_BENCH_MEASURE'];

if (MEASURE === undefined) printTable(process.argv.slice(2));
else console.log(JSON.stringify(await find(MEASURE).measure()));

/** Measures in processes of their own, one after another, so that none finds what another left behind. */
function printTable(chosen: readonly string[]): void {
  const names = chosen.length > 0 ? chosen : [...MEASURES.keys()];
  const rows = names.flatMap((name) =>
    mergeRows(Array.from({ length: find(name).times }, () => measureInProcess(name))),
  );
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
