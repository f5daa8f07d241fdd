/**
 * The environment of deployed functions: what the stack sets and a function reads. Values are names of resources and
 * settings, never secrets.
 */
export const ENVIRONMENT = {
  /** The environment that a function belongs to: `dev`, or with a prefix of its own `shop/dev`. */
  name: 'CADRE_ENVIRONMENT',
  /** One of `LOG_LEVELS`. */
  logLevel: 'CADRE_LOG_LEVEL',
  /** The DynamoDB table that keeps runs. */
  table: 'CADRE_TABLE',
  /** The bucket for texts that are too large for the table, and for the files that agents may see. */
  bucket: 'CADRE_BUCKET',
  /** How many days the table keeps an item that is not written again. */
  keepDays: 'CADRE_KEEP_DAYS',
  /** The secret in Secrets Manager that holds the providers' keys, as JSON: `{"anthropic": "…"}`. */
  keysSecret: 'CADRE_KEYS_SECRET',
  /** Providers that the environment sets up, as JSON: see provider-settings.ts; may be absent. */
  providers: 'CADRE_PROVIDERS',
  /** The secret with those for tool servers and web search, as JSON: `{"DOCS_TOKEN": "…"}`; absent: there are none. */
  serverSecrets: 'CADRE_SERVER_SECRETS',
  /** Who searches the web, `WebSearchSettings` as JSON; absent: nobody. */
  webSearch: 'CADRE_WEB_SEARCH',
  /**
   * The ARNs of functions that agents name and the stack was given, and the versions of those that are made of modules,
   * as JSON: `{"stock": "arn:…", "fn-weather": "3"}`; may be absent.
   */
  functions: 'CADRE_FUNCTIONS',
  /** The ARN of the machine that runs conversations. */
  stateMachine: 'CADRE_STATE_MACHINE',
  /** The ARN of the machine that looks after batches. */
  batchMachine: 'CADRE_BATCH_MACHINE',
  /** The name of the function that wakes executions. */
  control: 'CADRE_CONTROL',
  /** The limits per day, in dollars as JSON; absent: the environment has none. */
  limits: 'CADRE_LIMITS',
  /** Models that callers of the API may choose beside an agent's own, with commas between them; may be absent. */
  apiModels: 'CADRE_API_MODELS',
  /** The issuer of the tokens that the API takes; absent: it takes none. */
  issuer: 'CADRE_ISSUER',
  /** The scopes of tokens that show the runs of all, with spaces between them; absent: there are none. */
  adminScopes: 'CADRE_ADMIN_SCOPES',
  /** How people sign in to the page, as JSON: see signed-in-page.ts; absent: the API has no page. */
  signIn: 'CADRE_SIGN_IN',
} as const;

/**
 * What the doors require of tokens, `DoorTokens` as JSON; absent: they take signed requests only. Only the doors'
 * function carries this name.
 */
export const DOOR_TOKENS = 'CADRE_DOOR_TOKENS';

/** The agent whose card of Agent2Agent is that of the doors; absent: the only one that is offered. */
export const A2A_AGENT = 'CADRE_A2A_AGENT';

/** The function that cancels tasks of remote agents; absent: there are none. */
export const GIVE_UP_BY = 'CADRE_GIVE_UP_BY';

/** What the function that tells people of questions is set up with, as JSON. No other function has to carry the name. */
export const NOTIFY = 'CADRE_NOTIFY';

/** Set where the API serves answer links. */
export const ANSWER_LINKS = 'CADRE_ANSWER_LINKS';

/** The secret that holds the secrets it needs, as JSON: `{"NOTIFY_SECRET": "…"}`; absent: it needs none. */
export const NOTIFY_SECRETS = 'CADRE_NOTIFY_SECRETS';

/** Where the function of telemetry sends spans, as JSON. No other function has to carry the name. */
export const TELEMETRY = 'CADRE_TELEMETRY';

/** The secret that holds the secrets it needs, as JSON; absent: it needs none. */
export const TELEMETRY_SECRETS = 'CADRE_TELEMETRY_SECRETS';

/** The secret with the key that seals sign-ins to servers, as JSON: `{"key": "…"}`; absent: nobody signs in. */
export const LOGINS_SECRET = 'CADRE_LOGINS_SECRET';

/** The address of the page on which people sign in to servers; absent: the environment has none. */
export const PAGE_URL = 'CADRE_PAGE_URL';

/** The functions that commands run in, `SandboxSettings` as JSON; absent: no agent has any. */
export const SANDBOX = 'CADRE_SANDBOX';

export interface DoorTokens {
  issuer: string;
  /** One of them is in a token, as its audience or as the client that it was given to. */
  audience: readonly string[];
  /** One of them is in a token; absent: any token will do. */
  scopes?: readonly string[] | undefined;
  /** One of them is in the token of whoever may answer questions. */
  answerScopes: readonly string[];
}

export type EnvironmentVariable = (typeof ENVIRONMENT)[keyof typeof ENVIRONMENT];

/** How much functions log: `info` for events, `debug` for the texts of tasks too. */
export const LOG_LEVELS = ['info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where our metrics are in CloudWatch. All of them carry the dimension `environment`. */
export const METRICS_NAMESPACE = 'Cadre';

/** The metrics that alarms look at, written by functions and read by the template. */
export const METRICS = {
  /** Trees that ended, by `outcome`. */
  trees: 'trees',
  /** What the sweep mended, or could not, and runs that were lost before they had a record. */
  sweepFindings: 'sweepFindings',
  /** Limits per day of which four fifths are gone, each once a day. */
  nearLimits: 'nearLimits',
} as const;

/** How a tree ended: `model` is for providers of models to mend, `code` for whoever deploys. */
export type TreeOutcome = 'answered' | 'stopped' | 'model' | 'code';

/** Where things lie in the bucket. */
export const BUCKET_PREFIX = {
  /** Texts of runs; they expire. */
  runs: 'runs/',
  /** The vectors of what agents remember. */
  memories: 'memory/',
  /** The files that agents may see: a workdir of `/docs`, or `docs`, is `workspace/docs/`. */
  workspace: 'workspace/',
  /** The same of an owner: `workspace@<owner>/docs/`. */
  ownWorkspaces: 'workspace@',
  /** What commands leave outside of the workspace, by tree and workdir; it expires. */
  sandbox: 'sandbox/',
} as const;

/**
 * The paths of the page's files, as hono has them. They hold no data, and people need them to sign in. Chunks are
 * loaded when they are needed, and their names change with their content.
 */
export const PAGE_PATHS = [
  '/',
  '/console.js',
  '/console.css',
  '/console-config.json',
  '/chunks/:file',
] as const;

/** Where people return after signing in to servers, and where authorization servers find Cadre's client metadata. */
export const SIGN_IN_PATHS = { callback: '/oauth/callback', client: '/oauth/client.json' } as const;

/** Where the page's files are beside the code of the function that serves them. */
export const PAGE_FOLDER = 'console';

/** A variable of several functions, or of a single one. */
export type FunctionVariable =
  | EnvironmentVariable
  | typeof LOGINS_SECRET
  | typeof NOTIFY
  | typeof NOTIFY_SECRETS
  | typeof TELEMETRY
  | typeof TELEMETRY_SECRETS;

/** @throws {TypeError} if the stack did not set it: a fault of the deployment, not of a user */
export function required(name: FunctionVariable): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new TypeError(`the environment variable ${name} is not set`);
  return value;
}
