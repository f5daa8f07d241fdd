import type { Instant } from '../../core/records/times.ts';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import type { OpenNowPorts } from '../../core/lifecycle/open-now.ts';
import type { EvalReport } from '../../core/reports/eval-report.ts';
import type { Prices } from '../../core/spending/prices.ts';
import type { Environment } from '../../places/environment.ts';
import type { SignIns } from '../../places/sign-ins.ts';
import type { Person } from '../../core/records/owner.ts';

/** What it takes to serve those who follow runs, and change nothing. */
export interface WatchContext {
  environment: Pick<Environment, 'follow' | 'look' | 'records'>;
  /** Whether answers reach a client while they are written; if not, an answer ends as soon as it has any content. */
  streams: boolean;
  now: () => Instant;
  /** Who asks; absent: somebody who may see and do all, for the account. */
  caller?: TokenBearer;
  /** Of the tokens by which callers are told apart; absent: it takes none. */
  issuer?: string | undefined;
  /** The scopes of tokens whose bearers see the runs of all; absent: there are none. */
  adminScopes?: readonly string[] | undefined;
  /**
   * The scopes of tokens whose bearers may answer questions; absent: whoever may ask for it, because a service in front
   * of this holds the route to that.
   */
  answerScopes?: readonly string[] | undefined;
  /** Takes what a client must not see: everything that is no fault of the client. */
  log: (fault: ApiFault) => void;
}

/** What doors over HTTP are handed: the environment, and what is of the door alone. */
export interface ApiContext extends WatchContext {
  environment: Environment;
  /** The agents that are listed. */
  source: AgentSource;
  /** Models that callers may choose beside an agent's own. */
  models: readonly string[];
  /** The agent whose card of Agent2Agent is that of the server; absent: the only one that is offered. */
  a2a?: string | undefined;
  /** The longest that an answer may take to be complete; absent: as long as its run. */
  answerSeconds?: number;
}

/** A caller whose token names them; the runs that it starts are theirs. */
export interface TokenBearer extends Person {
  /** Whether it may see and steer the runs of all. */
  isAdministrator: boolean;
  /** Whether it may answer questions. */
  mayAnswer: boolean;
}

/** What the HTTP API is handed beside that. */
export interface AgentsContext extends ApiContext {
  /** The evaluations that are kept here, the newest first; absent: none are. */
  evaluations?: () => Promise<EvalReport[]>;
  /** Where callers sign in to the servers of agents; absent: nobody does. */
  signIns?: () => Promise<SignIns>;
  /** How runs of agents begin here; loaded where a client looks at an agent. */
  openings: () => Promise<Openings>;
}

export interface Openings extends Pick<OpenNowPorts, 'cwd' | 'openWorkspace'> {
  prices: Prices;
  /** The names of providers that are set up besides the known ones. */
  providers: readonly string[];
}

export interface ApiFault {
  /** The id that the client was given. */
  id: string;
  method: string;
  path: string;
  thrown: unknown;
}
