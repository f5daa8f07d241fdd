import type { Agent } from '../../../core/agent-schema/agent.ts';
import type { Sandbox } from '../../../core/records/call.ts';
import { RUN_COMMAND } from '../../../tools/run-command.ts';
import { sandboxName } from './protocol.ts';

/** What a function is made for. */
export interface DeployedSandbox extends Sandbox {
  /** As `sandboxName` has it. */
  name: string;
}

/**
 * Every sandbox in which commands of these agents can run; none if no agent runs any. An agent never has a wider
 * sandbox than its caller, so one with a network may also run without.
 */
export function sandboxesOf(agents: readonly Pick<Agent, 'sandbox' | 'tools'>[]): DeployedSandbox[] {
  if (!agents.some(({ tools }) => tools.includes(RUN_COMMAND))) return [];
  const written = agents
    .filter(({ sandbox }) => sandbox.kind === 'isolated')
    .map(({ sandbox: { network, image } }): Sandbox => ({ network, ...(image !== '' && { image }) }));
  const isAnyClosed = written.some(({ network }) => !network);
  const narrowed = isAnyClosed ? written.map((sandbox) => ({ ...sandbox, network: false })) : [];
  const byName = new Map([...written, ...narrowed].map((sandbox) => [sandboxName(sandbox), sandbox]));
  return [...byName].map(([name, sandbox]) => ({ name, ...sandbox }));
}
