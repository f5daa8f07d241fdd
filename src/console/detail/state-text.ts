import type { RunOverview, Wait } from '../../reports/run-schemas.ts';
import type { TreeStore } from '../tree/tree-store.ts';

/** What a run does, or how it ended, in words for everybody. */
export function stateText(run: RunOverview, tree: TreeStore): string {
  switch (run.status) {
    case 'running':
      return run.waits_for === undefined || run.waits_for.length === 0
        ? 'At work'
        : run.waits_for.map((wait) => waitText(wait, run, tree)).join('; ');
    case 'idle':
      return 'Has answered, and goes on as soon as somebody writes to it';
    case 'succeeded':
      return 'Has answered';
    case 'budget_exceeded':
      return 'Ended by its budget, with what it had';
    case 'failed':
      return 'Failed';
    case 'timed_out':
      return 'Ran out of time';
    case 'stopped':
      return 'Was stopped';
    case 'interrupted':
      return 'Interrupted: the process that carried it out is gone';
  }
}

function waitText(wait: Wait, run: RunOverview, tree: TreeStore): string {
  switch (wait.for) {
    case 'model':
      return 'Its model is thinking or writing';
    case 'person':
      return wait.tool === undefined ? 'Waits for your answer' : `Waits for your approval of ${wait.tool}`;
    case 'tool':
      return `Waits for ${wait.tool}${wait.subject === '' ? '' : ` (${wait.subject})`}`;
    case 'messages':
      return 'Waits for messages of other agents';
    case 'agents': {
      const open = (tree.node(run.run_id)?.children ?? []).filter((child) => child.run.status === 'running');
      const names = [...new Set(open.map((child) => child.run.name ?? child.run.agent))];
      return names.length === 0 || names.length > 3
        ? `Waits for ${open.length} agents`
        : `Waits for ${names.join(', ')}`;
    }
  }
}

/** What a person can do about a run that has no whole answer; undefined where that is nothing. */
export function adviceText({ status, parent }: RunOverview): string | undefined {
  switch (status) {
    case 'failed':
    case 'timed_out':
    case 'stopped':
    case 'interrupted':
      return parent === undefined
        ? 'Resume it: it goes on where it broke off, and nothing that was answered is paid for again.'
        : 'The agent that called it was told. Resume the run at the top if the whole tree broke off.';
    case 'budget_exceeded':
      return 'Add to the budget, then write to it: it goes on with all that it knows.';
    default:
      return undefined;
  }
}
