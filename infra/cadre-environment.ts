import { resolve } from 'node:path';
import { Annotations, CfnOutput, Names, Stack, Stage, Tags } from 'aws-cdk-lib';
import type { HttpApi, HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Rule } from 'aws-cdk-lib/aws-events';
import {
  type Grant,
  type IGrantable,
  type IManagedPolicy,
  PermissionsBoundary,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import packageJson from '../package.json' with { type: 'json' };
import type { Deployment } from '../src/places/aws/deployment.ts';
import { keepGrants } from '../src/places/aws/kept-grants.ts';
import { sandboxesOf } from '../src/places/aws/sandbox/sandboxes-of.ts';
import { ENVIRONMENT, GIVE_UP_BY } from '../src/places/aws/variables.ts';
import { usualKey } from '../src/core/tool-contracts/web-search.ts';
import { ConfigError } from '../src/errors.ts';
import { Alarms } from './alarms.ts';
import { Api } from './api.ts';
import {
  bedrockModelsOf,
  embeddingModelsOf,
  grantBedrockModels,
  grantGuardrails,
  guardrailsOf,
} from './bedrock-models.ts';
import { addDoorsUrl, tellIssuer } from './callers.ts';
import { Batches } from './batches.ts';
import { Conversation } from './conversation.ts';
import { Dashboard } from './dashboard.ts';
import { grantDataKey } from './data-key.ts';
import { DeadLetters } from './dead-letters.ts';
import type { CadreEnvironmentProps } from './environment-props.ts';
import { EnvironmentSecret } from './environment-secret.ts';
import { type EnvironmentSettings, settingsOf } from './environment-settings.ts';
import { type EventTargetProps, toEventTarget } from './event-target.ts';
import { Functions, type HandlerName } from './functions.ts';
import { type Granted, grantRead, grantStart } from './grants.ts';
import { Logins, signInsOf } from './logins.ts';
import { Notify } from './notify.ts';
import { prepareProject, type Project } from './project.ts';
import { Questions } from './questions.ts';
import { Sandboxes } from './sandboxes.ts';
import { Schedules } from './schedules.ts';
import { Settling } from './settling.ts';
import { Store } from './store.ts';
import { openStore } from './store-access.ts';
import { Telemetry } from './telemetry.ts';
import { UserFunctions } from './user-functions.ts';
import { verificationOf } from './verification.ts';

/**
 * One environment: everything that agents need to run in an account. An account and Region can have several, which
 * differ in their names.
 *
 * Agents are loaded and checked when it is made: a fault in them is thrown, `file:line:column: …`, a line each.
 */
export class CadreEnvironment extends Construct {
  /** Its name for `cadre --env` and `openCadre`: `dev`, or with a prefix `shop/dev`. */
  readonly environmentName: string;
  /** The state machine whose executions are conversations. */
  readonly machine: StateMachine;
  /** Keeps runs. */
  readonly table: ITable | Table;
  /** Keeps texts of runs below `runs/`, and the files that agents may see below `workspace/`. */
  readonly bucket: Bucket | IBucket;
  readonly api: HttpApi;
  /** The only stage of the API, such as for a domain of one's own. */
  readonly apiStage: HttpStage;
  /** The functions made of the modules that agents name, by the names that models call them by. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  /** The functions that carry out conversations. */
  readonly handlers: Readonly<Record<HandlerName, LambdaFunction>> & {
    readonly doors: LambdaFunction | undefined;
    readonly notify: LambdaFunction | undefined;
    readonly telemetry: LambdaFunction | undefined;
  };
  /** The keys of providers of models: `{"anthropic": "…"}`. The deployer fills it. */
  readonly keysSecret: Secret;
  /** Gets all alarms. */
  readonly alarmTopic: ITopic;
  /** Gets the alarm that agents are down, of which somebody should be woken, and its end. */
  readonly pageTopic: ITopic;
  readonly #project: Project;
  readonly #deadLetters: DeadLetters;
  readonly #granted: Granted;

  /** @throws {Error} for agents and props that are wrong, with the place of each thing that is */
  constructor(scope: Construct, id: string, props: CadreEnvironmentProps) {
    super(scope, id);
    const settings = settingsOf(props);
    this.environmentName = settings.name;
    assertOnly(this);
    const functionsFolder = resolve(
      Stage.of(this)?.assetOutdir ?? 'cdk.out',
      `functions-${Names.uniqueResourceName(this, { separator: '-' })}`,
    );
    const project = prepareProject({
      agentsFolder: resolve(props.agentsFolder ?? 'agents'),
      localAgents: props.localAgents ?? [],
      ...(settings.rollout !== undefined && {
        rollout: { folder: resolve(settings.rollout.folder), share: settings.rollout.next },
      }),
      providers: settings.providers,
      verify: settings.verify,
      console: settings.console,
      takesTokens: settings.jwt !== undefined,
      searching: settings.webSearch?.provider,
      sandboxVpc: settings.sandboxVpc,
      functionsFolder,
    });
    // What a function may reach, it may for the agents of both packs; schedules and events start those of the current.
    const { agents, everyAgent, rollout } = project;
    warnOf(this, everyAgent);

    const deadLetters = new DeadLetters(this, 'DeadLetters');
    const store = new Store(this, 'Store', settings);
    const keys = new EnvironmentSecret(this, 'ProviderKeys', {
      settings,
      description: `Keys of the providers of models, environment ${settings.name}: {"anthropic": "…"}`,
      variable: ENVIRONMENT.keysSecret,
    });
    const functions = new Functions(this, 'Functions', { settings, functionsFolder });
    const { open, turn, tool, control, settle, batch, api, doors, servers, watch } = functions;
    openStore(store, functions);
    tellIssuer(settings, functions);
    for (const asking of [turn, batch]) {
      keys.grantTo(asking);
      if (Object.keys(settings.providers).length > 0) {
        asking.addEnvironment(ENVIRONMENT.providers, JSON.stringify(settings.providers));
      }
    }
    const hasRemotes = [...everyAgent.values()].some(({ agent }) => agent.remoteAgents.length > 0);
    const hasServers =
      hasRemotes || [...everyAgent.values()].some(({ agent }) => agent.mcpServers.length > 0);
    const { webSearch } = settings;
    const needsKey =
      webSearch !== undefined && (webSearch.apiKey ?? usualKey(webSearch.provider)) !== undefined;
    const embeddings = embeddingModelsOf(everyAgent);
    const onBedrock = embeddings.filter((model) => model.startsWith('bedrock/'));
    const embedsByKey = embeddings.length > onBedrock.length;
    grantBedrockModels(tool, onBedrock, ['bedrock:InvokeModel']);
    if (embedsByKey) tool.addEnvironment(ENVIRONMENT.providers, JSON.stringify(settings.providers));
    const signIns = signInsOf(everyAgent.values());
    if (hasServers || needsKey || embedsByKey) {
      const readers = hasServers ? [open, tool] : [tool];
      // People who sign in through the API do so as a client with a secret.
      this.#addServerSecrets(signIns.withSecret ? [...readers, api] : readers, settings);
    }
    if (webSearch !== undefined) {
      const searcher = webSearch.provider === 'model' ? open : tool;
      searcher.addEnvironment(ENVIRONMENT.webSearch, JSON.stringify(webSearch));
    }
    if ([...everyAgent.values()].some(({ agent }) => agent.memory.search)) store.openMemoriesFor(tool);
    for (const reader of [open, turn, tool, control, settle, batch, watch, ...servers])
      grantDataKey(reader, settings);
    const { limits } = settings;
    if (limits !== undefined) {
      for (const one of [open, turn, ...servers])
        one.addEnvironment(ENVIRONMENT.limits, JSON.stringify(limits));
    }
    const sandboxes = sandboxesOf([...everyAgent.values()].map(({ agent }) => agent));
    if (sandboxes.length > 0) {
      new Sandboxes(this, 'Sandboxes', { settings, functionsFolder, sandboxes, store, tool });
    }
    const userFunctions = new UserFunctions(this, 'UserFunctions', {
      settings,
      project,
      given: props.functions ?? {},
      functionsFolder,
    });
    const named = {
      models: bedrockModelsOf(everyAgent, settings.apiModels),
      functions: [...userFunctions.existing],
      guardrails: guardrailsOf(everyAgent),
    };
    const today = new Date().toISOString().slice(0, '2026-01-01'.length);
    const granted = keepGrants(props.keptGrants, settings.name, named, today);
    userFunctions.openTo(tool, granted.functions);
    grantBedrockModels(turn, granted.models);
    grantGuardrails(turn, granted.guardrails);

    const conversation = new Conversation(this, 'Conversation', {
      settings,
      open,
      turn,
      tool,
      control,
      settle,
    });
    new Batches(this, 'Batches', { settings, batch, control, conversation });
    if (hasRemotes) {
      // It gives up what the newest turns of a run have had a remote agent do.
      store.openTurnsFor(tool);
      for (const ending of [control, settle]) {
        ending.addEnvironment(GIVE_UP_BY, tool.functionName);
        ending.addToRolePolicy(
          new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [tool.functionArn] }),
        );
      }
    }
    for (const starter of [...servers, control, settle]) conversation.grantControlTo(starter);
    for (const waker of [control, settle]) conversation.grantWakeTo(waker);
    conversation.grantLookTo(watch);
    // Servers leave to it what people write.
    deadLetters.takeFrom(control);
    new Questions(this, 'Questions', { settings, control, deadLetters });
    for (const server of servers) {
      server.addEnvironment(ENVIRONMENT.control, control.functionName);
      server.addToRolePolicy(
        new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [control.functionArn] }),
      );
    }
    new Settling(this, 'Settling', { environment: settings.name, conversation, settle, deadLetters });
    const schedules = new Schedules(this, 'Schedules', {
      settings,
      agents,
      conversation,
      control,
      deadLetters,
    });
    const httpApi = new Api(this, 'Api', { settings, handler: api, watch });
    const logins = signIns.any
      ? new Logins(this, 'Logins', { settings, store, functions, api: httpApi })
      : undefined;
    const { notify, telemetry } = functions;
    if (telemetry !== undefined) new Telemetry(this, 'Telemetry', { settings, handler: telemetry, store });
    if (notify !== undefined) {
      new Notify(this, 'Notify', { settings, handler: notify, store, api: httpApi, deadLetters });
    }
    const doorsUrl = doors && addDoorsUrl(doors, settings);

    const { topics } = new Alarms(this, 'Alarms', {
      settings,
      api: httpApi,
      conversation,
      functions,
      schedules,
      deadLetters,
      store,
    });
    if (settings.dashboard) new Dashboard(this, 'Dashboard', { settings, conversation, functions });

    const deployment: Deployment = {
      region: Stack.of(this).region,
      stateMachineArn: conversation.machine.stateMachineArn,
      tableName: store.table.tableName,
      bucketName: store.bucket.bucketName,
      apiUrl: httpApi.url,
      ...(doorsUrl !== undefined && { doorsUrl }),
      takesSignatures: settings.jwt === undefined,
      ...(settings.jwt !== undefined && { issuer: settings.jwt.issuer }),
      keepDays: settings.runDays,
      ...(limits !== undefined && { limits }),
      ...(rollout !== undefined && { rollout }),
      ...(logins !== undefined && { logins: { secretArn: logins.secretArn } }),
      upkeep: {
        version: packageJson.version,
        deadLettersUrl: deadLetters.queue.queueUrl,
        keysSecretArn: keys.secret.secretArn,
        alarmTopicArn: topics.mail.topicArn,
        pageTopicArn: topics.pages.topicArn,
      },
      ...verificationOf(this, settings, schedules),
    };
    const parameter = new StringParameter(this, 'Deployment', {
      parameterName: settings.path,
      description: 'Where cadre --env finds this environment',
      stringValue: Stack.of(this).toJsonString(deployment),
    });
    new CfnOutput(this, 'AlarmTopic', { value: topics.mail.topicArn });
    new CfnOutput(this, 'PageTopic', { value: topics.pages.topicArn });
    new CfnOutput(this, 'ApiUrl', { value: httpApi.url });
    if (doorsUrl !== undefined) new CfnOutput(this, 'DoorsUrl', { value: doorsUrl });
    new CfnOutput(this, 'KeysSecret', { value: keys.secret.secretArn });
    new CfnOutput(this, 'Workspace', { value: store.workspaceUrl });

    for (const [key, value] of Object.entries({ 'cadre:environment': settings.name, ...props.tags })) {
      Tags.of(this).add(key, value);
    }
    if (props.permissionsBoundary !== undefined) bound(this, props.permissionsBoundary);

    this.machine = conversation.machine;
    this.table = store.table;
    this.bucket = store.bucket;
    this.api = httpApi.api;
    this.apiStage = httpApi.stage;
    this.functions = userFunctions.modules;
    this.handlers = functions;
    this.keysSecret = keys.secret;
    this.alarmTopic = topics.mail;
    this.pageTopic = topics.pages;
    this.#project = project;
    this.#deadLetters = deadLetters;
    this.#granted = { settings, store, conversation, parameter };
  }

  /**
   * Lets a principal start runs: executions of the machine, and the preparations of `openCadre` and `cadre run --env`.
   * Reading results takes `grantRead`.
   */
  grantStart(grantee: IGrantable): Grant {
    return grantStart(grantee, this.#granted);
  }

  /** Lets a principal look at all runs, with their texts, as `cadre runs`, `show` and `watch` do. */
  grantRead(grantee: IGrantable): Grant {
    return grantRead(grantee, this.#granted);
  }

  /**
   * Has events start an agent. Events that start nothing go to the dead-letter queue, which has an alarm.
   * @throws {Error} if the agent is not deployed
   */
  addEventTarget(rule: Rule, target: EventTargetProps): void {
    rule.addTarget(toEventTarget(target, this.machine, this.#deadLetters, [...this.#project.agents.keys()]));
  }

  /** Secrets for what tools reach are kept apart from the keys of models, so that no function reads both. */
  #addServerSecrets(readers: LambdaFunction[], settings: EnvironmentSettings): void {
    const secrets = new EnvironmentSecret(this, 'ServerSecrets', {
      settings,
      description: `Secrets for servers of tools and web search, environment ${settings.name}: {"DOCS_TOKEN": "…"}`,
      variable: ENVIRONMENT.serverSecrets,
    });
    secrets.openTo(readers, this, 'ServersSecret');
  }
}

/** CloudFormation would only find out during the deployment. */
function assertOnly(own: CadreEnvironment): void {
  const { environmentName: name } = own;
  const stack = Stack.of(own);
  const taken = stack.node
    .findAll()
    .some((other) => other instanceof CadreEnvironment && other !== own && other.environmentName === name);
  if (!taken) return;
  throw new ConfigError(
    `stack ${stack.stackName} has an environment "${name}" already: give one of them another prefix`,
  );
}

function warnOf(scope: Construct, agents: Project['agents']): void {
  for (const { warnings } of agents.values()) {
    for (const warning of warnings) Annotations.of(scope).addWarningV2('cadre:agent', warning);
  }
}

/** The function with which CDK empties the bucket belongs to the stack, and needs a role too. */
function bound(scope: Construct, boundary: IManagedPolicy): void {
  const emptier = Stack.of(scope).node.tryFindChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
  for (const part of [scope, emptier]) {
    if (part !== undefined) PermissionsBoundary.of(part).apply(boundary);
  }
}
