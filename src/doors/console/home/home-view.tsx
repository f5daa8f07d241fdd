import { useRef, useState } from 'preact/hooks';
import { useTitle } from '../shared/use-title.ts';
import type { AgentList, Costs, RunList } from '../../api/answers.ts';
import { useAnswer } from '../client/use-answer.ts';
import { StartForm } from '../steering/start-form.tsx';
import { AgentCards } from './agent-cards.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NeedsYou } from './needs-you.tsx';
import { Failures, RunningNow } from './runs-now.tsx';
import { DAYS, SpendingSection } from './spending-section.tsx';
import { useLastVisit } from './use-last-visit.ts';
import './home.css';

/** How often to look for what changes slowly, in milliseconds. */
const EVERY_MS = 30_000;

/** Where a day begins: what needs a person, what failed, what runs, what it cost, and a way to start more. */
export function HomeView({ environment }: { environment: string | undefined }) {
  const { since, onSeen } = useLastVisit();
  const agents = useAnswer<AgentList>('agents', EVERY_MS);
  const newest = useAnswer<RunList>('runs?limit=50', EVERY_MS);
  const costs = useAnswer<Costs>(`costs?by=day,agent&since=${DAYS}d`, EVERY_MS);
  const [chosen, setChosen] = useState<string>();
  const box = useRef<HTMLElement>(null);
  useTitle();
  const onStart = (agent: string) => {
    setChosen(agent);
    box.current?.scrollIntoView({ block: 'center' });
    box.current?.querySelector('textarea')?.focus();
  };
  const isEmpty = newest.data?.runs.length === 0;
  return (
    <div class="home">
      <h1>Home</h1>
      <div class="home-columns">
        <div class="home-column">
          {isEmpty ? (
            <FirstSteps agents={agents.data?.agents ?? []} environment={environment} />
          ) : (
            <>
              <NeedsYou />
              <Failures since={since} onSeen={onSeen} />
              <RunningNow />
            </>
          )}
        </div>
        <div class="home-column home-right">
          <section class="card home-section" ref={box} aria-label="Start a run">
            <h2>Start a run</h2>
            <StartForm agent={chosen} tellsFaults={false} />
          </section>
          {!isEmpty && <SpendingSection answer={costs} />}
        </div>
        <AgentCards agents={agents} newest={newest.data} costs={costs.data?.rows} onStart={onStart} />
      </div>
    </div>
  );
}
