import * as v from 'valibot';
import { DURATION, secondsIn } from '../../core/agent-schema/duration.ts';
import { ConfigError } from '../../errors.ts';
import { notAList } from '../../not-a-list.ts';
import { keysOf, nearestKey } from '../../known-keys.ts';
import { LEAST_USD } from '../../core/records/nano-usd.ts';
import { LONGEST_TIMEOUT } from '../../core/records/deadline.ts';
import { TagsSchema } from '../../core/records/tags.ts';
import { RunStatus } from '../../core/reports/run-status.ts';
import type { CadreOptions, ForkOptions, ListOptions, RunOptions, SendOptions } from './cadre.ts';

const seconds = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(LONGEST_TIMEOUT));

const NO_DURATION = `expected a duration such as "30s", "5m", "1h" or "7d", or at most ${LONGEST_TIMEOUT} seconds`;

const duration = v.pipe(
  v.union(
    [
      v.pipe(v.number(), v.integer(NO_DURATION), v.minValue(0, NO_DURATION)),
      v.pipe(v.string(), v.regex(DURATION, NO_DURATION)),
    ],
    NO_DURATION,
  ),
  v.check((given) => secondsIn(given) <= LONGEST_TIMEOUT, NO_DURATION),
);

const attach = v.optional(v.array(v.union([v.string(), v.instance(Uint8Array)])));

const RunOptionsSchema = v.strictObject({
  prompt: v.optional(v.string()),
  input: v.optional(v.string()),
  attach,
  model: v.optional(v.string()),
  skill: v.optional(v.string()),
  workdir: v.optional(v.string()),
  timeout: v.optional(seconds),
  patience: v.optional(duration),
  tags: v.optional(TagsSchema),
  maxTokens: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  maxUsd: v.optional(v.pipe(v.number(), v.minValue(LEAST_USD), v.maxValue(1e6))),
  signal: v.optional(v.instance(AbortSignal)),
  onEvent: v.optional(v.function()),
});

const ForkOptionsSchema = v.strictObject({
  turn: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  text: v.optional(v.string()),
  model: v.optional(v.string()),
  timeout: v.optional(seconds),
  signal: v.optional(v.instance(AbortSignal)),
});

const ListOptionsSchema = v.strictObject({
  agent: v.optional(v.string()),
  status: v.optional(RunStatus),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});

const text = v.optional(v.string());

/** @throws as `checkRunOptions` does */
export function checkCadreOptions(options: CadreOptions): void {
  const here = { folder: text, agentsDir: text, lambdaEndpoint: text };
  check(v.strictObject({ ...here, environment: text, onWarning: v.optional(v.function()) }), options);
}

/** Checks options that may come from JavaScript. @throws {ConfigError} that names the first that is wrong */
export function checkRunOptions(options: RunOptions): void {
  check(RunOptionsSchema, options);
}

/** @throws as `checkRunOptions` does */
export function checkForkOptions(options: ForkOptions): void {
  check(ForkOptionsSchema, options);
}

/** @throws as `checkRunOptions` does */
export function checkSendOptions(options: SendOptions): void {
  check(v.strictObject({ attach }), options);
}

/** @throws as `checkRunOptions` does */
export function checkListOptions(options: ListOptions): void {
  check(ListOptionsSchema, options);
}

/** @throws as `checkRunOptions` does */
export function checkAnswerOptions(options: object): void {
  check(v.strictObject({ arguments: v.optional(notAList(v.record(v.string(), v.unknown()))) }), options);
}

/** @throws as `checkRunOptions` does */
export function checkTestOptions(options: object): void {
  const texts = v.optional(notAList(v.record(v.string(), v.string())));
  const script = v.union([v.array(v.unknown()), v.function()], 'expected a list of turns or a function');
  const models = v.record(v.string(), script);
  const folders = { folder: v.optional(v.string()), agentsDir: v.optional(v.string()) };
  check(
    v.strictObject({ models, ...folders, files: texts, env: texts, onWarning: v.optional(v.function()) }),
    options,
  );
}

/** @throws as `checkRunOptions` does */
export function checkDuration(given: number | string): void {
  check(v.strictObject({ duration }), { duration: given });
}

function check(schema: v.GenericSchema & { entries: v.ObjectEntries }, options: object): void {
  const checked = v.safeParse(schema, options);
  if (checked.success) return;
  // What is misspelt may also be what is missing.
  const issue = checked.issues.find(({ expected }) => expected === 'never') ?? checked.issues[0];
  const key = v.getDotPath(issue) ?? 'options';
  const reason =
    issue.expected === 'never'
      ? `there is no such option, ${nearestKey([key], keysOf(schema))}`
      : issue.message.toLowerCase();
  throw new ConfigError(`invalid option ${key}: ${reason}`);
}
