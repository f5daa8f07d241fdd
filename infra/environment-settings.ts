import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { environmentName, environmentPath, environmentStem } from '../src/places/aws/deployment.ts';
import { LOG_LEVELS } from '../src/places/aws/variables.ts';
import { ConfigError } from '../src/errors.ts';
import { keysOf, nearestKey } from '../src/known-keys.ts';
import { BASE_URL, LONGEST_IDLE, PROTOCOLS, PROVIDER_NAME } from '../src/core/model/provider-settings.ts';
import { WEB_SEARCH_PROVIDERS, webSearchFault } from '../src/core/tool-contracts/web-search.ts';
import { DeployedNotify } from '../src/places/notify/settings.ts';
import { DeployedTelemetry } from '../src/places/telemetry/deployed-settings.ts';
import type { CadreEnvironmentProps } from './environment-props.ts';
import { asMistake } from './mistake.ts';

/** CloudWatch takes these and no others (one that is kept for ever is a mistake). */
const LOG_DAYS = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days < RetentionDays.INFINITE,
);

/** A provider of models. Its key is in a secret, and never here. */
const Provider = v.strictObject({
  protocol: v.optional(v.picklist(PROTOCOLS, `one of ${PROTOCOLS.join(', ')}`)),
  baseUrl: v.optional(v.pipe(v.string('a URL'), v.regex(BASE_URL, 'an http or https URL'))),
  strictRoles: v.optional(v.boolean('true or false')),
  /** Seconds that a stream may show nothing. */
  idleTimeout: v.optional(
    v.pipe(
      v.number('seconds'),
      v.gtValue(0, 'more than 0'),
      v.maxValue(LONGEST_IDLE, `at most ${LONGEST_IDLE}`),
    ),
  ),
  apiVersion: v.optional(v.string('a string')),
});

/** Who searches the web. The key is in a secret, and never here. */
const WebSearch = v.strictObject({
  provider: v.picklist(WEB_SEARCH_PROVIDERS, `one of ${WEB_SEARCH_PROVIDERS.join(', ')}`),
  apiKey: v.optional(
    v.pipe(
      v.string('a string'),
      v.regex(/^\$\{[A-Za-z_]\w*\}$/, 'a secret by its name, such as ${TAVILY_API_KEY}'),
    ),
  ),
  url: v.optional(v.pipe(v.string('a URL'), v.regex(BASE_URL, 'an http or https URL'))),
});

const wholeNumber = (least: number) =>
  v.pipe(v.number('a whole number'), v.integer('a whole number'), v.minValue(least, `at least ${least}`));

const usd = v.optional(
  v.pipe(v.number('dollars'), v.finite('dollars'), v.minValue(0.000001, 'at least 0.000001')),
);

