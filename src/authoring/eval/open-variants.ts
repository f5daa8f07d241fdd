import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defined } from '../../defined.ts';
import { ConfigError } from '../../errors.ts';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import type { CallFunction } from '../../core/tool-contracts/tool.ts';
import { assertModels, checkRequest } from '../../places/local/check-request.ts';
import { openFolder, type FolderSources } from '../../places/local/open-folder.ts';
import { shareLocalStore, type LocalStore } from '../../places/local/local-store.ts';
import type { Environment } from '../../places/environment.ts';
import type { LocalTime } from '../../places/time.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { openEnvironment } from '../loading/open-environment.ts';
import { localSources, type LocalSources, type Surroundings } from '../loading/local-sources.ts';
import { assertAgentsTrusted } from '../../places/local/folder-trust.ts';
import { assertModulesTrusted, createEvalModules, type EvalModules } from './eval-modules.ts';
import { JUDGE } from './judge.ts';
import { NO_MEMORIES } from './no-memories.ts';
import type { EvalFile, Evaluation } from './read-eval.ts';
import { CURRENT } from './report.ts';
import { layOutRevision, type Revision } from './revision.ts';
import { digestOf, isHook, scriptOf, shapeOf } from './shape.ts';
import type { Variant } from './variant.ts';

/** What an evaluation compares. */
export interface ComparedWith {
  /** A folder with another state of the project, or `git:<revision>`. */
  against?: string | undefined;
  /** In place of the agent's own. */
  models?: readonly string[] | undefined;
  /** In place of the evaluation's. */
  agents?: readonly string[] | undefined;
}

export interface WhereEvaluated {
  /** A deployed environment; absent: this folder. */
  env?: string | undefined;
  agentsDir?: string | undefined;
}

