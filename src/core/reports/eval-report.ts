import * as v from 'valibot';
import { RunStatus } from './run-status.ts';

/** The result of an evaluation: the output of `cadre eval --json`, and of the API. */

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const Usd = v.pipe(v.nullable(v.number()), v.description('null if a price is not known.'));
const Seconds = v.pipe(v.nullable(v.number()), v.description('null if nothing was played.'));

export const Grade = v.object({
  grader: v.pipe(v.string(), v.description('What was expected, such as `contains "volume 7"`.')),
  passed: v.boolean(),
  score: v.exactOptional(
    v.pipe(v.number(), v.description('From 1 to 5 of a judge; what a function returned.')),
  ),
  reason: v.exactOptional(v.pipe(v.string(), v.description('Why it failed, or what the grader said.'))),
  run_id: v.exactOptional(v.pipe(v.string(), v.description("The judge's run, with its prompt and answer."))),
});
export type Grade = v.InferOutput<typeof Grade>;

/** A case that was played once. */
export const Try = v.object({
  repeat: v.pipe(Count, v.description('From 1.')),
  run_id: v.string(),
  status: RunStatus,
  passed: v.boolean(),
  cached: v.pipe(v.boolean(), v.description('Whether an earlier evaluation played it, with the same bytes.')),
  seconds: v.number(),
  turns: v.pipe(Count, v.description('Of the agent itself.')),
  usd: Usd,
  version: v.exactOptional(v.pipe(v.string(), v.description('As in a run.'))),
  pack: v.exactOptional(v.pipe(v.string(), v.description('As in a run.'))),
  answer: v.string(),
  error: v.exactOptional(
    v.pipe(v.string(), v.description('Why there is no whole answer; then nothing else was graded.')),
  ),
  grades: v.array(Grade),
});
export type Try = v.InferOutput<typeof Try>;

export const CaseReport = v.object({
  name: v.string(),
  variant: v.string(),
  passed: v.pipe(Count, v.description('How many of its tries passed.')),
  tries: v.array(Try),
});
export type CaseReport = v.InferOutput<typeof CaseReport>;

const Interval = {
  low: v.pipe(
    v.number(),
    v.description('The lower end of the interval that contains it with 95 % confidence.'),
  ),
  high: v.number(),
};

export const VariantReport = v.object({
  name: v.pipe(
    v.string(),
    v.description('`current`, or what it is compared by: a folder, a revision, a model, an agent.'),
  ),
  agent: v.string(),
  model: v.exactOptional(v.pipe(v.string(), v.description("In place of the agent's own; absent: that."))),
  versions: v.pipe(v.array(v.string()), v.description('Of all runs, each once.')),
  packs: v.exactOptional(
    v.pipe(
      v.array(
        v.object({
          pack: v.pipe(v.string(), v.description('As in a run.')),
          tries: Count,
          passed: Count,
        }),
      ),
      v.description(
        'How the tries of each pack of agents fared, during a rollout. Absent: there was one pack.',
      ),
    ),
  ),
  cases: Count,
  tries: Count,
  cached: Count,
  pass: v.object({
    rate: v.pipe(Share, v.description('The mean of the shares of tries that passed.')),
    ...Interval,
  }),
  pass_at: v.pipe(
    v.array(Share),
    v.description('pass@k for k from 1: the chance that at least one of k tries passes.'),
  ),
  pass_hat: v.pipe(
    v.array(Share),
    v.description('pass^k for k from 1: the chance that all of k tries pass.'),
  ),
  usd: Usd,
  usd_per_try: Usd,
  p50_seconds: Seconds,
  p95_seconds: Seconds,
});
export type VariantReport = v.InferOutput<typeof VariantReport>;

export const Comparison = v.object({
  from: v.pipe(v.string(), v.description('The name of a variant, as is `to`.')),
  to: v.string(),
  difference: v.pipe(v.number(), v.description('Of the pass rates: above 0, the second is better.')),
  ...Interval,
  changed: v.pipe(
    v.array(v.object({ case: v.string(), from: Share, to: Share })),
    v.description('The cases whose shares of passed tries differ.'),
  ),
});
export type Comparison = v.InferOutput<typeof Comparison>;

export const ThresholdReport = v.object({
  variant: v.string(),
  threshold: v.picklist(['pass', 'usd', 'p95_seconds']),
  wanted: v.number(),
  found: v.pipe(v.nullable(v.number()), v.description('null: not known, which does not pass.')),
  passed: v.boolean(),
});
export type ThresholdReport = v.InferOutput<typeof ThresholdReport>;

const head = {
  id: v.string(),
  file: v.string(),
  agent: v.string(),
  env: v.exactOptional(v.pipe(v.string(), v.description('The deployed environment; absent: the folder.'))),
  started_at: v.pipe(v.string(), v.isoTimestamp()),
  ended_at: v.pipe(v.string(), v.isoTimestamp()),
  passed: v.pipe(v.boolean(), v.description('Whether all thresholds hold.')),
  thresholds: v.array(ThresholdReport),
  variants: v.array(VariantReport),
  comparisons: v.pipe(v.array(Comparison), v.description('Of the first variant with each of the others.')),
};

const FailedTry = v.object({
  case: v.string(),
  variant: v.string(),
  run_id: v.string(),
  reasons: v.array(v.string()),
});
export type FailedTry = v.InferOutput<typeof FailedTry>;

/** An evaluation in a list. */
export const EvalOverview = v.object({
  ...head,
  failed: v.pipe(v.array(FailedTry), v.description('The tries that failed; at most 100 of them.')),
});
export type EvalOverview = v.InferOutput<typeof EvalOverview>;

export const EvalReport = v.object({ ...head, cases: v.array(CaseReport) });
export type EvalReport = v.InferOutput<typeof EvalReport>;
