import { text } from 'node:stream/consumers';
import { ConfigError } from '../src/errors.ts';
import { loadDeployedAgents } from './deployed-agents.ts';
import type { Preparation, ProjectToDeploy } from './project.ts';
import { stageFunctions } from './staged-functions.ts';
import { modulesOf } from './user-modules.ts';

// A process of its own, which `prepareProject` waits for: reads a `ProjectToDeploy` with the folder of the functions'
// bundles from its standard input, and writes a `Preparation` to its standard output.

type Asked = ProjectToDeploy & { bundles: string; page?: string };

async function prepare({ bundles, functionsFolder, verify, ...project }: Asked): Promise<Preparation> {
  try {
    const agents = await loadDeployedAgents({ ...project, cwd: process.cwd() });
    const modules = modulesOf(agents);
    await stageFunctions(functionsFolder, { ...project, bundles, agents, modules, verify });
    const known = [...agents].map(([name, { agent, warnings }]) => [name, { agent, warnings }] as const);
    return { agents: Object.fromEntries(known), modules };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { fault: error.message };
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `prepareProject` of this very version has written it
const asked = JSON.parse(await text(process.stdin)) as Asked;
process.stdout.write(JSON.stringify(await prepare(asked)));
