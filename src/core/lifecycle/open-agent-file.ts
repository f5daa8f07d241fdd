import { seconds } from '../records/times.ts';
import { resolve } from 'node:path';
import {
  ContextError,
  resolveContext,
  type ContextOverrides,
  type ContextPorts,
} from '../agent-schema/context.ts';
import type { LoadedAgent } from '../agent-schema/agent-source.ts';
import type { ContextFile } from '../agent-schema/context-files.ts';
import { hooksOf } from '../agent-schema/hook-schema.ts';
import { loadAgent } from '../agent-schema/load-agent.ts';
import { catalogueOf, type Skill } from '../agent-schema/skill.ts';
import { withMemory } from '../agent-schema/system-prompt.ts';
import { isOfGit, ownTools } from '../agent-schema/tool-names.ts';
import { AgentError, ConfigError, messageOf } from '../../errors.ts';
import { memoryName } from '../memory/memories.ts';
import { recall, type RecalledMemories } from '../memory/recall.ts';
import { parseModelName } from '../model/model-name.ts';
import type { PlaceLimits } from '../spending/allot.ts';
import type { Attachment } from '../records/attachment.ts';
import { attachmentsIn } from '../records/message-texts.ts';
import type { JsonSchema } from '../records/message.ts';
import { samplingOf, type Opened, type OpenedSkill, type OutputSchema } from '../records/opened.ts';
import { ownerKeyOf } from '../records/owner.ts';
import type { RunStore } from '../records/ports.ts';
import { offerOf } from '../tool-contracts/offer.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { versionOf } from '../agent-schema/version.ts';
import { contextRulesOf, lesser, ownersOf, patienceOf, serviceOf, treeBudgetOf } from './file-settings.ts';
import type { Origin } from './origin.ts';
import { leavesOf } from './leaves.ts';
import type { offerOfServers, ServerPorts } from '../turn/server-tools.ts';
import { defined } from '../../defined.ts';

export interface AgentFilePorts extends ContextPorts, ServerPorts {
  /** Keeps what the conversation is shown. */
  store: Pick<RunStore, 'attachment' | 'listing' | 'saveAttachment' | 'saveListing'>;
  memories: RecalledMemories;
  /** Of the tokens by which the API tells its callers apart; absent: it takes none. */
  issuer?: string | undefined;
  /** The limits per day of the place; absent: it has none. */
  limits?: PlaceLimits | undefined;
  /** Hears warnings, and which model they are about a run of; absent where nothing listens. */
  warn?: (message: string, model: string) => void;
  tools: LoadOwnTools;
  /** Whether the providers of models search the web for agents, with tools of their own; absent: they do not. */
  searchesByModel?: boolean;
  /** Why no commands can be isolated here, in words; absent where none are run. */
  sandboxFault?(): Promise<string | undefined>;
}

/**
 * The fixed part of the conversation of a run whose agent is a file, as the file says it and its caller wants it.
 * @param root the run at the top of its tree
 * @throws {ConfigError | AgentError} if the file, its skill or its context cannot be used
 */
