import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { targetsOfTree, type Target } from '../../core/agent-schema/targets.ts';
import { ConfigError } from '../../errors.ts';

// A folder that was cloned brings agents along, and agents name programs: commands of tool servers, and modules. None
// of them is started before the user has trusted the folder. What starts them asks here each time, since records of
// runs name programs too; what begins or goes on with a run asks before it does anything.

/** Whether programs that a folder's agents name may be started on this machine. */
export interface FolderTrust {
  isTrusted(): boolean;
  /**
   * Lets programs be started, after asking the user if a person can be asked here.
   * @param programs which ones; only called where the folder is not trusted
   * @throws {ConfigError} with the command by which the user trusts the folder, unless there are none
   */
  assertTrusted(programs: () => Promise<readonly Target[]>): Promise<void>;
}

/** Where no folder is the user's. */
export const NO_TRUST: FolderTrust = {
  isTrusted: () => false,
  async assertTrusted(programs) {
    const [first] = await programs();
    if (first !== undefined)
      throw new ConfigError(`${first.name} is a program, and none may be started here`);
  },
};

/**
 * Lets agents, and all that they can call, start their programs.
 * @throws {ConfigError} as `assertTrusted` does
 */
export function assertAgentsTrusted(
  names: readonly string[],
  { source, trust = NO_TRUST }: { source: AgentSource; trust?: FolderTrust },
): Promise<void> {
  return trust.assertTrusted(() => programsOf(names, source));
}

/** The programs of agents and of all that they can call. Agents that cannot be loaded start none. */
export async function programsOf(names: readonly string[], source: AgentSource): Promise<Target[]> {
  const found: Target[] = [];
  for (const name of names) {
    const loaded = await loadAgent(name, source).catch(() => undefined);
    if (loaded !== undefined) found.push(...(await targetsOfTree(name, loaded, source)));
  }
  return found.filter(({ isProgram }) => isProgram);
}
