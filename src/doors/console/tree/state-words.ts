import { counted } from '../../../counted.ts';
import type { RunOverview, Wait } from '../../../core/reports/run-schemas.ts';
import {
  PHASES,
  whoWords,
  type PhaseLook,
  type ShownPhase,
} from '../../../core/reports/words/phase-words.ts';
import { me } from '../client/me.ts';
import { visible } from '../shared/visible.ts';
import { hasFailed } from './totals.ts';
import type { TreeNode } from './tree-store.ts';

/** What is missing from an answer, although nothing failed. */
const NOT_WHOLE: Record<NonNullable<RunOverview['incomplete']>, string> = {
  max_tokens: 'its answer was cut at its limit of tokens',
  refusal: 'its model refused to answer',
  guardrail: 'the guardrail blocked its answer',
};

/** The states that runs can be found by, with their words. */
export const RUN_STATES = Object.entries(PHASES)
  .filter(([phase]) => !['asking', 'killed', 'waiting'].includes(phase))
  .map(([phase, { word }]) => [phase, word] as const);

type State = Pick<RunOverview, 'incomplete' | 'killed' | 'status' | 'stopped_by'>;

/** What became of it, and by whom. */
export function stateName(run: State): string {
  const { incomplete, stopped_by: by } = run;
  const lacks = incomplete === undefined ? '' : `, but ${NOT_WHOLE[incomplete]}`;
  const who = by === undefined ? '' : ` by ${visible(whoWords(by, me()))}`;
  return `${PHASES[phaseOf(run)].word}${who}${lacks}`;
}

/** How it looks: in which colour, and as which symbol for those who see no colours. */
export function lookOf(run: Omit<State, 'stopped_by'> & Pick<RunOverview, 'waits_for'>): PhaseLook {
  const look = PHASES[phaseOf(run)];
  return run.incomplete === undefined ? look : { ...look, tone: 'attention' };
}

function phaseOf({
  killed,
  status,
  waits_for: waits,
}: Pick<RunOverview, 'killed' | 'status' | 'waits_for'>): ShownPhase {
  if (killed) return 'killed';
  return waits?.some((wait) => wait.for === 'person') === true ? 'asking' : status;
}

/** A run's activity, its wait or its end, and the consequence for its caller: a few plain words. */
export function stateWords(node: TreeNode): string {
  const { run, parent } = node;
  const words = shortStateWords(node);
  const goesOn = parent !== undefined && !hasFailed(parent.run) && parent.run.status !== 'stopped';
  return hasFailed(run) && goesOn ? `${words}; its caller went on without it` : words;
}

/** The same without the caller, where the room is for the failure. */
export function shortStateWords(node: TreeNode): string {
  const { run } = node;
  if (run.status === 'running') return waitWords(run.waits_for, node);
  if (run.status === 'idle' && node.children.some((child) => child.run.status === 'running')) {
    return `has answered, and waits for ${atWork(node.children)}`;
  }
  const words = stateName(run);
  const failed = node.children.filter((child) => hasFailed(child.run));
  if (run.status !== 'succeeded' || failed.length === 0) return words;
  const [first] = failed;
  return failed.length === 1 && first !== undefined
    ? `${words}, although ${first.run.agent} failed`
    : `${words}, although ${counted(failed.length, 'sub-agent')} failed`;
}

function waitWords(waits: readonly Wait[] | undefined, node: TreeNode): string {
  // A person comes first: everything else takes care of itself.
  const wait = waits?.find((each) => each.for === 'person') ?? waits?.[0];
  switch (wait?.for) {
    case undefined:
      return PHASES.running.word;
    case 'model':
      return 'thinks';
    case 'person':
      return wait.tool === undefined
        ? 'waits for an answer from you'
        : `waits for you to approve ${wait.tool}`;
    case 'agents':
      return `waits for ${atWork(node.children.filter(isAwaited))}`;
    case 'tool':
      return `uses ${visible(wait.subject === '' ? wait.tool : `${wait.tool}: ${wait.subject}`)}`;
    case 'messages':
      return `waits for messages${wait.from === undefined ? '' : ` from ${wait.from.join(', ')}`}`;
  }
}

/** The only one that is at work, or how many are. */
function atWork(agents: readonly TreeNode[]): string {
  const open = agents.filter(({ run }) => run.status === 'running');
  const [first] = open;
  return open.length === 1 && first !== undefined ? first.run.agent : counted(open.length, 'sub-agent');
}

/** Whether its caller waits for it, instead of going on beside it. */
function isAwaited({ run }: TreeNode): boolean {
  return run.beside !== true;
}

/** Troubles of a run that are not its end: `2 failed calls`, `3 retries`; "" for none. */
export function troubleWords({ failed_calls: failed, retries }: RunOverview): string {
  const parts = [
    ...(failed > 0 ? [counted(failed, 'failed call')] : []),
    ...(retries > 0 ? [retries === 1 ? '1 retry' : `${retries} retries`] : []),
  ];
  return parts.join(', ');
}

/** Its name among its siblings: `coder`, `coder (scout)`, `coder (spawn_agent)`. */
export function nameOf({ agent, name, derived_by: by }: RunOverview): string {
  const extra = name ?? by;
  return extra === undefined || extra === agent ? agent : `${agent} (${extra})`;
}