export async function openAgentFile(root: string, origin: Origin, given: AgentFilePorts): Promise<Opened> {
  const { agent: asked, pack, parent } = origin;
  const packed = await given.source.packOf?.({ root, agent: asked, pack, isTop: parent === undefined });
  const ports = packed === undefined ? given : { ...given, source: packed.source };
  const loaded = await named('failed to load agent', origin, () => loadAgent(origin.agent, ports.source));
  const { agent } = loaded;
  const model = origin.overrides.model ?? agent.model;
  await named('invalid model for agent', origin, () => parseModelName(model));
  const warn = (message: string) => ports.warn?.(message, model);
  const { fileOwner, memoryOwner } = ownersOf(agent, origin, ports.issuer);
  const memory = await recall(origin.agent, agent.memory, ports.memories.of(memoryOwner), warn);
  const own = ownTools(agent);
  const [tools, ofServers, express] = await Promise.all([
    ports.tools(own),
    agent.mcpServers.length === 0
      ? undefined
      : loadServers(agent.mcpServers, origin.owner && ownerKeyOf(origin.owner), ports, warn),
    leavesOf(agent, origin, ports.source),
  ]);
  const budget = treeBudgetOf(agent, origin, ports.limits);
  const toolsIn = origin.overrides.workdir?.trim() || agent.workdir.trim() || origin.workdir;
  const isRepository =
    own.some(isOfGit) &&
    ports.openWorkspace(resolve(ports.cwd, toolsIn), fileOwner).repository?.() !== undefined;
  const skills = own.includes('use_skill') ? await skillsOf(loaded, origin, ports) : [];
  const offered = offerOf(agent, { ...origin, model, isRepository }, tools, ofServers);
  // A rule may have taken the tool away.
  const listed = offered.tools.some(({ name }) => name === 'use_skill') ? skills : [];
  const offer = ports.searchesByModel
    ? await named('failed to start agent', origin, () => leftToProvider(offered, agent, model, listed))
    : offered;
  if (offer.rules?.sandbox !== undefined)
    await named('failed to start agent', origin, () => assertSandbox(ports));
  const { systemPrompt, skill, files } = await contextOf(
    loaded,
    origin,
    { skills: catalogueOf(listed), servers: ofServers?.instructions ?? '', owner: fileOwner },
    ports,
  );
  const attachments = await attachedTo(
    { root, model, ...defined({ images: agent.params.images }) },
    origin,
    files,
    ports,
  );
  return {
    root,
    ...defined({ budget }),
    ...(agent.retry.maxRetries > 0 && { retry: agent.retry }),
    ...contextRulesOf(agent, model),
    ...(agent.memory.enabled && {
      memory: {
        name: memoryName(origin.agent, agent.memory),
        maxEntries: agent.memory.maxEntries,
        ...defined({ owner: memoryOwner }),
      },
    }),
    ...(agent.memory.search && {
      memoryTools: {
        name: memoryName(origin.agent, agent.memory),
        ...defined({ owner: memoryOwner, embedding: agent.memory.embedding || undefined }),
      },
    }),
    agent: origin.agent,
    version: versionOf(agent, { model, systemPrompt, skills: listed, tools: offer.tools }),
    ...defined({ pack: packed?.name }),
    model,
    system: withMemory(systemPrompt, memory),
    ...(skill !== '' && { skill: origin.overrides.skill?.trim() || agent.skill.trim() }),
    ...(listed.length > 0 && { skills: listed.map(toOpened) }),
    ...(files.length > 0 && { files: files.map(({ path }) => path) }),
    ...defined({ earlier: origin.earlier }),
    message: origin.message,
    ...(attachments.length > 0 && { attachments }),
    ...(agent.shareInput && { sharesInput: true }),
    ...(agent.shareInput &&
      origin.input.trim() !== '' && { inputAt: origin.message.length - origin.input.length }),
    ...defined({ inputOf: origin.inputOf }),
    ...samplingOf(agent.params.temperature),
    maxTokens: lesser(origin.overrides.maxTokens, agent.params.maxTokens),
    ...defined({ reasoningEffort: agent.params.reasoningEffort, api: agent.params.api }),
    ...serviceOf(agent, origin),
    ...(agent.params.stream === false && { stream: false }),
    ...defined({ images: agent.params.images }),
    ...(agent.output !== undefined && { output: await outputSchemaOf(agent.output) }),
    ...offer,
    ...(agent.remoteAgents.length > 0 && {
      remotes: Object.fromEntries(agent.remoteAgents.map((remote) => [remote.name, remote])),
    }),
    ...(agent.hooks.length > 0 && { hooks: hooksOf(agent) }),
    ...defined({ guardrail: agent.guardrail }),
    ...(express.length > 0 && { delegation: { ...offer.delegation, express } }),
    ...(toolsIn !== '' && { workdir: toolsIn }),
    ...(offer.delegation.spawning !== undefined && { folder: resolve(ports.cwd, toolsIn) }),
    ...fileOwner,
    timeout: origin.overrides.timeout ?? seconds(agent.timeout),
    ...(origin.parent === undefined && patienceOf(agent, origin.overrides)),
  };
}

