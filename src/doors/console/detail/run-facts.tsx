import { count, counted } from '../../../counted.ts';
import type { RunResource } from '../../api/answers.ts';
import { whoWords } from '../../../core/reports/words/phase-words.ts';
import { WAY_WORDS } from '../../../core/reports/words/way-words.ts';
import { get } from '../client/api.ts';
import { me } from '../client/me.ts';
import { useReading } from '../client/use-answer.ts';
import { DeadlineOf } from '../steering/deadline.tsx';
import type { SelectedRun } from '../selected-run.ts';
import { dollars } from '../shared/figures.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { RunSymbol } from '../tree/run-symbol.tsx';
import { stateWords } from '../tree/state-words.ts';
import { RunTimes } from '../tree/times.tsx';
import { costOf, totalsOf, type Totals } from '../tree/totals.ts';
import { visible } from '../shared/visible.ts';

/** How a run is doing, what it is made with, and what it has used: alone, and with everything below it. */
export function RunFacts({ run, tree }: SelectedRun) {
  const { run_id: id, status } = run;
  // One that goes on has another execution.
  const whole = useReading(`${id} ${status}`, (_, signal) => get<RunResource>(`runs/${id}`, signal));
  const execution = whole.data?.execution_url;
  const { page: advice } = WAY_WORDS[run.way_on ?? 'none'];
  const node = tree.node(run.run_id);
  return (
    <div class="facts">
      {/* Why there is no answer is what a reader wants to know first. */}
      {run.error !== undefined && <p class="problem">{visible(run.error)}</p>}
      <p>
        <RunSymbol run={run} /> {node && stateWords(node)}
        <DeadlineOf run={run} />
      </p>
      {advice !== '' && <p>{advice}</p>}
      <dl>
        <Fact name="Model">{run.model === '' ? 'not known' : run.model}</Fact>
        <Fact name="Id">
          <code>{run.run_id}</code> <CopyButton text={run.run_id} what="the run's id" />
        </Fact>
        <Fact name="Started">
          <time dateTime={run.started_at}>{new Date(run.started_at).toLocaleString()}</time>
        </Fact>
        <Fact name="Time">
          <RunTimes run={run} />
        </Fact>
        {run.resumed_by !== undefined && (
          <Fact name="Resumed by">{visible(whoWords(run.resumed_by, me()))}</Fact>
        )}
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

function figuresOf(totals: Totals): string {
  const { turns, toolCalls, inputTokens, outputTokens, cacheReadTokens } = totals;
  const cached = cacheReadTokens > 0 ? ` (${count(cacheReadTokens)} of them cached)` : '';
  const cost = costOf(totals);
  return [
    counted(turns, 'turn'),
    counted(toolCalls, 'tool call'),
    `${count(inputTokens)} tokens in${cached}, ${count(outputTokens)} out`,
    cost === null ? 'cost not known' : dollars(cost),
  ].join(' · ');
}
