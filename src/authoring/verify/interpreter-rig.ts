import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import scheduledStart from '../../../infra/scheduled-start.asl.json' with { type: 'json' };
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import { parseKnownModelName } from '../../core/model/model-name.ts';
import type { Folder } from '../../places/local/local-environment.ts';
import type { LocalPipeline } from '../../places/local/local-pipeline.ts';
import { openFolder } from '../../places/local/open-folder.ts';
import { createPrices } from '../../core/spending/prices.ts';
import { tickParts, tickRunId } from '../../core/records/run-id.ts';
import { openPackedAgents, PACKED_AGENTS, packAgents } from '../loading/folders/packed-agents.ts';
import { VERIFICATION_AGENTS, VERIFICATION_SCRIPTS } from './agents.ts';
import { openPackedScripts, PACKED_SCRIPTS, packScripts } from './packed-scripts.ts';
import type { Rig } from './rig.ts';

/** Serves the HTTP API over a folder to the holder of a token. */
export type ServeToHolder = (served: {
  /** Where its agents work. */
  cwd: string;
  folder: Folder;
  source: AgentSource;
  token: string;
}) => Promise<{ url: string; close(): Promise<void> }>;

/**
 * The interpreter in this process, with agents and scripts as they are deployed, in a folder of its own.
 * @param serve is what signed requests are sent to
 */
export async function openInterpreterRig(serve: ServeToHolder): Promise<Rig> {
  const cwd = await mkdtemp(join(tmpdir(), 'cadre-verify-'));
  await writeFile(join(cwd, PACKED_AGENTS), packAgents(VERIFICATION_AGENTS));
  await writeFile(join(cwd, PACKED_SCRIPTS), packScripts(VERIFICATION_SCRIPTS));
  const source = openPackedAgents(cwd);
  const model = await openPackedScripts(cwd);
  const models = {
    open: (name: string) => Promise.resolve({ model, name: parseKnownModelName(name).name }),
  };
  const sources = { env: {}, source, models, prices: createPrices() };
  const folder = await openFolder({ cwd, sources: async () => sources });
  const { machines, settled } = (await folder.carrier()).pipeline;
  const startingMachineArn = createStartingMachine(machines);

  const token = randomBytes(24).toString('base64url');
  const server = await serve({ cwd, folder, source, token });

  return {
    ...folder,
    pollMs: 50,
    history: async (executionArn) => machines.getExecutionHistory({ executionArn }),
    async halt(executionArn) {
      machines.stopExecution({ executionArn });
    },
    // The interpreter loses no event, and is as a deployment leaves it.
    unnoticed: (work) => work(),
    revision: async () => randomBytes(8).toString('hex'),
    async redrive(executionArn) {
      machines.redriveExecution({ executionArn });
    },
    async ask(method, path, isSigned, body) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          ...(isSigned && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
    async schedule(agent, prompt) {
      const at = Date.now();
      const input = { agent, prompt, time: new Date(at).toISOString(), ...tickParts(agent) };
      machines.startExecution({ stateMachineArn: startingMachineArn, input });
      return tickRunId(agent, at);
    },
    async close() {
      machines.stopAll('cadre verify is over');
      await server.close();
      await settled();
      await folder.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

/** The machine that schedules start in an account, beside the pipeline's own. */
function createStartingMachine(machines: LocalPipeline['machines']): string {
  const [conversation] = machines.listStateMachines();
  if (conversation === undefined) throw new TypeError('the pipeline has no machine');
  const definition = JSON.stringify(scheduledStart)
    .replaceAll('${Partition}', 'aws')
    .replaceAll('${ControlFunction}', 'ControlFunction')
    .replaceAll('${ConversationMachine}', conversation.stateMachineArn);
  return machines.createStateMachine({
    name: 'schedule',
    definition,
    roleArn: conversation.roleArn,
  }).stateMachineArn;
}
