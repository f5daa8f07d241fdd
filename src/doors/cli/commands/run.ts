import type { Agent } from '../../../core/agent-schema/agent.ts';
import type { LoadedAgent } from '../../../core/agent-schema/agent-source.ts';
import { targetsOfTree } from '../../../core/agent-schema/targets.ts';
import { assertName } from '../../../core/agent-schema/agent-name.ts';
import { checkTree } from '../../../authoring/loading/check-agent.ts';
import { workdirOf } from '../../../core/agent-schema/context.ts';
import { withOutputSchema } from '../../../core/agent-schema/output-prompt.ts';
import { assertReadable } from '../../../core/agent-schema/workspace.ts';
import { loadSkill } from '../../../core/agent-schema/skill.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { usualTimeout } from '../../../core/records/deadline.ts';
import type { Tags } from '../../../core/records/tags.ts';
import { newRunId } from '../../../core/records/run-id.ts';
import { ConfigError } from '../../../errors.ts';
import { recall } from '../../../core/memory/recall.ts';
import { parseModelName } from '../../../core/model/model-name.ts';
import { openFolderWorkspace } from '../../../places/local/workspace/folder-workspace.ts';
import type { DryRun } from '../terminal/dry-run.ts';
import { readGivenTo, type TypedInput } from '../terminal/read-given.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { checkPorts } from './check-ports.ts';
import { followRun } from './follow-run.ts';
import { assertModelOption } from './model-option.ts';
import { tellOutside } from './tell-outside.ts';
import { patienceOf, type RunIo } from '../terminal/io.ts';
import { NO_TRUST } from '../../../places/local/folder-trust.ts';
import type { FirstTurn } from '../../../places/first-turn.ts';
import { assertModels } from '../../../places/local/check-request.ts';
import { localSources, type LocalSources } from '../../../authoring/loading/local-sources.ts';
import type { Environment } from '../../../places/environment.ts';
import { toRunRequest, type AskedRun } from '../../../places/run-request.ts';

export interface RunCommandOptions {
  prompt?: string;
  /** Files, relative to the current folder. */
  attach?: string[];
  skill?: string;
  workdir?: string;
  model?: string;
  /** Seconds. */
  timeout?: number;
  /** For the run with all its sub-agents, as is `maxUsd`. */
  maxTokens?: number;
  maxUsd?: number;
  /** What to find the run by. */
  tag?: Tags;
  /** Whether models are asked in batches. */
  batch?: boolean;
  /** A deployed environment to run it in. */
  env?: string;
  agentsDir?: string;
  /** Where Lambda's API is, in place of AWS's own. */
  lambdaEndpoint?: string;
  dryRun?: boolean;
  verbose?: boolean;
  json?: boolean;
}

/** `cadre run`: starts a run and follows it to its end. @returns the exit code */
export async function runAgent(name: string, options: RunCommandOptions, io: RunIo): Promise<number> {
  if (options.env !== undefined) return runDeployed(name, options, options.env, io);
  const sources = await localSources(io, options.agentsDir);
  assertModelOption(options.model, io, sources.providers);
  const loaded = await loadAgent(name, sources.source);
  for (const warning of loaded.warnings) io.stderr(`Warning: ${warning}\n`);
  await assertModels(loaded, options.model, sources);
  await tellOutside(name, asCalled(loaded, options), sources, io);
  await checkSurroundings(
    name,
    loaded,
    options,
    options.dryRun ? { ...sources, trust: NO_TRUST } : sources,
    io,
  );
  const asked = await readGivenTo(await io.readStdin(), options.attach, io);
  if (options.dryRun || options.verbose) {
    const preview = await previewRun(name, loaded, options, asked, sources, io);
    const { renderDryRun, renderSettings } = await import('../terminal/dry-run.ts');
    if (options.dryRun) {
      io.stdout(renderDryRun(preview));
      return EXIT.success;
    }
    io.stderr(renderSettings(preview));
  }
  const { lambdaEndpoint } = options;
  const { openFolder } = await import('../../../places/local/open-folder.ts');
  const folder = await openFolder({
    cwd: io.cwd,
    // Whoever sits at the terminal is asked there.
    sources: async () => ({
      ...sources,
      lambdaEndpoint,
      ...(io.terminal !== undefined && { notify: undefined }),
    }),
    check: async () => loaded.agent,
  });
  return start(name, options, asked, folder, io);
}

/** Warns of problems that the run would only meet later. @throws {ConfigError} if there is no such workdir or skill */
async function checkSurroundings(
  name: string,
  loaded: LoadedAgent,
  options: RunCommandOptions,
  sources: LocalSources,
  io: RunIo,
): Promise<void> {
  const workdir = workdirOf(loaded.agent, options, io.cwd);
  await assertReadable(openFolderWorkspace(workdir));
  await loadSkill(options.skill ?? '', loaded.root, sources.source);
  const given = { ...loaded, agent: { ...loaded.agent, workdir } };
  for (const warning of await checkTree(name, given, checkPorts(sources, io)))
    io.stderr(`Warning: ${warning}\n`);
}

