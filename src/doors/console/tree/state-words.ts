import type { RunOverview, Wait } from '../../../core/reports/run-schemas.ts';
import { counted } from '../shared/figures.ts';
import { visible } from '../shared/visible.ts';
import { hasFailed } from './totals.ts';
import type { TreeNode } from './tree-store.ts';

/** How a state looks: in which colour, and as which symbol for those who see no colours. */
export interface StateLook {
  tone: 'good' | 'bad' | 'attention' | 'quiet' | 'work';
  symbol: string;
}

const LOOKS: Record<RunOverview['status'], StateLook> = {
  running: { tone: 'work', symbol: '▸' },
  idle: { tone: 'quiet', symbol: '◦' },
  succeeded: { tone: 'good', symbol: '✓' },
  budget_exceeded: { tone: 'attention', symbol: '$' },
  failed: { tone: 'bad', symbol: '✗' },
  timed_out: { tone: 'bad', symbol: '✗' },
  stopped: { tone: 'quiet', symbol: '■' },
  interrupted: { tone: 'bad', symbol: '?' },
};

/** The name of each state, in plain words. */
export const STATE_NAMES: Record<RunOverview['status'], string> = {
  running: 'at work',
  idle: 'has answered, and can be written to',
  succeeded: 'done',
  budget_exceeded: 'ended at a limit, with what it had',
  failed: 'failed',
  timed_out: 'ran out of time',
  stopped: 'was stopped',
  interrupted: 'was interrupted',
};

/** What is missing from an answer, although nothing failed. */
const NOT_WHOLE: Record<NonNullable<RunOverview['incomplete']>, string> = {
  max_tokens: 'its answer was cut at its limit of tokens',
  refusal: 'its model refused to answer',
};

type State = Pick<RunOverview, 'incomplete' | 'killed' | 'status'>;

/** The name of its state: a killed run cannot go on, as other stopped ones can. */
export function stateName({ status, killed, incomplete }: State): string {
  if (killed) return 'was killed';
  const lacks = incomplete === undefined ? '' : `, but ${NOT_WHOLE[incomplete]}`;
  return `${STATE_NAMES[status]}${lacks}`;
}

export function lookOf(run: Pick<RunOverview, 'incomplete' | 'status' | 'waits_for'>): StateLook {
  const isAsking = run.waits_for?.some((wait) => wait.for === 'person') === true;
  if (isAsking) return { tone: 'attention', symbol: '●' };
  const look = LOOKS[run.status];
  return run.incomplete === undefined ? look : { ...look, tone: 'attention' };
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
      return STATE_NAMES.running;
    case 'model':
      return 'thinks';
    case 'person':
      return wait.tool === undefined
        ? 'waits for an answer from you'
        : `waits for you to approve ${wait.tool}`;
    case 'agents':
      return `waits for ${agentsWaitedFor(node)}`;
    case 'tool':
      return `uses ${visible(wait.subject === '' ? wait.tool : `${wait.tool}: ${wait.subject}`)}`;
    case 'messages':
      return `waits for messages${wait.from === undefined ? '' : ` from ${wait.from.join(', ')}`}`;
  }
}

function agentsWaitedFor({ children }: TreeNode): string {
  const open = children.filter((child) => child.run.status === 'running' && isAwaited(child));
  const [first] = open;
  return open.length === 1 && first !== undefined ? first.run.agent : counted(open.length, 'sub-agent');
}

/** Whether its caller waits for it, instead of going on beside it. */
export function isAwaited({ run }: TreeNode): boolean {
  return run.derived_by !== 'fork';
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
