import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../records/message.ts';
import type { Agent } from './agent.ts';
import type { Skill } from './skill.ts';

/** What a run of an agent is opened with beside the settings of its file. */
export interface Shaping {
  /** `provider/model-name`, which its caller may have chosen. */
  model: string;
  /** With skill, files and instructions of servers; without the memory, which is of one run. */
  systemPrompt: string;
  /** Those that its model may load. */
  skills: readonly Skill[];
  /** As they are offered, in order. */
  tools: readonly ToolDefinition[];
}

/** Most definitions are one value for all runs; writing them out is most of the work. */
const definitionTexts = new WeakMap<ToolDefinition, string>();

/** The newest version of each agent that is loaded: most of its runs are opened with the same. */
const newest = new WeakMap<
  Agent,
  Omit<Shaping, 'tools' | 'skills'> & { settings: string; tools: string; digest: string }
>();

/**
 * The version of an agent: a digest of everything that shapes its runs apart from what one run is asked, remembers and
 * may spend by its caller's wish. It is the same in every process and, for an agent that was deployed as it is, in an
 * account. Another order of the file's keys is no other version; another order within a schema is, since models read it.
 * @returns 12 hexadecimal digits
 */
export function versionOf(agent: Agent, { model, systemPrompt, skills, tools }: Shaping): string {
  const text = [...tools.map(definitionText), ...skills.map(({ digest }) => digest)].join('\n');
  const before = newest.get(agent);
  const isSame = before?.model === model && before.systemPrompt === systemPrompt && before.tools === text;
  if (isSame) return before.digest;
  const settings = before?.settings ?? settingsText(agent);
  const digest = createHash('sha256')
    .update(JSON.stringify([settings, model, systemPrompt, text]))
    .digest('hex')
    .slice(0, 12);
  newest.set(agent, { settings, model, systemPrompt, tools: text, digest });
  return digest;
}

function definitionText(definition: ToolDefinition): string {
  const text = definitionTexts.get(definition) ?? JSON.stringify(definition);
  definitionTexts.set(definition, text);
  return text;
}

function settingsText(agent: Agent): string {
  // What only tells people or callers of it, says when it starts, in which kind of execution or whose files it works
  // on, or is part of the prompt or of the tools as they are sent.
  const {
    background: _background,
    express: _express,
    name: _name,
    description: _description,
    schedule: _schedule,
    serve: _serve,
    model: _model,
    systemPrompt: _systemPrompt,
    skill: _skill,
    skills: _skills,
    files: _files,
    workspace: _workspace,
    sandbox,
    hooks,
    remoteAgents,
    ...settings
  } = agent;
  // Agents that have none keep the version that they had before there were any.
  return JSON.stringify({
    ...settings,
    ...(sandbox.kind !== 'none' && { sandbox: { ...sandbox, image: sandbox.image || undefined } }),
    ...(hooks.length > 0 && { hooks }),
    ...(remoteAgents.length > 0 && { remoteAgents }),
  });
}
