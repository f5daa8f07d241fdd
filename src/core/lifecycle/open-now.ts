import * as v from 'valibot';
import type { ContextPorts } from '../agent-schema/context.ts';
import type { Opened } from '../records/opened.ts';
import type { RunReads } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import type { Seconds } from '../records/times.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { openAgentFile, type AgentFilePorts } from './open-agent-file.ts';
import { findOrigin, RunInput, type Origin } from './origin.ts';
import { defined } from '../../defined.ts';
import type { Owned } from '../records/owner.ts';

export interface OpenNowPorts extends ContextPorts, Pick<AgentFilePorts, 'issuer'> {
  records: RunReads;
  tools: LoadOwnTools;
}

/** A person's request for the top of a tree that says nothing yet. */
const NOTHING_ASKED = {
  path: '',
  depth: 0,
  timeout: 0 satisfies Seconds,
  task: '',
  message: '',
  input: '',
  workdir: '',
  overrides: {},
} as const;

/**
 * How a run of an agent would begin now, without its memories. Nothing is written and no server is asked: its tools are
 * those that the servers offered last, or none.
 * @param owner the owner that the run would have
 * @throws {ConfigError | AgentError} if no run of it would begin
 */
export function openNow(agent: string, owner: Owned, ports: OpenNowPorts): Promise<Opened> {
  const { packOf: _packOf, ...source } = ports.source;
  return openAgentFile('', { ...NOTHING_ASKED, agent, owner }, withoutEffect({ ...ports, source }));
}

/**
 * How a run would begin if it were asked for now, in the same place of its tree and with the same settings of its caller.
 * @param run opened from its agent's file
 * @throws {ConfigError | AgentError} if it would not begin
 */
export async function reopenNow(
  { id, root, agent, depth, parent, pack }: Run,
  ports: OpenNowPorts,
): Promise<Opened> {
  const input = v.parse(RunInput, { agent, run: id, depth, ...defined({ parent }) });
  const { records: store, tools } = ports;
  const origin: Origin = await findOrigin(id, input, { store, tools });
  return openAgentFile(root, { ...origin, ...defined({ pack }) }, withoutEffect(ports));
}

function withoutEffect({ records, tools, ...context }: OpenNowPorts): AgentFilePorts {
  return {
    ...context,
    tools,
    memories: { of: () => ({ entries: async () => [] }) },
    store: {
      async listing(server) {
        const kept = await records.listing(server);
        return kept && { ...kept, until: Infinity };
      },
      saveListing: async () => {},
      attachment: async () => undefined,
      saveAttachment: async () => {},
    },
    servers: { list: async () => ({ tools: [], notes: [], until: 0 }) },
    now: () => 0,
  };
}
