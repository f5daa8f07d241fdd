import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { onRefused } from './client/api.ts';
import { hrefOf, type PageRoute } from './route.ts';
import { useRoute } from './use-route.ts';
import './agents/agents.css';
import { RunsView } from './runs/runs-view.tsx';
import { onDemand } from './shared/on-demand.tsx';
import { StartRun } from './steering/start-run.tsx';
import { Questions } from './steering/questions.tsx';
import { SignInView } from './sign-in-view.tsx';

const RunView = onDemand(async () => (await import('./tree/run-view.tsx')).RunView);

const AgentsView = onDemand(async () => (await import('./agents/agents-view.tsx')).AgentsView);
const AgentView = onDemand(async () => (await import('./agents/agent-view.tsx')).AgentView);

/**
 * The page: a bar on top, and below it the view of the address.
 * @param fault why a sign-in has just failed; absent: none has
 */
export function App({ fault }: { fault: string | undefined }) {
  const route = useRoute();
  const [wantsToken, setWantsToken] = useState(false);
  useEffect(() => onRefused(() => setWantsToken(true)), []);
  return (
    <>
      <header class="bar">
        <a class="home" href={hrefOf({ view: 'home' })}>
          Cadre
        </a>
        <StartRun />
        <Questions />
      </header>
      <main>
        {wantsToken ? <SignInView fault={fault} onGiven={() => setWantsToken(false)} /> : viewOf(route)}
      </main>
    </>
  );
}

/** The view at an address. */
function viewOf(route: PageRoute): ComponentChildren {
  switch (route.view) {
    case 'home':
      return <RunsView filter={{}} />;
    case 'runs':
      return <RunsView filter={route.filter ?? {}} />;
    case 'run':
      return <RunView key={route.top} top={route.top} selected={route.selected} />;
    case 'compare':
      return <h1 class="plain-view">Compare</h1>;
    case 'agents':
      return <AgentsView />;
    case 'agent':
      return <AgentView key={route.name} name={route.name} />;
    case 'nowhere':
      return (
        <p role="alert" class="nowhere">
          This address leads nowhere. <a href={hrefOf({ view: 'runs' })}>All runs</a>
        </p>
      );
  }
}
