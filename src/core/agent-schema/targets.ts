import type { FunctionTarget } from '../records/call.ts';
import { secretsNamed } from '../records/secrets.ts';
import { authSecrets, sentWith, type ToolServer } from '../records/tool-server.ts';
import { shellWord } from '../../shell-word.ts';
import type { AgentSource, LoadedAgent } from './agent-source.ts';
import type { Agent } from './agent.ts';
import { agentTree } from './agent-tree.ts';
import { ownFunctions } from './own-functions.ts';

/** What an agent reaches besides models: a server of tools, or a function of the user's own. */
export interface Target {
  /** `server "docs"`, `function "look_up"`. */
  name: string;
  /** A URL, a command line, `module tools/look-up.ts`, `Lambda function <name or ARN>`. */
  where: string;
  /** The names of the headers or variables that it gets, each with the secrets that it is made of; no values. */
  given: string[];
  /** Whether it is a program that is started on the machine where the agent runs. */
  isProgram: boolean;
}

/** In one line. */
export function targetText({ name, where, given }: Target): string {
  return `${name}: ${where}${given.length === 0 ? '' : ` (with ${given.join(', ')})`}`;
}

/** All that the agents reach, each once, in one line. */
export function targetTexts(targets: readonly Target[]): string[] {
  return [...new Set(targets.map(targetText))];
}

function targetsOf(agent: Agent): Target[] {
  return [
    ...agent.mcpServers.map(serverTarget),
    ...agent.remoteAgents.map(serverTarget),
    ...ownFunctions(agent).map(({ name, hook, source }) => functionTarget(name, source, hook)),
  ];
}

/** The same of an agent and of all that it can call. */
export async function targetsOfTree(
  name: string,
  loaded: LoadedAgent,
  source: AgentSource,
): Promise<Target[]> {
  const targets: Target[] = [];
  for await (const { agent } of agentTree(name, loaded, source)) targets.push(...targetsOf(agent));
  return targets;
}

export function serverTarget(server: Pick<ToolServer, 'name' | 'reach'>): Target {
  const { name, reach } = server;
  const isProgram = reach.kind === 'command';
  const where = isProgram ? [reach.command, ...reach.args].map(shellWord).join(' ') : asRequested(reach.url);
  const folder = isProgram && reach.cwd !== '' ? ` in ${shellWord(reach.cwd)}` : '';
  return {
    name: `${whatIs(server)} ${JSON.stringify(name)}`,
    where: `${where}${folder}`,
    given: givenBy({ ...sentWith(server), ...authSecrets(server) }),
    isProgram,
  };
}

/** An address as it is written, or as it is requested where it has characters that nobody can see or tell apart. */
function asRequested(url: string): string {
  return /^[!-~]+$/.test(url) ? url : new URL(url).href;
}

/** What an entry of an agent's file is, in words. */
export function whatIs({ reach }: Pick<ToolServer, 'reach'>): 'remote agent' | 'server' {
  return reach.kind === 'url' && reach.protocol === 'a2a' ? 'remote agent' : 'server';
}

/** @param hook as in `OwnFunction` */
export function functionTarget(name: string, source: FunctionTarget['source'], hook?: string): Target {
  const isProgram = 'file' in source;
  return {
    name: hook === undefined ? `function ${JSON.stringify(name)}` : `hook ${JSON.stringify(hook)}`,
    where: isProgram ? `module ${shellWord(source.file)}` : `Lambda function ${source.function}`,
    given: isProgram ? givenBy(source.env ?? {}) : [],
    isProgram,
  };
}

/** A value itself may be secret, where its author has written it out. */
function givenBy(written: Readonly<Record<string, string>>): string[] {
  return Object.entries(written).map(([key, value]) => {
    const name = shellWord(key);
    const secrets = secretsNamed([value]);
    return secrets.length === 0 ? name : `${name} from ${secrets.map((each) => `\${${each}}`).join(', ')}`;
  });
}
