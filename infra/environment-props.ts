import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { LogLevel } from '../src/places/aws/variables.ts';

/** A provider of models. Its key is in a secret, and never here. */
export interface ProviderProps {
  /** Its protocol, where it is none of the known ones. */
  readonly protocol?: 'openai' | undefined;
  readonly baseUrl?: string | undefined;
  /** Whether the server refuses a user's message after the results of tools. */
  readonly strictRoles?: boolean | undefined;
  /** Seconds that a stream may show nothing. */
  readonly idleTimeout?: number | undefined;
  /** Of Azure's dated API, `2024-10-21`. */
  readonly apiVersion?: string | undefined;
}

/** Who searches the web for agents that have the tool `web_search`. */
export interface WebSearchProps {
  /** `model`: the provider of each agent's model, with a tool of its own. */
  readonly provider: 'tavily' | 'brave' | 'searxng' | 'model';
  /**
   * The secret that holds its key, as `${NAME}`; it is kept in ServersSecret.
   * @default ${TAVILY_API_KEY} or ${BRAVE_API_KEY}; SearXNG and models want none
   */
  readonly apiKey?: string | undefined;
  /** Where it is. @default its usual place; SearXNG has none */
  readonly url?: string | undefined;
}

/** Which tokens the API accepts. */
export interface JwtProps {
  readonly issuer: string;
  readonly audience: readonly string[];
  /** A token has to carry one of them at least; absent: none is asked for. */
  readonly scopes?: readonly string[] | undefined;
  /** The same for answering questions of agents. @default ['cadre/answer'] */
  readonly answerScopes?: readonly string[] | undefined;
  /** The same for adding to the budgets of runs. @default ['cadre/budget'] */
  readonly budgetScopes?: readonly string[] | undefined;
  /**
   * A token that carries one of them is an administrator's: its bearer sees and steers the runs of all.
   * @default ['cadre/admin']
   */
  readonly adminScopes?: readonly string[] | undefined;
  /** The client that the page is, a public one; only `console` needs it. @default the first audience */
  readonly clientId?: string | undefined;
}

/** Questions that agents ask people. */
export interface AskProps {
  /** The recipient of a note about each: an e-mail address, or the ARN of an SNS topic. @default none */
  readonly notify?: string | undefined;
}

/**
 * Where people are told of questions, each with a link at which it can be answered. Texts may name keys of the secret
 * `NotifySecret`, `${NAME}`.
 */
export interface NotifyProps {
  /** Gets each question as JSON. */
  readonly webhook?: string | undefined;
  /** `${NAME}`: with which that is signed. @default it is not signed */
  readonly secret?: string | undefined;
  /** `${NAME}`: an incoming webhook of Slack. */
  readonly slack?: string | undefined;
  /** An e-mail address, which has to confirm that it takes mails. */
  readonly mail?: string | undefined;
  /** The address at which people reach the API, without a path. @default its own */
  readonly url?: string | undefined;
}

/** What a day may cost, from midnight to midnight in UTC. Runs are refused once a limit is reached. */
export interface LimitsProps {
  /** The most dollars, for all runs together. */
  readonly usdPerDay?: number | undefined;
  /** The most dollars for the runs of each person, where `jwt` is set. */
  readonly usdPerOwnerPerDay?: number | undefined;
}

/** What clients of the doors find without a name. */
export interface ServeProps {
  /** The agent whose card of Agent2Agent is that of the doors. @default the only agent that is offered */
  readonly a2a?: string | undefined;
}

/** Where spans and metrics of OpenTelemetry are sent. */
export interface TelemetryProps {
  /** Of a collector that takes OTLP over HTTP, or of CloudWatch: `https://xray.<region>.amazonaws.com`. */
  readonly endpoint: string;
  /** `${NAME}` stands for a key of the secret `TelemetrySecret`. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether spans hold prompts, answers, arguments and results. @default false */
  readonly content?: boolean | undefined;
  /** Whether metrics are sent, too. @default true, but false to CloudWatch, which has those of log lines */
  readonly metrics?: boolean | undefined;
  /** The share of trees that are exported, from 0 to 1. @default 1 */
  readonly ratio?: number | undefined;
}

/** Agents to which new trees are moved, a share of them first. */
export interface RolloutProps {
  /** The share of new trees that take them, from 0 to 1, as long as `cadre rollout` sets no other. */
  readonly next: number;
  /** Their folder, beside that of the other agents, with which they share skills and modules. @default 'agents-next' */
  readonly folder?: string | undefined;
}

export interface CadreEnvironmentProps {
  /**
   * Its name for `cadre --env`: at most 32 lower-case letters, digits and hyphens, a letter first. Within a prefix,
   * environments of an account and Region differ in it.
   */
  readonly environment: string;
  /**
   * The folder of the agents' files, relative to the working directory. Skills, in `skills/`, and the modules of
   * functions are looked up in the folder that contains it.
   * @default 'agents'
   */
  readonly agentsFolder?: string;
  /** @default all trees take the agents of the agents' folder */
  readonly rollout?: RolloutProps | undefined;
  /** Names of agents that are not deployed: those with tools that need a machine. */
  readonly localAgents?: readonly string[];
  /**
   * A file, such as `cadre.grants.json` beside `cdk.json`, that remembers the models on Bedrock and the functions that
   * agents of earlier deployments named: runs that are open, idle or resumed may need them. Synthesis extends it, `cadre
   * gc --env <environment> --versions` prunes it, and it belongs into version control.
   * @default - a deployment grants what its own agents name, and nothing else
   */
  readonly keptGrants?: string;
  /** Functions of the app, by the names that agents call them by in `function = "…"`. */
  readonly functions?: Readonly<Record<string, IFunction>>;
  /**
   * The prefix of all resources' names, followed by the environment: at most 16 lower-case letters and digits. With
   * `shop`, `cadre --env` calls the environment `dev` by `shop/dev`.
   * @default 'cadre'
   */
  readonly prefix?: string | undefined;
  /** Tags of all resources, besides `cadre:environment`. */
  readonly tags?: Readonly<Record<string, string>>;