/** The agent without the parts that the caller replaces, which are the caller's own choice. */
function asCalled(loaded: LoadedAgent, { workdir, skill }: RunCommandOptions): LoadedAgent {
  const { agent } = loaded;
  return {
    ...loaded,
    agent: {
      ...agent,
      workdir: workdir?.trim() ? '' : agent.workdir,
      skill: skill?.trim() ? '' : agent.skill,
    },
  };
}

/** Runs an agent of a deployed environment; its files, skills and workspace are the ones that were deployed. */
async function runDeployed(
  name: string,
  options: RunCommandOptions,
  environment: string,
  io: RunIo,
): Promise<number> {
  const { dryRun, agentsDir, lambdaEndpoint } = options;
  if (dryRun || agentsDir !== undefined || lambdaEndpoint !== undefined) {
    throw new ConfigError(
      '--dry-run, --agents-dir and --lambda-endpoint work with the agents of this folder only; omit --env',
    );
  }
  assertName('agent', name);
  assertModelOption(options.model, io);
  const asked = await readGivenTo(await io.readStdin(), options.attach, io);
  const { openCloudEnvironment } = await import('../../../places/aws/cloud-environment.ts');
  return start(name, options, asked, await openCloudEnvironment(environment), io);
}

async function start(
  name: string,
  options: RunCommandOptions,
  { text: stdin, given }: TypedInput,
  environment: Environment,
  io: RunIo,
): Promise<number> {
  const id = newRunId(name, Date.now());
  const patience = patienceOf(io);
  const request = toRunRequest(
    name,
    { ...options, ...serviceOf(options), input: stdin, patience, tags: options.tag },
    given,
  );
  const { files } = given;
  try {
    const { env, agentsDir, verbose = false, json = false } = options;
    const follow = { env, agentsDir, verbose, json };
    const code = await followRun(
      id,
      () => environment.start({ id, request, files }),
      environment,
      follow,
      io,
    );
    return code ?? EXIT.success;
  } finally {
    await environment.close();
  }
}

function serviceOf({ batch = false }: RunCommandOptions): Pick<AskedRun, 'service'> {
  return batch ? { service: 'batch' } : {};
}

/** The request as it would be sent, without a key and without sending it. Nothing in the folder is touched. */
async function previewRun(
  name: string,
  loaded: LoadedAgent,
  options: RunCommandOptions,
  { text: stdin, given }: TypedInput,
  { source, prices, webSearch }: Pick<LocalSources, 'source' | 'prices' | 'webSearch'>,
  io: RunIo,
): Promise<DryRun> {
  const { agent } = loaded;
  const { firstTurn } = await import('../../../places/first-turn.ts');
  const { openCopiedStore } = await import('../../../places/local/copied-store.ts');
  const { sentParameters } = await import('../../../places/models/sent-parameters.ts');
  const kept = agent.memory.enabled ? await openCopiedStore(io.cwd) : undefined;
  try {
    const memories = kept?.memories;
    const warn = (message: string) => io.stderr(`Warning: ${message}\n`);
    const memory = memories === undefined ? '' : await recall(name, agent.memory, memories, warn);
    const ports = {
      cwd: io.cwd,
      source,
      openWorkspace: openFolderWorkspace,
      prices,
      memories,
      searchesByModel: webSearch === 'model',
    };
    const first = await firstTurn(
      toRunRequest(name, { ...options, ...serviceOf(options), input: stdin }, given),
      ports,
      given.files,
    );
    const { opened, request, exceeded } = first;
    return {
      ...agent,
      workdir: workdirOf(agent, options, io.cwd),
      systemPrompt: withOutputSchema(opened.system, opened.output?.schema),
      model: opened.model,
      sent: request === undefined ? {} : sentParameters(opened.model, request),
      notes: exceeded === undefined ? lengthNotes(first, agent) : [`nothing would be sent: ${exceeded}`],
      timeout: options.timeout ?? (agent.timeout || usualTimeout(opened.service)),
      skill: opened.skill ?? '',
      files: opened.files ?? [],
      stdin,
      memory: agent.memory.enabled ? memory : undefined,
      tools: opened.tools,
      targets: await targetsOfTree(name, loaded, source),
      message: opened.message,
      attachments: opened.attachments ?? [],
    };
  } finally {
    await kept?.close();
  }
}

/** The facts that are unknown here and decide how long the answer may be. */
function lengthNotes({ opened, isCounted }: FirstTurn, { mcpServers }: Agent): string[] {
  const { tokens, nanoUsd } = opened.budget ?? {};
  const isBounded = tokens !== undefined || nanoUsd !== undefined;
  const { provider } = parseModelName(opened.model);
  return [
    ...(isCounted
      ? [`max_tokens may be more: ${provider} counts the prompt first, here it is estimated`]
      : []),
    ...(isBounded && mcpServers.length > 0
      ? ['max_tokens may be less: the tools that servers offer are part of the prompt']
      : []),
  ];
}
