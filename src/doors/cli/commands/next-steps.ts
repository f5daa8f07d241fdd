import { openAgentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { newestTrees } from '../../../core/reports/newest-trees.ts';
import { openQuestions } from '../../../core/reports/open-questions.ts';
import { runOverview } from '../../../core/reports/run-report.ts';
import { PHASES } from '../../../core/reports/words/phase-words.ts';
import { counted } from '../../../counted.ts';
import type { RunReader } from '../../../core/records/ports.ts';
import { inColumns } from '../terminal/columns.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';
import { withEnvironment } from '../shared-options.ts';

/** A command, and why one would type it. */
type Step = readonly [command: string, why: string];

const BEGIN: Step[] = [
  ['cadre init', 'begins a project with an agent, a tool and tests'],
  ['cadre agents init <name>', 'writes an agent with every key that there is'],
];
const ALWAYS: Step[] = [
  ['cadre doctor', 'says what keeps agents from running'],
  ['cadre help', 'lists all commands'],
];

/** `cadre` alone: says what to do next in this folder, by what is there. @returns the exit code */
export async function tellNextSteps(io: Io): Promise<number> {
  const names = await openAgentFolders(io).list();
  return withEnvironment(io, {}, async ({ records }) => {
    const agents = names.length === 0 ? BEGIN : stepsWith(names);
    const steps = [...(await unfinished(records)), ...agents, ...ALWAYS];
    const lines = inColumns(
      [{ cells: steps.map(([command]) => command) }],
      io.columns,
      steps.map(([, why]) => why),
    );
    const found =
      names.length === 0 ? 'No agents in this folder yet.' : `${counted(names.length, 'agent')} here.`;
    io.stdout(`${found} What to do next:\n\n${lines.map((line) => `  ${line}\n`).join('')}`);
    return EXIT.success;
  });
}

function stepsWith(names: readonly string[]): Step[] {
  const agent = names.length === 1 ? oneLine(names[0] ?? '') : '<agent>';
  return [
    [`cadre run ${agent} -p "…"`, 'runs one; "cadre agents list" says what each is for'],
    ['cadre agents check', 'finds what is wrong with their files'],
    ['cadre serve', 'shows runs in the browser, and steers them'],
  ];
}

/** What waits for a person, and what became of the newest run. */
async function unfinished(records: RunReader): Promise<Step[]> {
  const [questions, [newest]] = await Promise.all([
    openQuestions(records),
    newestTrees(records, { limit: 1 }),
  ]);
  const steps: Step[] =
    questions.length === 0 ? [] : [['cadre questions', `${counted(questions.length, 'question')} to you`]];
  if (newest === undefined) return steps;
  const { run_id, agent, status } = runOverview(newest.top);
  const what = `${oneLine(agent)}: ${PHASES[status].word}`;
  return status === 'interrupted'
    ? [...steps, [`cadre resume ${run_id}`, `${what}, and goes on where it was`]]
    : [...steps, ['cadre show last', what]];
}
