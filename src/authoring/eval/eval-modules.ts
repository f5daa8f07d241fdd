import { dirname } from 'node:path';
import { parseJson } from '../../json.ts';
import { functionTarget } from '../../core/agent-schema/targets.ts';
import type { FunctionResult } from '../../core/tool-contracts/tool.ts';
import type { FolderTrust } from '../../places/local/folder-trust.ts';
import { startModule, type ModuleProcess } from '../../places/local/module-process.ts';
import { isInside, wayIn } from '../../places/local/workspace/inside.ts';
import { realPathOf } from '../../places/local/workspace/open-inside.ts';
import type { EvalFile, Evaluation } from './read-eval.ts';

/** The modules that evaluations name: functions that grade, and those that stand in for functions of agents. */
export interface EvalModules {
  /** Calls a function that a module exports. The module is started with its first call. */
  call(file: EvalFile, name: string, args: readonly unknown[], signal: AbortSignal): Promise<FunctionResult>;
  end(): Promise<void>;
}

/**
 * Before anything is paid for.
 * @throws {ConfigError} unless all modules of an evaluation may be started
 */
export function assertModulesTrusted(
  { functions, cases }: Pick<Evaluation, 'cases' | 'functions'>,
  trust: FolderTrust,
): Promise<void> {
  const graders = cases.flatMap(({ written }) =>
    written.expect.flatMap((each) => (each.kind === 'function' ? [each.path] : [])),
  );
  const paths = new Set([...(functions === undefined ? [] : [functions.path]), ...graders]);
  return trust.assertTrusted(async () => [...paths].map((path) => functionTarget(path, { file: path })));
}

/** @param trust asked before the first module is started */
export function createEvalModules(
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
  trust: FolderTrust,
): EvalModules {
  const started = new Map<string, Promise<ModuleProcess>>();

  async function start({ path, real }: EvalFile): Promise<ModuleProcess> {
    await trust.assertTrusted(async () => [functionTarget(path, { file: path })]);
    const project = realPathOf(cwd);
    // An evaluation may lie elsewhere than the project that it is for.
    const root = isInside(real, project) ? project : dirname(real);
    return startModule(root, wayIn(root, real), env);
  }

  return {
    async call(file, name, args, signal) {
      const starting = started.get(file.real) ?? start(file);
      started.set(file.real, starting);
      const module = await starting;
      return module.call(
        name,
        args.map((each) => parseJson(JSON.stringify(each))),
        signal,
      );
    },
    async end() {
      const all = await Promise.allSettled(started.values());
      started.clear();
      await Promise.all(all.map(async (each) => each.status === 'fulfilled' && each.value.end()));
    },
  };
}

/** Has a module grade: one that takes too long, or throws, fails the case. @throws {ConfigError} if it is broken */
export async function gradeWith(
  modules: EvalModules,
  file: EvalFile,
  given: unknown,
  signal: AbortSignal,
): Promise<FunctionResult> {
  try {
    return await modules.call(
      file,
      'handler',
      [given],
      AbortSignal.any([signal, AbortSignal.timeout(SECONDS * 1000)]),
    );
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'TimeoutError')
      return { failed: `it took longer than ${SECONDS} seconds` };
    throw thrown;
  }
}

/** Longer than a test of an answer takes. */
const SECONDS = 60;
