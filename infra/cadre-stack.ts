import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type Deployment, deploymentParameter } from '../src/deployment.ts';
import { ENVIRONMENT } from '../src/environment.ts';
import { Alarms } from './alarms.ts';
import { grantBedrockModels } from './bedrock-models.ts';
import { Conversation } from './conversation.ts';
import { Dashboard } from './dashboard.ts';
import { DataKey } from './data-key.ts';
import { DeadLetters } from './dead-letters.ts';
import type { DeployedAgents } from './deployed-agents.ts';
import { EnvironmentSecret } from './environment-secret.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { Functions } from './functions.ts';
import { Api } from './api.ts';
import { Questions } from './questions.ts';
import { Schedules } from './schedules.ts';
import { Settling } from './settling.ts';
import { Store } from './store.ts';
import { UserFunctions } from './user-functions.ts';
import { verificationOf } from './verification.ts';

export interface CadreStackProps extends StackProps {
  settings: EnvironmentSettings;
  agents: DeployedAgents;
  /** Absolute: what each function's zip holds, a folder each. */
  functionsFolder: string;
}

/** One environment: everything that agents need to run in an account. */
export class CadreStack extends Stack {
  /** Functions of the user's own, to which permissions can be granted. */
  readonly userFunctions: UserFunctions;

  constructor(
    scope: Construct,
    id: string,
    { settings, agents, functionsFolder, ...props }: CadreStackProps,
  ) {
    super(scope, id, {
      description: `Cadre, environment ${settings.name}`,
      terminationProtection: settings.retainData,
      ...props,
    });

    const deadLetters = new DeadLetters(this, 'DeadLetters');
    const dataKey = new DataKey(this, 'DataKey', settings);
    const store = new Store(this, 'Store', settings, dataKey);
    const keys = new EnvironmentSecret(this, 'ProviderKeys', {
      settings,
      dataKey,
      description: `Keys of the providers of models, environment ${settings.name}: {"anthropic": "…"}`,
      variable: ENVIRONMENT.keysSecret,
    });
    const functions = new Functions(this, 'Functions', { settings, functionsFolder });
    const { open, turn, tool, control, settle, api } = functions;
    const texts = ['GetObject', 'PutObject'] as const;
    store.openRunsFor(open, { items: ['GetItem', 'PutItem', 'Query', 'UpdateItem'], texts });
    store.openRunsFor(turn, { items: ['GetItem', 'PutItem', 'Query', 'UpdateItem'], texts });
    store.openRunsFor(settle, { items: ['GetItem', 'Query', 'UpdateItem'], texts: ['GetObject'] });
    store.openRunsFor(api, { items: ['GetItem', 'PutItem', 'Query', 'UpdateItem'], texts });
    store.openRunsFor(tool, { items: ['GetItem', 'PutItem', 'UpdateItem'], texts });
    store.openRunsFor(control, { items: ['GetItem', 'PutItem', 'UpdateItem'], texts });
    for (const asker of [turn, control, settle, api]) store.openQuestionsFor(asker);
    store.openWorkspaceFor(open, 'read');
    store.openWorkspaceFor(tool, 'write');
    keys.grantTo(turn);
    if (settings.providers !== undefined) {
      turn.addEnvironment(ENVIRONMENT.providers, JSON.stringify(settings.providers));
    }
    const hasServers = [...agents.values()].some(({ agent }) => agent.mcpServers.length > 0);
    if (hasServers) this.#addServerSecrets([open, tool], settings, dataKey);
    for (const reader of [open, turn, tool, control, settle, api]) dataKey.grantTo(reader);
    this.userFunctions = new UserFunctions(this, 'UserFunctions', { settings, agents, functionsFolder });
    this.userFunctions.grantInvokeTo(tool);
    grantBedrockModels(turn, agents, settings.apiModels ?? []);

    const conversation = new Conversation(this, 'Conversation', {
      settings,
      open,
      turn,
      tool,
      control,
      settle,
    });
    conversation.grantControlTo(api);
    conversation.grantWakeTo(control);
    new Questions(this, 'Questions', { settings, control });
    api.addEnvironment(ENVIRONMENT.control, control.functionName);
    api.addToRolePolicy(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [control.functionArn] }),
    );
    new Settling(this, 'Settling', { conversation, settle, deadLetters });
    const schedules = new Schedules(this, 'Schedules', { settings, agents, conversation, deadLetters });
    const httpApi = new Api(this, 'Api', { settings, handler: api });

    new Alarms(this, 'Alarms', { settings, api: httpApi, conversation, functions, schedules, deadLetters });
    if (settings.dashboard) new Dashboard(this, 'Dashboard', { settings, conversation, functions });

    const deployment: Deployment = {
      region: this.region,
      stateMachineArn: conversation.machine.stateMachineArn,
      tableName: store.table.tableName,
      bucketName: store.bucket.bucketName,
      apiUrl: httpApi.url,
      keepDays: settings.runDays,
      ...verificationOf(this, settings, schedules),
    };
    new StringParameter(this, 'Deployment', {
      parameterName: deploymentParameter(settings.name),
      description: 'Where cadre --env finds this environment',
      stringValue: this.toJsonString(deployment),
    });
    new CfnOutput(this, 'ApiUrl', { value: httpApi.url });
    new CfnOutput(this, 'KeysSecret', { value: keys.secret.secretArn });
    new CfnOutput(this, 'Workspace', { value: store.workspaceUrl });
  }

  /** What servers of tools are sent is apart from the keys of models, and who reads one reads none of the other. */
  #addServerSecrets(readers: LambdaFunction[], settings: EnvironmentSettings, dataKey: DataKey): void {
    const secrets = new EnvironmentSecret(this, 'ServerSecrets', {
      settings,
      dataKey,
      description: `Secrets for servers of tools, environment ${settings.name}: {"DOCS_TOKEN": "…"}`,
      variable: ENVIRONMENT.serverSecrets,
    });
    for (const reader of readers) secrets.grantTo(reader);
    new CfnOutput(this, 'ServersSecret', { value: secrets.secret.secretArn });
  }
}
