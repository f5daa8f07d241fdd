import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { LOG_LEVELS } from '../src/environment.ts';
import { ConfigError } from '../src/errors.ts';

/** CloudWatch takes these and no others (one that is kept for ever is a mistake). */
const LOG_DAYS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days < RetentionDays.INFINITE,
);

/** One environment, as it stands under `environments` in cdk.json. */
const Settings = v.strictObject({
  /** Whether table, bucket, secret and logs outlive the stack. */
  retainData: v.boolean('true or false'),
  /** Days after which a run that is not touched any more is forgotten. */
  runDays: v.pipe(v.number('a whole number'), v.integer('a whole number'), v.minValue(1, 'at least 1')),
  logDays: v.picklist(LOG_DAYS, `one of ${LOG_DAYS.join(', ')}`),
  logLevel: v.picklist(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`),
  /** Turns that may be under way at once, over all runs; 0: as many as the account allows. */
  turnConcurrency: v.pipe(
    v.number('a whole number'),
    v.integer('a whole number'),
    v.minValue(0, 'at least 0'),
  ),
  /** Who is told of alarms; "" for nobody. */
  alarmEmail: v.string('a string'),
  /** Whether there is a dashboard, which costs $3 a month where an account has three others (CloudWatch, pricing). */
  dashboard: v.boolean('true or false'),
  /** Models that callers of the API may choose beside an agent's own. */
  apiModels: v.optional(
    v.array(
      v.pipe(v.string('a string'), v.regex(/^[^/\s,]+\/[^\s,]+$/, 'provider/model-name')),
      'a list of strings',
    ),
  ),
  /** Whose tokens the API takes; absent: it takes requests signed by IAM principals. */
  jwt: v.optional(
    v.strictObject({
      issuer: v.string('a string'),
      audience: v.array(v.string('a string'), 'a list of strings'),
    }),
  ),
});

export interface EnvironmentSettings extends v.InferOutput<typeof Settings> {
  /** `dev` */
  name: string;
}

/**
 * The settings of the environment that was asked for (`-c env=dev`).
 * @param environments `environments` of cdk.json
 * @throws {ConfigError}
 */
export function settingsOf(name: unknown, environments: unknown): EnvironmentSettings {
  const known = v.parse(v.record(v.string(), v.unknown()), environments);
  const names = Object.keys(known).join(', ');
  if (typeof name !== 'string' || name === '') {
    throw new ConfigError(`no environment is chosen: add -c env=<name>, one of ${names}`);
  }
  if (!Object.hasOwn(known, name)) {
    throw new ConfigError(`unknown environment "${name}": cdk.json knows ${names}`);
  }
  const settings = v.safeParse(Settings, known[name]);
  if (settings.success) return { name, ...settings.output };
  const [issue] = settings.issues;
  const place = ['environments', name, v.getDotPath(issue)].join('.');
  throw new ConfigError(`cdk.json, ${place}: expected ${expectation(issue)}, got ${issue.received}`);
}

/** Objects speak of their keys in valibot's own words. */
function expectation(issue: v.InferIssue<typeof Settings>): string {
  if (issue.type !== 'strict_object') return issue.message;
  return issue.expected === 'never' ? 'a known key' : 'a value';
}