/** The settings of an environment that can be written down: see `CadreEnvironmentProps`. */
const entries = {
  prefix: v.optional(v.string('a string')),
  retainData: v.optional(v.boolean('true or false'), true),
  runDays: v.optional(wholeNumber(1), 90),
  logRetention: v.optional(v.picklist(LOG_DAYS, `one of ${LOG_DAYS.join(', ')}`), RetentionDays.ONE_MONTH),
  accessLogs: v.optional(v.boolean('true or false'), false),
  logLevel: v.optional(v.picklist(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`), 'info'),
  turnConcurrency: v.optional(wholeNumber(0), 0),
  apiConcurrency: v.optional(wholeNumber(0), 0),
  watchConcurrency: v.optional(wholeNumber(0)),
  alarmEmail: v.optional(v.string('a string'), ''),
  alarms: v.optional(v.literal('none', '"none"')),
  ask: v.optional(
    v.strictObject({
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
  notify: v.optional(v.strictObject(DeployedNotify)),
  telemetry: v.optional(v.strictObject(DeployedTelemetry)),
  limits: v.optional(v.strictObject({ usdPerDay: usd, usdPerOwnerPerDay: usd })),
  rollout: v.optional(
    v.strictObject({
      next: v.pipe(v.number('a share'), v.minValue(0, 'from 0 to 1'), v.maxValue(1, 'from 0 to 1')),
      folder: v.optional(v.pipe(v.string('a folder'), v.regex(/./, 'a folder')), 'agents-next'),
    }),
  ),
  dashboard: v.optional(v.boolean('true or false'), false),
  verify: v.optional(v.boolean('true or false'), false),
  apiModels: v.optional(
    v.array(
      v.pipe(v.string('a string'), v.regex(/^[^/\s,]+\/[^\s,]+$/, 'provider/model-name')),
      'a list of strings',
    ),
    [],
  ),
  providers: v.optional(
    v.record(v.pipe(v.string(), v.regex(PROVIDER_NAME, 'letters, digits, "-" and "_"')), Provider),
    {},
  ),
  webSearch: v.optional(WebSearch),
  jwt: v.optional(
    v.strictObject({
      issuer: v.string('a string'),
      audience: v.array(v.string('a string'), 'a list of strings'),
      scopes: v.optional(v.array(v.string('a string'), 'a list of strings')),
      answerScopes: v.optional(v.array(v.string('a string'), 'a list of strings')),
      budgetScopes: v.optional(v.array(v.string('a string'), 'a list of strings')),
      adminScopes: v.optional(
        v.array(v.pipe(v.string('a string'), v.regex(/^\S+$/, 'a scope')), 'a list of strings'),
      ),
      clientId: v.optional(v.string('a string')),
    }),
  ),
  doors: v.optional(v.boolean('true or false'), false),
  serve: v.optional(v.strictObject({ a2a: v.exactOptional(v.string('a string')) })),
  console: v.optional(v.boolean('true or false'), false),
  sandboxVpc: v.optional(v.boolean('true or false'), false),
};
const Settings = v.strictObject({ environment: v.string('a name such as "dev"'), ...entries });

/** The props that are no settings: parts of an app, and what is checked elsewhere. */
const parts = Object.fromEntries(
  (
    [
      'agentsFolder',
      'alarmTopic',
      'bucket',
      'encryptionKey',
      'functions',
      'keptGrants',
      'pageTopic',
      'permissionsBoundary',
      'securityGroups',
      'table',
      'tags',
      'vpc',
      'vpcSubnets',
    ] as const satisfies readonly (keyof CadreEnvironmentProps)[]
  ).map((key) => [key, v.optional(v.unknown())]),
);
const Props = v.strictObject({
  ...Settings.entries,
  ...parts,
  localAgents: v.optional(v.array(v.string('the name of an agent'), 'a list of the names of agents')),
});

/** An environment as it stands under `environments` in cdk.json. */
export const WrittenEnvironment = v.strictObject({
  ...entries,
  /** A table and a bucket of the stack's account and Region, in place of its own; absent: its own. */
  tableName: v.optional(v.string('a string')),
  bucketName: v.optional(v.string('a string')),
  /** The customer's own key for table, bucket and secrets; absent: keys of AWS. */
  kmsKeyArn: v.optional(
    v.pipe(
      v.string('a string'),
      v.regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, "a key's ARN"),
    ),
  ),
});

/** The parts of the app that parts of an environment use. */
type Given =
  'alarmTopic' | 'bucket' | 'encryptionKey' | 'pageTopic' | 'securityGroups' | 'table' | 'vpc' | 'vpcSubnets';

/** The settings that all parts of an environment use: the props, checked, with every default in place. */
export interface EnvironmentSettings
  extends v.InferOutput<typeof Settings>, Pick<CadreEnvironmentProps, Given> {
  /** `dev`, or with a prefix of its own `shop/dev`. */
  name: string;
  /** The prefix of resources' names: `cadre-dev`. */
  stem: string;
  /** The prefix of the names of its parameter and logs: `/cadre/dev`. */
  path: string;
}

/** @throws {ConfigError} for settings that are wrong, or that contradict each other */
export function settingsOf(props: CadreEnvironmentProps): EnvironmentSettings {
  const given: Pick<CadreEnvironmentProps, Given> = props;
  const settings: v.InferOutput<typeof Settings> = parseSettings(Props, props, 'CadreEnvironment');
  const fault = settings.webSearch && webSearchFault(settings.webSearch);
  if (fault !== undefined)
    throw new ConfigError(`environment "${settings.environment}", webSearch: ${fault}`);
  if (settings.console && settings.jwt === undefined) {
    throw new ConfigError(
      `environment "${settings.environment}" has "console": true and no "jwt": browsers sign no requests, so the page needs an issuer where people sign in; without one, show it with: npx cadre serve --env ${settings.environment}`,
    );
  }
  const name = environmentName(settings.environment, settings.prefix);
  return {
    ...given,
    ...settings,
    name,
    stem: environmentStem(name),
    path: environmentPath(name),
  };
}

/**
 * @param where the settings stand, for messages
 * @throws {ConfigError} with the place of the first one that is wrong, its value and what it takes
 */
export function parseSettings<Schema extends typeof Props | typeof WrittenEnvironment>(
  schema: Schema,
  input: unknown,
  where: string,
): v.InferOutput<Schema> {
  const settings = v.safeParse(schema, input);
  if (settings.success) return settings.output;
  // What is misspelt is often what is missing, too.
  const issue = settings.issues.find(({ expected }) => expected === 'never') ?? settings.issues[0];
  const path = (issue.path ?? []).map(({ key }) => String(key));
  throw asMistake(new ConfigError(`${where}.${v.getDotPath(issue)}: ${faultOf(issue, path, schema)}`));
}

/** Objects speak of their keys in valibot's own words. */
function faultOf(
  issue: v.BaseIssue<unknown>,
  path: readonly string[],
  schema: typeof Props | typeof WrittenEnvironment,
): string {
  const isObject = issue.type === 'strict_object';
  if (isObject && issue.expected === 'never') {
    // Users choose the names of providers.
    const providers = Object.fromEntries(path.slice(1, -1).map((name) => [name, keysOf(Provider)]));
    // Its keys are those of others, too.
    const searching = path[0] === 'webSearch' ? {} : { webSearch: '' };
    return `unknown key, ${nearestKey(path, { ...keysOf(schema), providers, ...searching })}`;
  }
  return `expected ${isObject ? 'a value' : issue.message}, got ${issue.received}`;
}

/**
 * The fate of data when their resource goes. Where they are retained, a first deployment that fails still takes away
 * its resources: one left under a fixed name would keep the second deployment from making it.
 */
export function removalPolicyOf({ retainData }: EnvironmentSettings): RemovalPolicy {
  return retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
}
