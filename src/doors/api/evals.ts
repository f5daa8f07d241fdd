import { failedTries } from '../../core/reports/failed-tries.ts';
import type { EvalList } from './answers.ts';
import type { AgentsContext } from './context.ts';

/** The evaluations that the caller may see: they are of the folder, and of no person. */
export async function listEvals({ caller, evaluations }: AgentsContext): Promise<EvalList> {
  if (evaluations === undefined || caller?.isAdministrator === false) return { evals: [] };
  const reports = await evaluations();
  return {
    evals: reports.map((report) => {
      const { cases: _cases, ...overview } = report;
      return { ...overview, failed: failedTries(report) };
    }),
  };
}
