import { resolve } from 'node:path';
import { ConfigError, messageOf } from '../../errors.ts';
import type { Agent } from './agent.ts';
import type { AgentSource, LoadedAgent } from './agent-source.ts';
import type { ContextFile } from './context-files.ts';
import { loadSkill } from './skill.ts';
import { buildSystemPrompt } from './system-prompt.ts';
import type { FileOwner, ReadableFiles } from './workspace.ts';

/** The context that an agent starts with, before its first message. */
export interface AgentContext {
  /** Absolute. */
  workdir: string;
  files: ContextFile[];
  /** The skill's text; "" for none. */
  skill: string;
  /** Without the memory, which is of one run. */
  systemPrompt: string;
}

/** The settings that a caller may give in place of the agent's file; blank counts as not set. */
export interface ContextOverrides {
  workdir?: string;
  skill?: string;
  /** The catalogue of the agent's skills, as it is shown to the model. */
  skills?: string;
  /** Instructions of the agent's servers, likewise. */
  servers?: string;
  /** Whose files are looked up; absent: the account's. */
  owner?: FileOwner;
}

export interface ContextPorts {
  /** Where the command runs: the default workdir, to which relative ones are relative. */
  cwd: string;
  source: AgentSource;
  openWorkspace(workdir: string, owner?: FileOwner): ReadableFiles;
}

/** Part of an agent's context cannot be had. */
export class ContextError extends ConfigError {
  constructor(
    readonly part: 'files' | 'skill',
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

/** Reads everything that an agent starts with. @throws {ContextError} whose `part` says which step failed */
export async function resolveContext(
  { agent, root }: LoadedAgent,
  overrides: ContextOverrides,
  ports: ContextPorts,
): Promise<AgentContext> {
  const workdir = workdirOf(agent, overrides, ports.cwd);
  const files = await step('files', () =>
    filesOf(agent.files, ports.openWorkspace(workdir, overrides.owner)),
  );
  const skill = await step('skill', () =>
    loadSkill(overrides.skill?.trim() || agent.skill, root, ports.source),
  );
  const { systemPrompt } = agent;
  const { skills = '', servers = '' } = overrides;
  return {
    workdir,
    files,
    skill,
    systemPrompt: buildSystemPrompt({ systemPrompt, skill, skills, files, servers }),
  };
}

/** Patterns take a library, which agents without files do not need. */
async function filesOf(patterns: readonly string[], workspace: ReadableFiles): Promise<ContextFile[]> {
  if (patterns.length === 0) return [];
  return (await import('./context-files.ts')).resolveFiles(patterns, workspace);
}

/** The absolute path of the folder that an agent's files are looked up in. */
export function workdirOf(agent: Agent, { workdir }: Pick<ContextOverrides, 'workdir'>, cwd: string): string {
  return resolve(cwd, workdir?.trim() || agent.workdir.trim());
}

async function step<Result>(part: ContextError['part'], run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ConfigError ? new ContextError(part, error) : error;
  }
}
