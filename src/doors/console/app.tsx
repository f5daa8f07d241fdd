import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageConfig } from '../api/page.ts';
import { onRefused } from './client/api.ts';
import { signOut } from './client/session.ts';
import { pageConfig } from './client/sign-in.ts';
import { tab } from './client/tab.ts';
import { KeyList } from './frame/key-list.tsx';
import { useFrameKeys, type Command } from './frame/keys.ts';
import { Navigation } from './frame/navigation.tsx';
import { Notices } from './frame/notices.tsx';
import { Palette } from './frame/palette.tsx';
import { SignInView } from './frame/sign-in-view.tsx';
import { useSession } from './frame/use-session.ts';
import { HomeView } from './home/home-view.tsx';
import { hrefOf, type PageRoute } from './route.ts';
import { RunsView } from './runs/runs-view.tsx';
import { Dialog } from './shared/dialog.tsx';
import { onDemand } from './shared/on-demand.tsx';
import { StartRun } from './steering/start-run.tsx';
import { go, useRoute } from './use-route.ts';
import './agents/agents.css';

const CompareView = onDemand(async () => (await import('./compare/compare-view.tsx')).CompareView);
const RunView = onDemand(async () => (await import('./tree/run-view.tsx')).RunView);

const AgentsView = onDemand(async () => (await import('./agents/agents-view.tsx')).AgentsView);
const AgentView = onDemand(async () => (await import('./agents/agent-view.tsx')).AgentView);

const EvalsView = onDemand(async () => (await import('./evals/evals-view.tsx')).EvalsView);

const ServersView = onDemand(async () => (await import('./servers/servers-view.tsx')).ServersView);

/** What lies over the view. */
type Over = 'palette' | 'keys' | 'start' | 'questions';

/**
 * The page: the navigation, and the view of the address.
 * @param fault why a sign-in has just failed; absent: none has
 */
export function App({ fault }: { fault: string | undefined }) {
  const route = useRoute();
  const session = useSession();
  /** `needed`: they have put it off, and are reminded. `first`: there is nothing yet that could be shown. */
  const [signIn, setSignIn] = useState<'no' | 'first' | 'asked' | 'needed'>('no');
  const [over, setOver] = useState<Over>();
  const [{ environment }, setConfig] = useState<PageConfig>({});
  useEffect(() => void pageConfig(tab).then(setConfig, () => {}), []);
  useEffect(
    () => onRefused((wasIn) => setSignIn((now) => (now === 'no' ? (wasIn ? 'asked' : 'first') : now))),
    [],
  );
  const show = (what: Over) => () => setOver(what);
  const close = () => setOver(undefined);
  const commands: Command[] = [
    { name: 'Home', hint: 'g h', run: () => go({ view: 'home' }) },
    { name: 'Runs', hint: 'g r', run: () => go({ view: 'runs' }) },
    { name: 'Agents', hint: 'g a', run: () => go({ view: 'agents' }) },
    { name: 'Evaluations', hint: 'g e', run: () => go({ view: 'evals' }) },
    { name: 'Servers', hint: 'g s', run: () => go({ view: 'servers' }) },
    { name: 'Questions', hint: 'g q', run: show('questions') },
    { name: 'Start a run', hint: 'n', run: show('start') },
    { name: 'Keys', hint: '?', run: show('keys') },
  ];
  useFrameKeys(commands, show('palette'));
  const signingOut = session === undefined ? [] : [{ name: 'Sign out', hint: 'action', run: signOut }];
  return (
    <>
      <Navigation
        route={route}
        environment={environment}
        session={session}
        areQuestionsShown={over === 'questions'}
        onQuestions={(areShown) => setOver(areShown ? 'questions' : undefined)}
        onStart={show('start')}
        onPalette={show('palette')}
      />
      <main>
        <Notices session={session} hasEnded={signIn === 'needed'} onSignIn={() => setSignIn('asked')} />
        {signIn === 'first' ? (
          <SignInView fault={fault} isBeside={false} onGiven={() => setSignIn('no')} />
        ) : (
          viewOf(route, environment)
        )}
      </main>
      {over === 'palette' && <Palette commands={[...commands, ...signingOut]} onClose={close} />}
      {over === 'keys' && <KeyList commands={commands} onClose={close} />}
      {over === 'start' && <StartRun onClose={close} />}
      {signIn === 'asked' && (
        <Dialog title="Sign in again" onClose={() => setSignIn('needed')}>
          <SignInView isBeside onGiven={() => setSignIn('no')} />
        </Dialog>
      )}
    </>
  );
}

/** The view at an address. */
function viewOf(route: PageRoute, environment: string | undefined): ComponentChildren {
  switch (route.view) {
    case 'home':
      return <HomeView environment={environment} />;
    case 'runs':
      return <RunsView filter={route.filter ?? {}} />;
    case 'run':
      return <RunView key={route.top} top={route.top} selected={route.selected} />;
    case 'compare':
      return <CompareView key={`${route.left} ${route.right}`} left={route.left} right={route.right} />;
    case 'agents':
      return <AgentsView />;
    case 'agent':
      return <AgentView key={route.name} name={route.name} />;
    case 'evals':
      return <EvalsView />;
    case 'servers':
      return <ServersView cameBack={route.cameBack} />;
    case 'nowhere':
      return (
        <div role="alert" class="nowhere">
          <h1>This address leads nowhere</h1>
          <a href={hrefOf({ view: 'runs' })}>All runs</a>
        </div>
      );
  }
}
