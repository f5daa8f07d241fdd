import type { Json } from '../../json.ts';
import { closingReason } from '../../core/records/closing-reason.ts';
import { resultsIn } from '../../core/records/message.ts';
import type { RunReads } from '../../core/records/ports.ts';
import type { Run } from '../../core/records/run.ts';
import { lastAnswerOf, outputOf, type Turn } from '../../core/records/turn.ts';
import { runReport } from '../../core/reports/run-report.ts';
import type { RunReport } from '../../core/reports/run-schemas.ts';
import { StoreError } from '../../errors.ts';

/** A call as graders see it. */
export interface GradedCall {
  agent: string;
  tool: string;
  arguments: Record<string, unknown>;
  /** Absent: the run ended before there was one. */
  result?: string;
  is_error?: boolean;
}

/** What came of a case, from the records of its run and of all below it. */
export interface CaseOutcome {
  run: Run;
  report: RunReport;
  answer: string;
  /** In the order of the runs, and in each as they were made, whether they were allowed or not. */
  calls: GradedCall[];
  seconds: number;
  /** Why there is no whole answer; undefined: there is. */
  fault: string | undefined;
}

export async function outcomeOf(
  id: string,
  records: Pick<RunReads, 'run' | 'tree' | 'turns'>,
): Promise<CaseOutcome> {
  const run = await records.run(id);
  if (run === undefined) throw new StoreError(`run "${id}" left no record`);
  const tree = await records.tree(id);
  const turnsOf = await Promise.all(
    tree.map(async (each) => ({ run: each, turns: await records.turns(each.id) })),
  );
  const turns = turnsOf.find((each) => each.run.id === id)?.turns ?? [];
  const answer = lastAnswerOf(run, turns);
  const output: Json | undefined = outputOf(run, turns);
  const report = runReport(run, answer, tree, output);
  const fault =
    run.status === 'succeeded' || run.status === 'idle'
      ? undefined
      : `${run.status}: ${report.error ?? closingReason(run)}`;
  return {
    run,
    report,
    answer,
    calls: turnsOf.flatMap((each) => callsOf(each.run.agent, each.turns)),
    seconds: report.duration_ms / 1000,
    fault,
  };
}

function callsOf(agent: string, turns: readonly Turn[]): GradedCall[] {
  return turns.flatMap(({ answer }, index) => {
    const results = resultsIn(turns[index + 1]?.received ?? []);
    return answer.calls.map(({ id, name, arguments: args }): GradedCall => {
      const result = results.find(({ callId }) => callId === id);
      return {
        agent,
        tool: name,
        arguments: args,
        ...(result !== undefined && { result: result.text, is_error: result.isError }),
      };
    });
  });
}
