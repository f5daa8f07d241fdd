import { execFileSync } from 'node:child_process';
import type { LoadedAgent } from '../src/core/agent-schema/agent-source.ts';
import type { Rollout } from '../src/places/aws/deployment.ts';
import { ConfigError } from '../src/errors.ts';
import { asMistake } from './mistake.ts';
import type { DeployedProviders } from '../src/core/model/provider-settings.ts';
import type { WebSearchProvider } from '../src/core/tool-contracts/web-search.ts';
import type { RolloutToDeploy } from './rollout.ts';
import { packageFile } from './package-root.ts';

/** The project to deploy. */
export interface ProjectToDeploy {
  /** Absolute. Skills and the modules of functions are looked up in the folder that contains it. */
  agentsFolder: string;
  localAgents: readonly string[];
  /** Absent: there is none. */
  rollout?: RolloutToDeploy;
  providers: DeployedProviders;
  /** Whether the agents of `cadre verify` are deployed beside those of the project. */
  verify: boolean;
  /** Whether the API serves the page. */
  console: boolean;
  /** Whether the API takes tokens, by which it tells persons apart. */
  takesTokens: boolean;
  /** Who searches the web for its agents; undefined: nobody. */
  searching: WebSearchProvider | undefined;
  /** Whether there is a place without a network for commands. */
  sandboxVpc: boolean;
  /** Absolute: where the functions are laid out; replaced if it is there. */
  functionsFolder: string;
}

/** By the name that an agent runs as: its file's, without `.toml`. */
export type DeployedAgents = ReadonlyMap<string, Pick<LoadedAgent, 'agent' | 'warnings'>>;

/** A function that is made of a module. */
export interface UserModule {
  /** Its name for models. */
  name: string;
  description: string;
  /** As agents name it. */
  file: string;
  /** The longest of the times that agents give it. */
  seconds: number;
  /** Its variables as agents write them, with `${NAME}` where a secret belongs. */
  env: Readonly<Record<string, string>>;
}

/** The agents and modules of a project, found to be in order and laid out as they are deployed. */
export interface Project {
  /** Those of the agents' folder. */
  agents: DeployedAgents;
  /** Those of the next pack among them, by its folder too: `agents-next/top`. */
  everyAgent: DeployedAgents;
  /** Absent: there is none. */
  rollout: Rollout | undefined;
  modules: readonly UserModule[];
}

export type PreparedAgents = Record<string, Pick<LoadedAgent, 'agent' | 'warnings'>>;

/** The messages of the process that prepares a project. */
export type Preparation =
  | {
      agents: PreparedAgents;
      /** As in `Project`; absent: there is one pack. */
      everyAgent?: PreparedAgents;
      rollout?: Rollout;
      modules: UserModule[];
    }
  | { fault: string };

/**
 * Checks a project and lays out its functions. Both wait for files and for the bundler, which a construct cannot: a
 * process of its own (prepare.ts) does it, and this one waits for the process.
 * @throws {ConfigError} with one line for each thing that is wrong: `file:line:column: …`
 */
export function prepareProject(project: ProjectToDeploy): Project {
  const said = execFileSync(process.execPath, [packageFile('dist/cdk/prepare.js')], {
    input: JSON.stringify({
      ...project,
      // A clone has them as they were built, the package has them packed.
      bundles: packageFile('dist/functions', 'dist/functions.json.br'),
      ...(project.console && { page: packageFile('dist/console') }),
    }),
    encoding: 'utf8',
    maxBuffer: Infinity,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- prepare.ts of this very version has written it
  const preparation = JSON.parse(said) as Preparation;
  if ('fault' in preparation) throw asMistake(new ConfigError(preparation.fault));
  const { agents, everyAgent = agents, rollout, modules } = preparation;
  return {
    agents: new Map(Object.entries(agents)),
    everyAgent: new Map(Object.entries(everyAgent)),
    rollout,
    modules,
  };
}