  /** Where all functions run. It has to lead to the services of AWS and to the providers of models. */
  readonly vpc?: IVpc;
  /** @default the private subnets of the VPC */
  readonly vpcSubnets?: SubnetSelection;
  /** @default a security group for each function */
  readonly securityGroups?: readonly ISecurityGroup[];
  /**
   * Whether there is a VPC without routes, but for one to the bucket, in which the commands of agents run that have a
   * sandbox without a network. It costs nothing, and counts towards the account's quota of VPCs.
   * @default false: such agents are refused
   */
  readonly sandboxVpc?: boolean;
  /** Encrypts table, bucket and secrets. @default keys of AWS */
  readonly encryptionKey?: IKey;
  /**
   * The table of runs in place of one of its own: after a restore to a point in time, which DynamoDB makes into another
   * table (docs/runbook.md#restoring-the-table-to-a-point-in-time). Expiry and protection are its owner's.
   */
  readonly table?: ITable | Table;
  /** The bucket of texts and files in place of one of its own. What expires in it, and when, is its owner's. */
  readonly bucket?: Bucket | IBucket;
  /** The boundary of every role that the environment needs. */
  readonly permissionsBoundary?: IManagedPolicy;

  /** Whether table, bucket, secrets and logs outlive the stack. @default true */
  readonly retainData?: boolean;
  /** Days after which a run that is not touched any more is forgotten. @default 90 */
  readonly runDays?: number;
  /** @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays;
  /**
   * Whether each request to the bucket is logged, in a bucket of its own, for as long as logs are kept. A bucket that the
   * app gives is logged as its owner likes.
   * @default false
   */
  readonly accessLogs?: boolean;
  /** `debug` writes the texts of tasks to the log, too. @default 'info' */
  readonly logLevel?: LogLevel;
  /** Turns that may be under way at once, over all runs; 0: as many as the account allows. @default 0 */
  readonly turnConcurrency?: number;
  /**
   * Requests to the API that may be under way at once, of which `?wait` holds one for up to 25 s; 0: as many as the
   * account allows.
   * @default 0
   */
  readonly apiConcurrency?: number;
  /**
   * Clients that may follow runs over the API at once, each of which holds a function of its own kind; 0: as many as the
   * account allows.
   * @default `apiConcurrency`
   */
  readonly watchConcurrency?: number | undefined;
  /** The recipient of all alarms. @default none: subscribe to `alarmTopic` */
  readonly alarmEmail?: string;
  /** Gets all alarms in place of a topic of the environment's own. */
  readonly alarmTopic?: ITopic;
  /**
   * Gets what somebody should be woken for, in place of a topic of the environment's own: the alarm that agents are
   * down, and its end.
   */
  readonly pageTopic?: ITopic;
  /** `none`: that nobody is told of alarms is meant, and no warning says so. */
  readonly alarms?: 'none' | undefined;
  /** Questions that agents ask people, which are events on the account's event bus in any case. */
  readonly ask?: AskProps | undefined;
  /** Where people are told of questions in words, and may answer them. @default nowhere */
  readonly notify?: NotifyProps | undefined;
  /** Where spans and metrics are sent, by a function that reads the table's stream. @default nowhere */
  readonly telemetry?: TelemetryProps | undefined;
  /** What a day (UTC) may cost. @default no limit */
  readonly limits?: LimitsProps | undefined;
  /** Whether there is a dashboard, which costs $3 a month where an account has three others. @default false */
  readonly dashboard?: boolean;
  /** Whether there are agents that play scripts, for `cadre verify`. @default false */
  readonly verify?: boolean;
  /** Models that callers of the API may choose beside an agent's own: `openai/gpt-5.1`. */
  readonly apiModels?: readonly string[];
  /** Providers of models besides the known ones, and settings for those that differ from the usual ones, by name. */
  readonly providers?: Readonly<Record<string, ProviderProps>>;
  /** @default nobody: agents with the tool `web_search` are refused */
  readonly webSearch?: WebSearchProps | undefined;
  /** @default the API takes requests that are signed by IAM principals */
  readonly jwt?: JwtProps | undefined;
  /**
   * Whether clients of OpenAI, MCP, AG-UI and A2A reach agents at an address of their own. As for the API, requests are signed
   * by IAM principals, or carry a token where `jwt` is set; the address is then open to everyone, and what checks tokens
   * is the function itself.
   * @default false
   */
  readonly doors?: boolean;
  /** What clients of the doors find without a name. */
  readonly serve?: ServeProps | undefined;
  /** Whether the API serves the page, where people sign in with the issuer of `jwt`. @default false */
  readonly console?: boolean;
}
