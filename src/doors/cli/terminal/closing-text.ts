import { AT_REST, isIn, GONE } from '../../../core/records/phase.ts';
import { durationOf, type Run } from '../../../core/records/run.ts';
import { treeReport } from '../../../core/reports/run-report.ts';
import type { ShownRun } from '../../../core/reports/shown-tree.ts';
import { categoryIn } from '../../../errors.ts';
import { counted } from '../../../counted.ts';
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
 */
export function closingLine(run: Run, tree: readonly Pick<Run, 'usage'>[], next: string): string {
  const { runs, input_tokens: input, output_tokens: output, usd } = treeReport(tree);
  const figures = [
    `${ENDED[run.status]} in ${seconds(durationOf(run, Date.now()))}`,
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

/** The next command for a run that has ended: continue it, where there is no answer yet. */
export function nextStep(
  run: Pick<ShownRun, 'failure' | 'id' | 'parent' | 'root' | 'status'>,
  place: RunPlace,
): string {
  const { id, parent, root, status } = run;
  if (isIn(AT_REST, run) || isIn(GONE, run)) return `see: cadre show ${id}${placeText({ env: place.env })}`;
  // A tree is resumed as a whole, which leaves agents below its top that have failed as they are.
  const hasFailed = status === 'failed' || status === 'timed_out';
  if (parent !== undefined && hasFailed) {
    return `continue it with: cadre send ${id} "…"${placeText(place)}`;
  }
  if (isRefusedModel(run)) {
    return `continue it with another model: cadre resume ${root} --model <provider/model>${placeText(place)}`;
  }
  return `continue it with: cadre resume ${root}${placeText(place)}`;
}

/** Whether the same model would be refused again, or would refuse the same request again. */
function isRefusedModel({ failure }: Pick<ShownRun, 'failure'>): boolean {
  if (failure === undefined) return false;
  const { error, message } = failure;
  if (error === 'ModelError') return categoryIn(message) === 'bad_request';
  return error === 'AgentError' && /^(unsupported provider|invalid model) /.test(message);
}

/** The options with which a command finds the run. */
export function placeText({ env, agentsDir }: RunPlace): string {
  return [
    ...(env === undefined ? [] : [` --env ${env}`]),
    ...(agentsDir === undefined ? [] : [` --agents-dir ${agentsDir}`]),
  ].join('');
}
