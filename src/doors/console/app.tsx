import { useEffect, useState } from 'preact/hooks';
import { onRefused } from './client/api.ts';
import { hrefOf } from './route.ts';
import { useRoute } from './use-route.ts';
import { RunsView } from './runs/runs-view.tsx';
import { StartRun } from './steering/start-run.tsx';
import { Questions } from './steering/questions.tsx';
import { SignInView } from './sign-in-view.tsx';
import { onDemand } from './shared/on-demand.tsx';

const RunView = onDemand(async () => (await import('./tree/run-view.tsx')).RunView);

/**
 * The page: a bar on top, and below it the list of runs or one run.
 * @param fault why a sign-in has just failed; absent: none has
 */
export function App({ fault }: { fault: string | undefined }) {
  const route = useRoute();
  const [wantsToken, setWantsToken] = useState(false);
  useEffect(() => onRefused(() => setWantsToken(true)), []);
  return (
    <>
      <header class="bar">
        <a class="home" href={hrefOf({ view: 'runs' })}>
          Cadre
        </a>
        <StartRun />
        <Questions />
      </header>
      <main>
        {wantsToken ? (
          <SignInView fault={fault} onGiven={() => setWantsToken(false)} />
        ) : route.view === 'runs' ? (
          <RunsView filter={route.filter ?? {}} />
        ) : route.view === 'nowhere' ? (
          <p role="alert" class="nowhere">
            This address leads nowhere. <a href={hrefOf({ view: 'runs' })}>All runs</a>
          </p>
        ) : (
          <RunView key={route.top} top={route.top} selected={route.selected} />
        )}
      </main>
    </>
  );
}
