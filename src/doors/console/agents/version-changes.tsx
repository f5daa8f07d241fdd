import { useState } from 'preact/hooks';
import type { ChangeReport, PartChange } from '../../../core/reports/change-report.ts';
import { get } from '../client/api.ts';
import { EditDiff } from '../detail/edit-diff.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { visible } from '../shared/visible.ts';

/** What has changed since a run was opened, fetched when it is asked for. */
export function VersionChanges({ run }: { run: string }) {
  const [report, setReport] = useState<ChangeReport>();
  const reading = useAction(async () => {
    setReport(await get<ChangeReport>(`runs/${encodeURIComponent(run)}/changes`));
  });
  if (report !== undefined) return <Changes report={report} onHide={() => setReport(undefined)} />;
  return (
    <>
      <button type="button" class="plain" aria-disabled={reading.isBusy} onClick={() => reading.run()}>
        What has changed since
      </button>
      <ProblemText text={reading.error} />
    </>
  );
}

function Changes({ report: { changes, fault }, onHide }: { report: ChangeReport; onHide: () => void }) {
  return (
    <div class="agent-changes">
      <button type="button" class="plain" onClick={onHide}>
        Hide what has changed
      </button>
      {fault !== undefined && <p class="problem">No such run would begin now: {visible(fault)}</p>}
      {fault === undefined && changes.length === 0 && (
        <p class="muted">Only something that runs do not keep, such as the address of a server.</p>
      )}
      {changes.map((change) => (
        <PartText key={`${change.part} ${change.name}`} change={change} />
      ))}
    </div>
  );
}

function PartText({ change: { part, name, was, is } }: { change: PartChange }) {
  const title = part === name ? name : `${part} ${visible(name)}`;
  const isLong = [was, is].some((text) => text?.includes('\n') || (text?.length ?? 0) > 60);
  if (part === 'tool' && (was === null || is === null)) {
    return (
      <p>
        {title}{' '}
        <span class={`badge ${was === null ? 'good' : 'bad'}`}>{was === null ? 'added' : 'removed'}</span>
      </p>
    );
  }
  if (isLong) {
    return (
      <>
        <p>{title}</p>
        <EditDiff edit={{ path: title, before: was ?? '', after: is ?? '' }} />
      </>
    );
  }
  return (
    <p>
      {title}: <s class="code">{was === null || was === '' ? 'none' : visible(was)}</s>{' '}
      <span class="spoken">is now</span>
      <span aria-hidden="true">→</span>{' '}
      <span class="code">{is === null || is === '' ? 'none' : visible(is)}</span>
    </p>
  );
}
