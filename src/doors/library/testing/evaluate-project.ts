import { evaluate } from '../../../authoring/eval/evaluate.ts';
import { createEvalModules, gradeWith } from '../../../authoring/eval/eval-modules.ts';
import { keptInMemory } from '../../../authoring/eval/kept-in-memory.ts';
import { openEvalPlace } from '../../../authoring/eval/open-variants.ts';
import { readEvaluation } from '../../../authoring/eval/read-eval.ts';
import { CURRENT } from '../../../authoring/eval/report.ts';
import type { LocalSources } from '../../../authoring/loading/local-sources.ts';
import type { EvalReport } from '../../../core/reports/eval-report.ts';
import type { LocalStore } from '../../../places/local/local-store.ts';
import type { VirtualTime } from '../../../places/testing/virtual-time.ts';

export interface EvaluateOptions {
  /** Absolute: the project's folder. */
  project: string;
  /** Absolute: where the cases' files are while they are played. */
  folder: string;
  /** With models that play scripts. */
  sources: LocalSources;
  /** The model that plays the judge's script; absent: the evaluation's own judge is asked. */
  judge: string | undefined;
  local: LocalStore;
  time: VirtualTime;
}

/** Plays the cases of an evaluation with a test's models. @param file relative to the project */
export async function evaluateProject(
  file: string,
  { project, folder, sources, judge, local, time }: EvaluateOptions,
): Promise<EvalReport> {
  const written = await readEvaluation(file, project);
  const evaluation = judge === undefined ? written : { ...written, judge: { model: judge } };
  const modules = createEvalModules({ cwd: project, env: sources.env }, sources.trust);
  // The store is the test's.
  const place = { cwd: folder, local: { ...local, close: async () => {} }, time, evaluation, modules };
  const { environment } = await openEvalPlace(sources, project, place);
  const { signal } = new AbortController();
  const variant = {
    name: CURRENT,
    agent: evaluation.agent,
    environment,
    isHere: true,
    digest: undefined,
    isKept: false,
  };
  try {
    return await time.letPass(
      evaluate(evaluation, [variant], undefined, {
        kept: keptInMemory(folder),
        now: () => time.now(),
        signal,
        callFunction: (module, given) => time.during(gradeWith(modules, module, given, signal)),
        during: (work) => time.during(work),
        tell: () => {},
      }),
    );
  } finally {
    await environment.close();
    await modules.end();
  }
}
