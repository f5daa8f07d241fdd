import { envOption } from '../../../env-option.ts';
import type { Run } from '../../../core/records/run.ts';
import { shownDuration } from '../../../core/reports/shown-duration.ts';
import { treeReport } from '../../../core/reports/run-report.ts';
import type { ShownRun } from '../../../core/reports/shown-tree.ts';
import { wayOn, type WayOn } from '../../../core/reports/way-on.ts';
import { whoWords } from '../../../core/reports/words/phase-words.ts';
import { WAY_WORDS } from '../../../core/reports/words/way-words.ts';
import { counted } from '../../../counted.ts';
import { shellWord } from '../../../shell-word.ts';
import { inDollars, seconds } from './figures.ts';
import { oneLine } from './printable.ts';

const ENDED: Record<Run['status'], string> = {
  running: 'is running',
  idle: 'answered',
  succeeded: 'succeeded',
  budget_exceeded: 'exceeded its budget',
  failed: 'failed',
  timed_out: 'timed out',
  stopped: 'was stopped',
};

/**
 * The line that ends every run: its id, its result and its use with everything below it.
 * @param next the command that is of use now
 * @param you the reader, as records name them
 */
export function closingLine(
  run: Run,
  tree: readonly Pick<Run, 'usage'>[],
  next: string,
  you: string | undefined,
): string {
  const { runs, input_tokens: input, output_tokens: output, usd } = treeReport(tree);
  const by =
    run.status === 'stopped' && run.stoppedBy !== undefined ? ` by ${whoWords(run.stoppedBy, you)}` : '';
  const figures = [
    `${ENDED[run.status]}${by} in ${seconds(shownDuration(run, Date.now()))}`,
    counted(runs, 'run'),
    counted(input + output, 'token'),
    ...(usd === null || usd === 0 ? [] : [inDollars(usd)]),
  ];
  return `run ${run.id} ${figures.join(', ')}; ${next}`;
}

/** The reason why a run has no answer. Messages of a model's API name no agent, so that is added. */
export function failureText({ agent, status, failure }: Run): string {
  if (failure === undefined) return `the status of the run is ${status}`;
  const isOfModel = failure.error === 'ModelError';
  return oneLine(isOfModel ? `agent "${agent}": ${failure.message}` : failure.message);
}

/** Where a run is, as the command takes it. */
export interface RunPlace {
  /** The deployed environment that the run is in; absent for one of this folder. */
  env?: string | undefined;
  /** Where the run's agents are, if that was given. */
  agentsDir?: string | undefined;
}

/** The next command for a run that has ended: the one that continues it, or else shows it. */
export function nextStep(run: ShownRun, place: RunPlace): string {
  const { terminal } = WAY_WORDS[wayOn(run)];
  return stepOn(run, place) ?? `${terminal}: cadre show ${run.id}${placeText({ env: place.env })}`;
}

/** The command that continues a run; undefined if there is nothing to do but look. */
export function stepOn(run: ShownRun, place: RunPlace): string | undefined {
  const way = wayOn(run);
  const command = commandFor(way, run);
  return command && `${WAY_WORDS[way].terminal}: ${command}${placeText(place)}`;
}

function commandFor(way: WayOn, { id, root }: ShownRun): string | undefined {
  switch (way) {
    case 'none':
    case 'gone':
    case 'send_for_rest':
      return undefined;
    case 'resume':
    case 'resume_tree':
    case 'resume_with_key':
      return `cadre resume ${root}`;
    case 'resume_with_model':
      return `cadre resume ${root} --model <provider/model>`;
    case 'send':
      return `cadre send ${id} "…"`;
    case 'send_with_tokens':
      return `cadre send ${id} "…" --max-tokens <count>`;
    case 'send_with_dollars':
      return `cadre send ${id} "…" --max-usd <dollars>`;
  }
}

/** The options with which a command finds the run. */
export function placeText({ env, agentsDir }: RunPlace): string {
  return `${envOption(env)}${agentsDir === undefined ? '' : ` --agents-dir ${shellWord(agentsDir)}`}`;
}
