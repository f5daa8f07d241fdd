import { basename } from 'node:path';
import type { Agent } from '../../core/agent-schema/agent.ts';
import { assertName } from '../../core/agent-schema/agent-name.ts';
import { AgentFileError, type AgentSource, type LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { ConfigError } from '../../errors.ts';
import { hintAt } from '../../nearest.ts';
import { Problem } from './problem.ts';

/** @throws {Problem} 404 if there is no such agent, 422 with place and reason if its file is wrong */
export async function findAgent(name: string, source: AgentSource): Promise<Agent> {
  const loaded = isName(name) ? await readAgent(name, source) : undefined;
  if (loaded !== undefined) return loaded.agent;
  throw new Problem(404, `there is no agent ${JSON.stringify(name)}${hintAt(name, await source.list())}`);
}

/** Every agent by the name that it runs as, those with a fault apart. */
export async function everyAgent(source: AgentSource) {
  const agents: { name: string; agent: Agent }[] = [];
  const faults: { agent: string; detail: string }[] = [];
  for (const name of await source.list()) {
    try {
      agents.push({ name, agent: (await loadAgent(name, source)).agent });
    } catch (error) {
      faults.push({ agent: name, detail: faultOf(error) });
    }
  }
  return { agents, faults };
}

function isName(name: string): boolean {
  try {
    assertName('agent', name);
    return true;
  } catch {
    return false;
  }
}

async function readAgent(name: string, source: AgentSource): Promise<LoadedAgent | undefined> {
  try {
    return await source.read(name);
  } catch (error) {
    throw new Problem(422, faultOf(error));
  }
}

/** The fault of an agent in a form that clients may read: with the name of its file, without its folder. */
export function faultOf(thrown: unknown): string {
  if (thrown instanceof AgentFileError) return thrown.message.replaceAll(thrown.path, basename(thrown.path));
  if (thrown instanceof ConfigError) return thrown.message;
  throw thrown;
}
