import { useEffect, useState } from 'preact/hooks';
import type { RunResource } from '../../api/answers.ts';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { get } from '../client/api.ts';
import type { SelectedRun } from '../selected-run.ts';
import { counted, dollars, duration } from '../shared/figures.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { lookOf, stateWords } from '../tree/state-words.ts';
import { costOf, totalsOf, type Totals } from '../tree/totals.ts';
import { adviceFor } from './advice.ts';
import { visible } from '../shared/visible.ts';

/** How a run is doing, what it is made with, and what it has used: alone, and with everything below it. */
export function RunFacts({ run, tree }: SelectedRun) {
  const execution = useExecution(run);
  const advice = adviceFor(run);
  const node = tree.node(run.run_id);
  const { tone, symbol } = lookOf(run);
  return (
    <div class="facts">
      <p>
        <span class={`symbol ${tone}`}>{symbol}</span> {node && stateWords(node)}
      </p>
      {run.error !== undefined && <p class="problem">{visible(run.error)}</p>}
      {advice !== undefined && <p>{advice}</p>}
      <dl>
        <Fact name="Model">{run.model === '' ? 'not known' : run.model}</Fact>
        <Fact name="Id">
          <code>{run.run_id}</code> <CopyButton text={run.run_id} what="the run's id" />
        </Fact>
        <Fact name="Started">
          <time dateTime={run.started_at}>{new Date(run.started_at).toLocaleString()}</time>
        </Fact>
        {run.duration_ms !== null && <Fact name="Worked">{duration(run.duration_ms)}</Fact>}
        <Fact name="Alone">{figuresOf(totalsOf(run))}</Fact>
        {node !== undefined && node.totals.runs > 1 && (
          <Fact name={`With ${counted(node.totals.runs - 1, 'agent')} below it`}>
            {figuresOf(node.totals)}
          </Fact>
        )}
      </dl>
      {execution !== undefined && (
        <a href={execution} target="_blank" rel="noreferrer">
          Its execution in Step Functions
        </a>
      )}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Where its execution is in the console of Step Functions, if it has one there. */
function useExecution({ run_id: id, status }: RunOverview): string | undefined {
  const [whole, setWhole] = useState<RunResource>();
  useEffect(() => {
    const ending = new AbortController();
    const reading = get<RunResource>(`runs/${id}`, ending.signal);
    // The rest of the page shows the server's faults.
    reading.then(setWhole, () => {});
    return () => ending.abort();
    // One that goes on has another one.
  }, [id, status]);
  return whole?.run_id === id ? whole.execution_url : undefined;
}

function figuresOf(totals: Totals): string {
  const { turns, toolCalls, inputTokens, outputTokens, cacheReadTokens } = totals;
  const cached = cacheReadTokens > 0 ? ` (${cacheReadTokens.toLocaleString('en')} of them cached)` : '';
  const cost = costOf(totals);
  return [
    counted(turns, 'turn'),
    counted(toolCalls, 'tool call'),
    `${inputTokens.toLocaleString('en')} tokens in${cached}, ${outputTokens.toLocaleString('en')} out`,
    cost === null ? 'cost not known' : dollars(cost),
  ].join(' · ');
}
