import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';

/** New trees are being moved from some agents to others, which are deployed beside them. */
export const Rollout = v.object({
  /** Tells it from any other. */
  id: v.string(),
  /** The names of both packs of agents. */
  current: v.string(),
  next: v.string(),
  /** The share of new trees that takes the next one, from 0 to 1, unless a person has set another. */
  share: v.number(),
});
export type Rollout = v.InferOutput<typeof Rollout>;

/**
 * The published description of a deployed environment: one parameter in Systems Manager, by which `cadre --env` finds
 * it. Names and addresses only, no secrets.
 */
export const Deployment = v.object({
  region: v.string(),
  stateMachineArn: v.string(),
  tableName: v.string(),
  bucketName: v.string(),
  apiUrl: v.string(),
  /** Where clients of OpenAI and MCP find agents; absent where the environment has no doors for them. */
  doorsUrl: v.optional(v.string()),
  /** Whether the API takes requests that IAM principals signed, and not tokens. */
  takesSignatures: v.optional(v.boolean(), true),
  /** Of the tokens that the API takes; absent: it takes none. */
  issuer: v.optional(v.string()),
  /** Days after which the records of a run may go. */
  keepDays: v.number(),
  /** Absent: it has no limits per day. */
  limits: v.optional(
    v.object({ usdPerDay: v.optional(v.number()), usdPerOwnerPerDay: v.optional(v.number()) }),
  ),
  /** Absent: there is one pack of agents. */
  rollout: v.optional(Rollout),
  /** The secret with the key of sign-ins to servers; absent: nobody signs in. */
  logins: v.optional(v.object({ secretArn: v.string() })),
  /** For those who look after it; absent where an earlier release deployed it. */
  upkeep: v.optional(
    v.object({
      /** The release that deployed it. */
      version: v.string(),
      deadLettersUrl: v.string(),
      /** Of the secret with the keys of providers. */
      keysSecretArn: v.string(),
      /** Where alarms go: all of them, and those for which somebody should be woken. */
      alarmTopicArn: v.string(),
      pageTopicArn: v.string(),
    }),
  ),
  /** The agents and the role that `cadre verify` needs; absent where the environment has none. */
  verification: v.optional(
    v.object({
      /** The machine that schedules start, and the role in which EventBridge Scheduler starts it. */
      startingMachineArn: v.string(),
      schedulerRoleArn: v.string(),
    }),
  ),
});
export type Deployment = v.InferOutput<typeof Deployment>;

/** The prefix that environments have unless their owner gives them another; users may leave it out. */
const USUAL_PREFIX = 'cadre';
/**
 * Without a hyphen, so that no two names of environments lead to the same names of resources. Parameters and groups of
 * logs that begin with aws, and parameters that begin with ssm, belong to AWS.
 */
const PREFIX = /(?!aws|ssm)[a-z][a-z0-9]{1,15}/;
/** Both are parts of the names of functions and machines; names of functions have at most 64 characters. */
const ENVIRONMENT_NAME = new RegExp(`^(?:${PREFIX.source}/)?[a-z][a-z0-9-]{0,31}$`);

/**
 * The name of an environment in its account and Region: `dev`, or with a prefix `shop/dev`.
 * @throws {ConfigError} for characters that it cannot have
 */
export function environmentName(environment: string, prefix: string = USUAL_PREFIX): string {
  if (!new RegExp(`^${PREFIX.source}$`).test(prefix)) {
    throw new ConfigError(
      `invalid prefix ${JSON.stringify(prefix)}: use 2 to 16 lower-case letters and digits, a letter first, but neither aws nor ssm at the beginning`,
    );
  }
  const name = prefix === USUAL_PREFIX ? environment : `${prefix}/${environment}`;
  assertEnvironmentName(name);
  return name;
}

/** @throws {ConfigError} for what cannot be the name of an environment, with its prefix or without */
export function assertEnvironmentName(name: string): void {
  if (ENVIRONMENT_NAME.test(name)) return;
  throw new ConfigError(
    `invalid environment name ${JSON.stringify(name)}: use at most 32 lower-case letters, digits and "-", a letter first`,
  );
}

/**
 * The name of the parameter in which an environment is published, and below which its logs are: `/cadre/dev`,
 * `/shop/dev`.
 * @param environment as `environmentName` gives it
 */
export function environmentPath(environment: string): string {
  return environment.includes('/') ? `/${environment}` : `/${USUAL_PREFIX}/${environment}`;
}

/** The prefix of its resources' names: `cadre-dev`, `shop-dev`. */
export function environmentStem(environment: string): string {
  return environmentPath(environment).slice(1).replace('/', '-');
}

/** The name of the rule for executions that have ended without an answer: `cadre-dev-ended`. */
export function endedRuleName(environment: string): string {
  return `${environmentStem(environment)}-ended`;
}

/** The last part of the name of the function that is made of a module. */
export function moduleFunctionPart(tool: string): string {
  return `fn-${tool}`;
}

/**
 * The name in Lambda of the function that is made of a module: `cadre-dev-fn-weather`.
 * @param tool its name for the model
 */
export function moduleFunctionName(environment: string, tool: string): string {
  return `${environmentStem(environment)}-${moduleFunctionPart(tool)}`;
}

/** The name of a question to a person on the account's default event bus. */
export const QUESTION_EVENT = { Source: 'cadre', DetailType: 'Question asked' } as const;
