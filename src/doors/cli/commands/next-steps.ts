import { localSources } from '../../../authoring/loading/local-sources.ts';
import type { AgentSource } from '../../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import type { Models } from '../../../core/model/model.ts';
import { apiKeyVariable } from '../../../core/model/model-name.ts';
import { newestTrees } from '../../../core/reports/newest-trees.ts';
import { openQuestions } from '../../../core/reports/open-questions.ts';
import { runOverview } from '../../../core/reports/run-report.ts';
import { PHASES } from '../../../core/reports/words/phase-words.ts';
import { counted } from '../../../counted.ts';
import { MissingKeyError } from '../../../errors.ts';
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
  const { source, models } = await localSources(io);
  const names = await source.list();
  return withEnvironment(io, {}, async ({ records }) => {
    const above = await source.above?.();
    const begin: Step[] =
      above === undefined
        ? BEGIN
        : [[`cd ${above}`, `leads to the project around this folder, which has agents`]];
    const agents = names.length === 0 ? begin : await stepsWith(names, source, models);
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

async function stepsWith(names: readonly string[], source: AgentSource, models: Models): Promise<Step[]> {
  const loaded = await Promise.all(names.map((name) => loadAgent(name, source).catch(() => undefined)));
  const faulty = loaded.filter((each) => each === undefined).length;
  const withoutKey = new Map<string, number>();
  for (const { agent } of loaded.filter((each) => each !== undefined)) {
    const [provider = ''] = agent.model.split('/');
    if (await lacksKey(agent.model, models)) withoutKey.set(provider, (withoutKey.get(provider) ?? 0) + 1);
  }
  const agent = names.length === 1 ? oneLine(names[0] ?? '') : '<agent>';
  return [
    ...[...withoutKey].map(([provider, count]): Step => [
      `export ${apiKeyVariable(provider)}=…`,
      `needed by ${counted(count, 'agent')}; "cadre config init" makes a file for keys`,
    ]),
    [`cadre run ${agent} -p "…"`, 'runs one; "cadre agents list" says what each is for'],
    [
      'cadre agents check',
      faulty === 0
        ? 'finds what is wrong with their files'
        : `says why ${counted(faulty, 'agent')} cannot be loaded`,
    ],
    ['cadre serve', 'shows runs in the browser, and steers them'],
  ];
}

async function lacksKey(model: string, models: Models): Promise<boolean> {
  return models.open(model).then(
    () => false,
    (thrown: unknown) => thrown instanceof MissingKeyError,
  );
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
