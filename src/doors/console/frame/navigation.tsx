import type { ComponentChildren } from 'preact';
import { signOut } from '../client/session.ts';
import type { PageSession } from '../client/sign-in.ts';
import { hrefOf, type PageRoute } from '../route.ts';
import { Questions } from '../steering/questions.tsx';
import { Icon } from './icons.tsx';
import './frame.css';

export interface NavigationProps {
  route: PageRoute;
  /** The environment that the server shows; absent: a folder. */
  environment: string | undefined;
  session: PageSession | undefined;
  areQuestionsShown: boolean;
  onQuestions: (areShown: boolean) => void;
  onStart: () => void;
  onPalette: () => void;
}

/** Where a person can go from anywhere: a bar at the side, on phones at the bottom. */
export function Navigation(props: NavigationProps) {
  const { route, environment, session, areQuestionsShown, onQuestions, onStart, onPalette } = props;
  const isIn = (...views: PageRoute['view'][]) => views.includes(route.view);
  return (
    <header class="frame-bar">
      <div class="frame-top">
        <a class="frame-name" href={hrefOf({ view: 'home' })}>
          Cadre
        </a>
        {environment !== undefined && (
          <span class="badge frame-environment" title={`Environment ${environment}`}>
            {environment}
          </span>
        )}
        <button type="button" class="main frame-start" aria-haspopup="dialog" onClick={onStart}>
          <Icon of="start" /> <span>Start a run</span>
        </button>
      </div>
      <nav aria-label="Main" class="frame-nav">
        <Place href={hrefOf({ view: 'home' })} isHere={isIn('home')} icon="home">
          Home
        </Place>
        <Place href={hrefOf({ view: 'runs' })} isHere={isIn('runs', 'run', 'compare')} icon="runs">
          Runs
        </Place>
        <Place href={hrefOf({ view: 'agents' })} isHere={isIn('agents', 'agent')} icon="agents">
          Agents
        </Place>
        <Questions areShown={areQuestionsShown} onShow={onQuestions} />
        <button type="button" class="frame-place" aria-haspopup="dialog" onClick={onPalette}>
          <Icon of="search" /> <span>Find</span> <kbd>Ctrl K</kbd>
        </button>
      </nav>
      {session !== undefined && (
        <div class="frame-person">
          {session.who !== undefined && <span title={session.who}>{session.who}</span>}
          <button type="button" class="plain" onClick={signOut}>
            Sign out
          </button>
        </div>
      )}
    </header>
  );
}

interface PlaceProps {
  href: string;
  isHere: boolean;
  icon: 'home' | 'runs' | 'agents';
  children: ComponentChildren;
}

function Place({ href, isHere, icon, children }: PlaceProps) {
  return (
    <a class="frame-place" href={href} {...(isHere && { 'aria-current': 'page' as const })}>
      <Icon of={icon} /> <span>{children}</span>
    </a>
  );
}
