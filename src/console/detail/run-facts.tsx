import { useEffect, useState } from 'preact/hooks';
import type { RunResource } from '../../api/answers.ts';
import type { RunOverview } from '../../reports/run-schemas.ts';
import { get } from '../client/api.ts';
import type { SelectedRun } from '../selected-run.ts';
import { counted, dollars, duration } from '../shared/figures.ts';
import { lookOf, stateWords } from '../tree/state-words.ts';
import { adviceFor } from './advice.ts';
import { visible } from '../shared/visible.ts';

/** How a run is doing, what it is made with, and what it has used: alone, and with everything below it. */
export function RunFacts({ run, tree }: SelectedRun) {
  const whole = useWhole(run);
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
        <Fact name="Started">
          <time dateTime={run.started_at}>{new Date(run.started_at).toLocaleString()}</time>
        </Fact>
        {run.duration_ms !== null && <Fact name="Worked">{duration(run.duration_ms)}</Fact>}
        <Fact name="Alone">{figuresOf(run)}</Fact>
        {whole !== undefined && whole.tree.runs > 1 && (
          <Fact name={`With ${counted(whole.tree.runs - 1, 'agent')} below it`}>{figuresOf(whole.tree)}</Fact>
        )}
      </dl>
      {whole?.execution_url !== undefined && (
        <a href={whole.execution_url} target="_blank" rel="noreferrer">
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

/** The run with its totals: read again when it has changed. */
function useWhole(run: RunOverview): RunResource | undefined {
  const [whole, setWhole] = useState<RunResource>();
  useEffect(() => {
    const ending = new AbortController();
    const reading = get<RunResource>(`runs/${run.run_id}`, ending.signal);
    // The rest of the page shows what is wrong with the server.
    reading.then(setWhole, () => {});
    return () => ending.abort();
  }, [run.run_id, run.status, run.turns]);
  return whole?.run_id === run.run_id ? whole : undefined;
}

type Figures = Pick<
  RunOverview,
  'turns' | 'tool_calls' | 'input_tokens' | 'output_tokens' | 'usd' | 'cache_read_tokens'
>;

function figuresOf(used: Figures): string {
  const cached =
    used.cache_read_tokens > 0 ? ` (${used.cache_read_tokens.toLocaleString('en')} of them cached)` : '';
  return [
    counted(used.turns, 'turn'),
    counted(used.tool_calls, 'tool call'),
    `${used.input_tokens.toLocaleString('en')} tokens in${cached}, ${used.output_tokens.toLocaleString('en')} out`,
    used.usd === null ? 'cost not known' : dollars(used.usd),
  ].join(' · ');
}
