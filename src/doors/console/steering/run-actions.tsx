import { useState } from 'preact/hooks';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { isOffered } from '../../../core/reports/words/deeds.ts';
import { post } from '../client/api.ts';
import type { SelectedRun } from '../selected-run.ts';
import { go } from '../use-route.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { AddBudget } from './add-budget.tsx';
import { ResumeWith } from './resume-with.tsx';
import { CompareWith } from './compare-with.tsx';
import { Confirm } from './confirm.tsx';

type Deed = 'stop' | 'kill' | 'resume';

/** The words shown while the tree does not yet show the requested change. */
const UNDER_WAY: Record<Deed, string> = {
  stop: 'Asked to stop. It ends as soon as its executions do.',
  kill: 'Being killed.',
  resume: 'Going on.',
};

const DEED_NAMES = { stop: 'Stop', kill: 'Kill' };

const CONSEQUENCES = {
  stop: 'It stops with everything below it, and can be resumed later.',
  stop_below: 'It stops with everything below it. The agent that called it is told so, and goes on.',
  kill: 'It ends for good with everything below it: nothing reaches it any more, and it cannot be resumed.',
};

/** The actions on a run: stop, kill, resume, fork, add to its budget. Shown above its conversation. */
export function RunActions({ run, tree }: SelectedRun) {
  const { run_id: id, status, ended_at: endedAt } = run;
  const [asked, setAsked] = useState<Deed | 'budget' | 'compare' | 'model'>();
  /** The latest action, and the state of the run at that time. */
  const [done, setDone] = useState<{ id: string; deed: Deed; status: string; endedAt: string | null }>();
  const doing = useAction(async (deed: Deed, body: object = {}) => {
    setAsked(undefined);
    // Its answer may be older than the current tree.
    await post(`runs/${id}/${deed}`, body);
    setDone({ id, deed, status, endedAt });
    tree.refresh();
  });
  const forking = useAction(async () => {
    const fork = await post<RunOverview>(`runs/${id}/fork`);
    tree.refresh();
    go({ view: 'run', top: tree.root?.run.run_id ?? id, selected: fork.run_id });
  });
  const isTop = run.parent === undefined;
  const isResumable = isOffered('resume', run);
  const name = run.name ?? run.agent;
  const close = () => setAsked(undefined);
  // It may have ended once more, in the same way.
  const isUnderWay = done?.id === id && done.status === status && done.endedAt === endedAt;
  return (
    <div class="actions" data-commands role="group" aria-label={`What to do with ${name}`}>
      {isOffered('stop', run) && (
        <button type="button" aria-disabled={doing.isBusy} onClick={() => setAsked('stop')}>
          Stop…
        </button>
      )}
      {isOffered('kill', run) && (
        <button type="button" aria-disabled={doing.isBusy} onClick={() => setAsked('kill')}>
          Kill…
        </button>
      )}
      {isResumable && (
        <button type="button" aria-disabled={doing.isBusy} onClick={() => doing.run('resume')}>
          Resume
        </button>
      )}
      {isResumable && (
        <button type="button" aria-disabled={doing.isBusy} onClick={() => setAsked('model')}>
          Resume with another model…
        </button>
      )}
      {isOffered('fork', run) && (
        <button
          type="button"
          title="A copy that knows all of this, and waits for your message"
          aria-disabled={forking.isBusy}
          onClick={forking.run}
        >
          Fork
        </button>
      )}
      <button type="button" aria-haspopup="dialog" onClick={() => setAsked('compare')}>
        Compare…
      </button>
      <button type="button" onClick={() => setAsked('budget')}>
        Budget…
      </button>
      <p role="status">{isUnderWay ? UNDER_WAY[done.deed] : ''}</p>
      <ProblemText text={doing.error ?? forking.error} />
      {(asked === 'stop' || asked === 'kill') && (
        <Confirm
          title={`${DEED_NAMES[asked]} ${name}?`}
          text={CONSEQUENCES[asked === 'kill' ? 'kill' : isTop ? 'stop' : 'stop_below']}
          deed={DEED_NAMES[asked]}
          onConfirm={() => doing.run(asked)}
          onClose={close}
        />
      )}
      {asked === 'model' && (
        <ResumeWith
          model={run.model}
          isBusy={doing.isBusy}
          onResume={(model) => doing.run('resume', { model })}
          onClose={close}
        />
      )}
      {asked === 'compare' && <CompareWith run={run} onClose={close} />}
      {asked === 'budget' && <AddBudget top={tree.root?.run.run_id ?? id} onClose={close} />}
    </div>
  );
}
