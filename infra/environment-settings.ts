import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { assertEnvironmentName } from '../src/deployment.ts';
import { LOG_LEVELS } from '../src/environment.ts';
import { ConfigError } from '../src/errors.ts';
import { PROTOCOLS, PROVIDER_NAME } from '../src/models/provider-settings.ts';

/** CloudWatch takes these and no others (one that is kept for ever is a mistake). */
const LOG_DAYS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days < RetentionDays.INFINITE,
);

/** A provider of models. Its key is in a secret, and never here. */
const Provider = v.strictObject({
  protocol: v.optional(v.picklist(PROTOCOLS, `one of ${PROTOCOLS.join(', ')}`)),
  baseUrl: v.optional(
    v.pipe(v.string('a URL'), v.regex(/^https?:\/\/[^/?#@\s]+(\/[^?#@\s]*)?$/, 'an http or https URL')),
  ),
  strictRoles: v.optional(v.boolean('true or false')),
  /** Seconds that a stream may show nothing. */
  idleTimeout: v.optional(v.pipe(v.number('seconds'), v.gtValue(0, 'more than 0'))),
  apiVersion: v.optional(v.string('a string')),
});

/** One environment, as it stands under `environments` in cdk.json. */
const Settings = v.strictObject({
  /** Whether table, bucket, secret and logs outlive the stack, which then cannot be deleted by mistake either. */
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
  /** Requests to the API that may be under way at once, of which `?wait` holds one for up to 25 s; 0: as turns. */
  apiConcurrency: v.pipe(
    v.number('a whole number'),
    v.integer('a whole number'),
    v.minValue(0, 'at least 0'),
  ),
  /** The customer's own KMS key for table, bucket and secret; absent: keys of AWS. */
  kmsKeyArn: v.optional(
    v.pipe(
      v.string('a string'),
      v.regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, "a key's ARN"),
    ),
  ),
  /** Who is told of alarms; "" for nobody. */
  alarmEmail: v.string('a string'),
  /** Questions to people. */
  ask: v.optional(
    v.strictObject({
      /** Who is told of each: an e-mail address, or an SNS topic's ARN; "" or absent: nobody. */
      notify: v.optional(
        v.pipe(
          v.string('a string'),
          v.regex(
            /^(|[^\s@:]+@[^\s@]+|arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+)$/,
            "an e-mail address or a topic's ARN",
          ),
        ),
      ),
    }),
  ),
  /** Whether there is a dashboard, which costs $3 a month where an account has three others (CloudWatch, pricing). */
  dashboard: v.boolean('true or false'),
  /** Whether there are agents that play scripts, for `cadre verify`. */
  verify: v.optional(v.boolean('true or false'), false),
  /** Models that callers of the API may choose beside an agent's own. */
  apiModels: v.optional(
    v.array(
      v.pipe(v.string('a string'), v.regex(/^[^/\s,]+\/[^\s,]+$/, 'provider/model-name')),
      'a list of strings',
    ),
  ),
  /** Providers of models besides the known ones, and settings for those that differ from the usual ones, by name. */
  providers: v.optional(
    v.record(v.pipe(v.string(), v.regex(PROVIDER_NAME, 'letters, digits, "-" and "_"')), Provider),
  ),
  /** Whose tokens the API takes; absent: it takes requests signed by IAM principals. */
  jwt: v.optional(
    v.strictObject({
      issuer: v.string('a string'),
      audience: v.array(v.string('a string'), 'a list of strings'),
      /** A token has to carry one of them at least; absent: none is asked for. */
      scopes: v.optional(v.array(v.string('a string'), 'a list of strings')),
      /** The same for answering questions; absent: `cadre/answer`. */
      answerScopes: v.optional(v.array(v.string('a string'), 'a list of strings')),
    }),
  ),
});

export interface EnvironmentSettings extends v.InferOutput<typeof Settings> {
  /** `dev` */
  name: string;
}

/**
 * What becomes of data when their resource goes. Where they are retained, a first deployment that fails still takes
 * away what it made: what is left under a fixed name would keep the second from making it.
 */
export function removalPolicyOf({ retainData }: EnvironmentSettings): RemovalPolicy {
  return retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
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
  assertEnvironmentName(name);
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

/**
 * The agents that are not deployed: those with tools that need a machine.
 * @param written `localAgents` of cdk.json
 * @throws {ConfigError} if it is no list of names
 */
export function localAgentsOf(written: unknown): string[] {
  const names = v.safeParse(v.optional(v.array(v.string()), []), written);
  if (names.success) return names.output;
  throw new ConfigError('localAgents in cdk.json must be a list of the names of agents, such as ["coder"]');
}
