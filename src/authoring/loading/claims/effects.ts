import { ConfigError } from '../../../errors.ts';
import { isLocal, parseModelName } from '../../../core/model/model-name.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { isLater, toolsNamed } from '../../../core/agent-schema/tool-names.ts';
import { nearMiss } from '../../../core/spending/known-models.ts';
import type { FileClaim } from './claim.ts';
import { modelsOf } from './references.ts';
import { allowedCommands } from './commands.ts';
import { delegationClaims } from './delegation.ts';
import { servedModel } from './service.ts';
import type { DeploymentPorts } from './deployment.ts';

/** That the settings of an agent do what they seem to. Where they do not, it can run all the same. */
export function effectClaims(
  agent: Agent,
  { isReachable = () => false }: Pick<DeploymentPorts, 'isReachable'>,
): FileClaim[] {
  return [
    scheduledModel(agent, isReachable),
    modelForSchema(agent),
    servedModel(agent),
    ...fetchedHosts(agent),
    ...readBeforeChanged(agent),
    ...allowedCommands(agent),
    ...olderFunctions(agent),
    ...delegationClaims(agent),
    ...knownModels(agent),
  ];
}

/** A model that is not known may be new, or mistyped. */
function knownModels(agent: Agent): FileClaim[] {
  return modelsOf(agent).map(({ path, model }) => ({
    path,
    check() {
      const meant = nearMiss(model);
      if (meant === undefined) return;
      throw new ConfigError(`model "${model}" is not known here; did you mean "${meant}"?`);
    },
  }));
}

/** A schedule is followed in an account, or while `cadre serve` runs, and no person watches the result. */
function scheduledModel({ model, schedule }: Agent, isReachable: (provider: string) => boolean): FileClaim {
  return {
    path: ['schedule'],
    isOfKey: true,
    check() {
      const isElsewhere = isLocal(model) && isReachable(parseModelName(model).provider);
      if (schedule === undefined || isElsewhere || !(isLocal(model) || model.startsWith('offline/'))) return;
      throw new ConfigError(
        model.startsWith('offline/')
          ? `the model of this schedule, "${model}", only picks sentences`
          : `the model of this schedule, "${model}", exists on this machine only: an account does not start it`,
      );
    },
  };
}

function modelForSchema({ model, output }: Agent): FileClaim {
  return {
    path: ['output'],
    isOfKey: true,
    check() {
      if (output === undefined || !model.startsWith('offline/')) return;
      throw new ConfigError(
        `the model of this agent, "${model}", only picks sentences: it cannot answer with JSON`,
      );
    },
  };
}

/** They refuse a file that `read_file` has not read in the run. `write_file` does too, but makes new ones. */
const CHANGES_WHAT_WAS_READ: readonly string[] = ['delete_file', 'edit_file'];

function readBeforeChanged({ tools }: Agent): FileClaim[] {
  const mayRead = toolsNamed(tools).includes('read_file');
  return tools.map((tool, index) => ({
    path: ['tools', index],
    check() {
      if (mayRead || !CHANGES_WHAT_WAS_READ.includes(tool)) return;
      throw new ConfigError(`${tool} needs files to be read first: add "read_file" to tools`);
    },
  }));
}

/** Functions whose names have become those of tools since. */
function olderFunctions({ functions }: Agent): FileClaim[] {
  return functions.map(({ name }, index) => ({
    path: ['functions', index, 'name'],
    check() {
      if (!isLater(name)) return;
      throw new ConfigError(`function "${name}" takes the place of the built-in tool of that name`);
    },
  }));
}

function fetchedHosts({ tools, allowedHosts }: Agent): FileClaim[] {
  return tools.map((tool, index) => ({
    path: ['tools', index],
    check() {
      if (tool !== 'fetch_url' || allowedHosts.length > 0) return;
      throw new ConfigError('fetch_url can reach no host: name those that it may in allowed_hosts');
    },
  }));
}