/** All that plays an evaluation's cases. */
export interface OpenedVariants {
  variants: Variant[];
  modules: EvalModules;
  stopAll(cause: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws {ConfigError} if something of it is not there */
export async function openVariants(
  evaluation: Evaluation,
  { against, models, agents }: ComparedWith,
  { env, agentsDir }: WhereEvaluated,
  surroundings: Surroundings,
): Promise<OpenedVariants> {
  if ([against, models, agents].filter((each) => each !== undefined).length > 1)
    throw new ConfigError(
      '--against, --models and --agents each make a comparison of their own: use one of them',
    );
  const ofAgents = agents ?? [evaluation.agent];
  const combined = (models ?? [undefined]).flatMap((model) => ofAgents.map((agent) => ({ agent, model })));
  const nameOf = ({ agent, model }: { agent: string; model: string | undefined }) =>
    model ?? (agents === undefined ? CURRENT : agent);
  const sources = await localSources(surroundings, agentsDir);
  await assertModulesTrusted(evaluation, sources.trust);
  const modules = createEvalModules(surroundings, sources.trust);
  if (env !== undefined) {
    assertForCloud(evaluation, against);
    const { environment } = await openEnvironment({ env, agentsDir }, surroundings);
    return {
      variants: combined.map((each) => ({
        ...each,
        name: nameOf(each),
        environment,
        isHere: false,
        digest: undefined,
        isKept: false,
      })),
      modules,
      stopAll: (cause) => environment.stopAll(cause),
      async close() {
        await environment.close();
        await modules.end();
      },
    };
  }
  const { cwd } = surroundings;
  const revision = against === undefined ? undefined : await otherState(against, surroundings);
  const places: EvalPlace[] = [];
  const close = async () => {
    for (const { environment } of places) await environment.close();
    await modules.end();
    await revision?.remove();
  };
  try {
    const options = { evaluation, modules, cwd };
    const current = await openEvalPlace(sources, cwd, options);
    places.push(current);
    const variants = combined.map((each) => ({ ...each, name: nameOf(each), place: current }));
    if (revision !== undefined) {
      const isTrusted = revision.isOurs && sources.trust.isTrusted();
      const other = await openEvalPlace(
        await localSources({ ...surroundings, cwd: revision.folder, isTrusted }, agentsDir),
        revision.folder,
        options,
      );
      places.push(other);
      // What was there before is what the rest is compared with.
      variants.unshift({ agent: evaluation.agent, model: undefined, name: against ?? '', place: other });
    }
    return {
      variants: await Promise.all(
        variants.map(({ place, ...each }) => localVariant(place, each, evaluation)),
      ),
      modules,
      async stopAll(cause) {
        for (const { environment } of places) await environment.stopAll(cause);
      },
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** A project's agents as an evaluation plays them. */
export interface EvalPlace {
  environment: Environment;
  /** As they are played. */
  agents: FolderSources;
  /** Absolute: where the agents are. */
  folder: string;
}

export interface EvalPlaceOptions {
  evaluation: Pick<Evaluation, 'functions'>;
  modules: EvalModules;
  /** Absolute: the project, whose store the runs are kept in. */
  cwd: string;
  /** Absent: that of the folder. */
  local?: LocalStore;
  /** Absent: the system's. */
  time?: LocalTime;
}

/**
 * Opens agents for an evaluation: each works in the folder of its case, whatever its file says, and remembers nothing.
 * @param folder absolute: where the agents are
 */
export async function openEvalPlace(
  sources: FolderSources & Pick<LocalSources, 'source' | 'trust'>,
  folder: string,
  { evaluation, modules, cwd, local, time }: EvalPlaceOptions,
): Promise<EvalPlace> {
  const source = withoutWorkdirs(sources.source);
  const { functions } = evaluation;
  const { findStoredOutside: _ofOthersStores, ...rest } = sources;
  const agents = {
    ...rest,
    source,
    ...(functions !== undefined && { functionsIn: standInsOf(functions, modules) }),
  };
  const environment = await openFolder({
    cwd,
    local: { ...(local ?? (await shareLocalStore(cwd))), memories: NO_MEMORIES },
    ...defined({ time }),
    sources: async () => agents,
    async check(request) {
      const { agent, overrides: { model = '', timeout = 0 } = {} } = request;
      return agent === JUDGE ? { model, timeout } : (await checkRequest(request, cwd, agents)).agent;
    },
  });
  return { environment, agents, folder };
}

/** @throws {ConfigError} if the agent, or its model, cannot be used */
async function localVariant(
  { environment, agents, folder }: EvalPlace,
  named: Pick<Variant, 'agent' | 'model' | 'name'>,
  { cases, cache, functions }: Evaluation,
): Promise<Variant> {
  const { agent, model } = named;
  const { source } = agents;
  await assertModels(await loadAgent(agent, source), model, agents);
  const persons = new Set(cases.flatMap(({ written }) => written.person ?? []));
  // What they would start is bundled for the digest, which is not done with code that nobody has trusted.
  await assertAgentsTrusted([agent, ...persons], agents);
  const { digest, isOpen } = await shapeOf([agent, ...persons], { source, folder, functions });
  return {
    ...named,
    environment,
    isHere: true,
    digest: digestOf([digest, model === undefined ? '' : await scriptOf(model, folder)]),
    isKept: cache ?? !isOpen,
  };
}

/** Each function is one that the module exports by its name. Modules that are hooks decide as they do elsewhere. */
function standInsOf(file: EvalFile, modules: EvalModules) {
  return (workspace: string, own: CallFunction): CallFunction =>
    (call) => {
      const { name, source, arguments: args, signal } = call;
      if (isHook(name, source)) return own(call);
      return modules.call(file, name, [args, { workspace }], signal);
    };
}

function withoutWorkdirs(source: AgentSource): AgentSource {
  return {
    ...source,
    async read(name) {
      const loaded = await source.read(name);
      return loaded && { ...loaded, agent: { ...loaded.agent, workdir: '' } };
    },
  };
}

/** Another state of the project, and whether it is of the same repository. */
async function otherState(
  against: string,
  { cwd, env }: Surroundings,
): Promise<Revision & { isOurs: boolean }> {
  if (against.startsWith('git:')) {
    return { ...(await layOutRevision(cwd, against.slice('git:'.length), env['PATH'] ?? '')), isOurs: true };
  }
  const folder = resolve(cwd, against);
  const stats = await stat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true) throw new ConfigError(`--against ${against}: there is no such folder`);
  return { folder: await realpath(folder), isOurs: false, remove: async () => {} };
}

/** What a deployed environment has of its own cannot be replaced for a case. */
function assertForCloud({ file, cases, functions }: Evaluation, against: string | undefined): void {
  if (against !== undefined)
    throw new ConfigError('--against works with agents of this folder only; omit --env');
  const ofFiles = cases.find(({ files }) => files !== undefined);
  if (ofFiles !== undefined)
    throw new ConfigError(
      `${file}: case ${JSON.stringify(ofFiles.name)} has files, which only work on this machine; omit --env`,
    );
  if (functions !== undefined)
    throw new ConfigError(`${file}: functions stand in for those of agents of this folder only; omit --env`);
}