/** Keeps what the first message is shown: images and documents among the agent's files, and then the caller's. */
async function attachedTo(
  conversation: Pick<Opened, 'images' | 'model' | 'root'>,
  { attachments: given = [], earlier = [] }: Origin,
  files: readonly ContextFile[],
  { store }: AgentFilePorts,
): Promise<Attachment[]> {
  const own = files.flatMap(({ attachment }) => attachment ?? []);
  const all = [...given, ...attachmentsIn(earlier)];
  if (own.length === 0 && all.length === 0) return [];
  const { keepFiles, keepTexts } = await import('../attachments/keep.ts');
  const kept = await keepFiles(conversation.root, own, store);
  await keepTexts(conversation, [...kept, ...all], store);
  return [...kept, ...given];
}

function skillsOf(loaded: LoadedAgent, origin: Origin, { source }: AgentFilePorts): Promise<Skill[]> {
  return named('failed to load skills for agent', origin, () => source.skills?.(loaded) ?? []);
}

function toOpened({ name, folder, allowedTools }: Skill): OpenedSkill {
  return { name, folder, ...defined({ allowedTools }) };
}

/** An offer with `web_search` left to the model's provider. @throws {ConfigError} if that cannot be left to it */
async function leftToProvider<Offered extends Pick<Opened, 'targets' | 'tools'>>(
  offered: Offered,
  { params, permissions, hooks }: LoadedAgent['agent'],
  model: string,
  skills: readonly Skill[],
): Promise<Offered> {
  const { assertProviderSearch, searchedByProvider } = await import('../tool-contracts/provider-search.ts');
  const tools = searchedByProvider(offered.tools, offered.targets);
  assertProviderSearch(tools, model, { api: params.api, ...permissions, hooks, skills });
  return { ...offered, tools };
}

/** Looked at before a model is asked, so that no run is charged for finding out. */
async function assertSandbox({ sandboxFault }: AgentFilePorts): Promise<void> {
  const fault = await sandboxFault?.();
  if (fault !== undefined) throw new ConfigError(`its ${fault}`);
}

/** Few agents have such answers, or servers, and the function that opens runs starts faster without what they take. */
async function outputSchemaOf(schema: JsonSchema): Promise<OutputSchema> {
  const { simplifyParameters } = await import('../tool-contracts/simplify-parameters.ts');
  return { schema, parameters: simplifyParameters(schema).parameters };
}

async function loadServers(...asked: Parameters<typeof offerOfServers>): ReturnType<typeof offerOfServers> {
  return (await import('../turn/server-tools.ts')).offerOfServers(...asked);
}

async function contextOf(
  loaded: LoadedAgent,
  origin: Origin,
  own: Pick<ContextOverrides, 'owner' | 'servers' | 'skills'>,
  ports: AgentFilePorts,
) {
  const { skill, workdir } = origin.overrides;
  try {
    const overrides = { ...(skill && { skill }), ...(workdir && { workdir }), ...own };
    return await resolveContext(loaded, overrides, ports);
  } catch (thrown) {
    if (!(thrown instanceof ContextError)) throw thrown;
    const what =
      thrown.part === 'files' ? 'failed to resolve files for agent' : 'failed to load skill for agent';
    return named(what, origin, () => Promise.reject(thrown));
  }
}

/** At the top of a tree the message stands alone; for a parent's model it names the sub-agent that failed. */
async function named<T>(what: string, origin: Origin, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (origin.parent === undefined) throw thrown;
    throw new AgentError(`${what} "${origin.agent}": ${messageOf(thrown)}`, { cause: thrown });
  }
}
