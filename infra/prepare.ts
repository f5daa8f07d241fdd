import { text } from 'node:stream/consumers';
import { ConfigError } from '../src/errors.ts';
import type { LoadedAgent } from '../src/core/agent-schema/agent-source.ts';
import type { Preparation, PreparedAgents, ProjectToDeploy } from './project.ts';
import { everyAgent, loadPacks } from './rollout.ts';
import { stageFunctions } from './staged-functions.ts';
import { modulesOf } from './user-modules.ts';

// A process of its own, which `prepareProject` waits for: reads a `ProjectToDeploy` with the folder of the functions'
// bundles from its standard input, and writes a `Preparation` to its standard output.

type Asked = ProjectToDeploy & { bundles: string; page?: string };

async function prepare({ bundles, functionsFolder, verify, ...project }: Asked): Promise<Preparation> {
  try {
    const { agents, next } = await loadPacks({ ...project, cwd: process.cwd() });
    const all = everyAgent(agents, next);
    const modules = modulesOf(all);
    await stageFunctions(functionsFolder, { ...project, bundles, agents, next, modules, verify });
    return {
      agents: toConstruct(agents),
      ...(next !== undefined && { everyAgent: toConstruct(all), rollout: next.rollout }),
      modules,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { fault: error.message };
  }
}

/** What the construct has to know of them. */
function toConstruct(agents: ReadonlyMap<string, LoadedAgent>): PreparedAgents {
  return Object.fromEntries([...agents].map(([name, { agent, warnings }]) => [name, { agent, warnings }]));
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `prepareProject` of this very version has written it
const asked = JSON.parse(await text(process.stdin)) as Asked;
process.stdout.write(JSON.stringify(await prepare(asked)));
