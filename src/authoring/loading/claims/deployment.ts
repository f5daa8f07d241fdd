import { ConfigError } from '../../../errors.ts';
import { isLocal, parseModelName, PROVIDER_NAMES } from '../../../core/model/model-name.ts';
import { hasNoAddress } from '../../../core/model/model-vendors.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import type { LoadedAgent } from '../../../core/agent-schema/agent-source.ts';
import { compilePattern } from '../../../core/agent-schema/file-pattern.ts';
import { takesSignIn, type ToolServer } from '../../../core/records/tool-server.ts';
import { whatIs } from '../../../core/agent-schema/targets.ts';
import { isOnThisMachine } from '../../../core/agent-schema/server-schema.ts';
import { resolveSkill, skillFolder } from '../../../core/agent-schema/skill.ts';
import type { WebSearchProvider } from '../../../core/tool-contracts/web-search.ts';
import { wayIn } from '../../../places/local/workspace/inside.ts';
import { RUN_COMMAND } from '../../../tools/run-command.ts';
import type { FileClaim } from './claim.ts';
import { modelsOf, type ReferencePorts } from './references.ts';
import { assertSearches } from './web-search.ts';

/** An environment's knowledge of providers. */
export interface DeploymentPorts extends ReferencePorts {
  /** Whether the environment has an address for the provider; absent: it has none for any. */
  isReachable?(provider: string): boolean;
  /** Who searches the web for its agents; absent: nobody. */
  searching?: WebSearchProvider | undefined;
  /** Whether it has a place without a network for commands. */
  sandboxVpc?: boolean;
  /** Whether it tells persons apart and has no page on which each could sign in to servers. */
  lacksPage?: boolean;
  /** The folders below an agent's root that are deployed with it; absent: the usual ones. */
  deployed?: readonly string[];
}

/** Checks that an account can run the agent with its deployed parts. */
export function deploymentClaims(loaded: LoadedAgent, ports: DeploymentPorts): FileClaim[] {
  const { agent } = loaded;
  return [
    ...cloudModels(agent, ports),
    ...deployedSkills(loaded, ports),
    ...deployedTools(agent, ports),
    deployedSandbox(agent, ports),
    ...reachableServers(agent, ports),
    ...moduleVariables(agent),
    ...filePatterns(agent),
  ];
}

function cloudModels(
  agent: Agent,
  { providers = [], isReachable = () => false }: DeploymentPorts,
): FileClaim[] {
  const { embedding } = agent.memory;
  const embeds = embedding === '' ? [] : [{ path: ['memory', 'embedding'], model: embedding }];
  return [...modelsOf(agent), ...embeds].map(({ path, model }) => ({
    path,
    check() {
      const { provider } = parseModelName(model);
      if (isReachable(provider)) return;
      if (isLocal(model)) {
        throw new ConfigError(
          `model "${model}" exists on this machine only: an account cannot run it; list agents that stay here under localAgents`,
        );
      }
      // That one is not known at all is another claim's.
      const isKnown = [...PROVIDER_NAMES, ...providers].includes(provider);
      if (!isKnown || !hasNoAddress(provider)) return;
      throw new ConfigError(
        `provider "${provider}" has no address: set providers.${provider}.baseUrl of the environment`,
      );
    },
  }));
}

function reachableServers({ mcpServers, remoteAgents }: Agent, ports: DeploymentPorts): FileClaim[] {
  return [
    ...mcpServers.map(reachable('mcp_servers', ports)),
    ...remoteAgents.map(reachable('remote_agents', ports)),
  ];
}

function reachable(table: string, { lacksPage = false }: DeploymentPorts) {
  return ({ name, reach }: ToolServer, index: number): FileClaim => ({
    path: [table, index, reach.kind],
    check() {
      if (reach.kind === 'command') {
        throw new ConfigError(`server "${name}" is a command, which an account cannot start: give it a url`);
      }
      if (lacksPage && takesSignIn({ reach })) {
        throw new ConfigError(
          `each person signs in to server "${name}" on the page, which the environment does not have: set "console": true of the environment, or let the client itself in with auth = "client_credentials"`,
        );
      }
      if (!isOnThisMachine(new URL(reach.url))) return;
      const what = whatIs({ reach });
      throw new ConfigError(`${what} "${name}" exists on this machine only: an account cannot reach it`);
    },
  });
}

/** The name of a function's variable (Lambda, "CreateFunction", Environment). */
const VARIABLE = /^[A-Za-z]\w+$/;

function moduleVariables({ functions }: Agent): FileClaim[] {
  return functions.flatMap(({ target: { source } }, index) =>
    Object.keys('file' in source ? (source.env ?? {}) : {}).map((name) => ({
      path: ['functions', index, 'env', name],
      isOfKey: true,
      check() {
        if (VARIABLE.test(name)) return;
        throw new ConfigError(
          `Lambda takes no variable called ${name}: it has to begin with a letter and have two characters or more`,
        );
      },
    })),
  );
}

function deployedSkills(
  { agent: { skill, skills }, root }: LoadedAgent,
  { deployed = ['agents', 'skills'] }: DeploymentPorts,
): FileClaim[] {
  const followed = skill.trim() === '' ? [] : [{ at: ['skill'], written: resolveSkill(skill, root) }];
  const listed = skills.map((each, index) => ({ at: ['skills', index], written: skillFolder(each, root) }));
  return [...followed, ...listed].map(({ at, written }) => ({
    path: at,
    check() {
      const path = wayIn(root, written);
      if (deployed.some((folder) => path.startsWith(`${folder}/`))) return;
      const folders = deployed.map((folder) => `${folder}/`).join(' and ');
      throw new ConfigError(`skill ${path} is not deployed: only ${folders} are`);
    },
  }));
}

function deployedTools(agent: Agent, { searching }: DeploymentPorts): FileClaim[] {
  return agent.tools.map((tool, index) => ({
    path: ['tools', index],
    check() {
      if (tool === 'web_search' && searching === undefined) {
        throw new ConfigError('web_search needs somebody who searches: set webSearch of the environment');
      }
      if (tool === 'web_search' && searching === 'model') assertSearches(agent);
      if (tool !== RUN_COMMAND || agent.sandbox.kind === 'isolated') return;
      throw new ConfigError(
        'run_command is for local runs only, unless it runs in a sandbox: set kind = "isolated" under [sandbox], give the agent a function of your own ([[functions]]), or keep the agent out of accounts (localAgents)',
      );
    },
  }));
}

function deployedSandbox({ sandbox }: Agent, { sandboxVpc = false }: DeploymentPorts): FileClaim {
  return {
    path: ['sandbox', 'kind'],
    check() {
      if (sandbox.kind === 'none' || sandbox.network || sandboxVpc) return;
      throw new ConfigError(
        'commands without a network run in a VPC without routes, and the environment has none: set its sandboxVpc, or network = true under [sandbox]',
      );
    },
  };
}

/** The files themselves are in a bucket. */
function filePatterns({ files }: Agent): FileClaim[] {
  return files.map((pattern, index) => ({ path: ['files', index], check: () => compilePattern(pattern) }));
}
