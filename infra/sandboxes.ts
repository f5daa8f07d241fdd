import { Duration } from 'aws-cdk-lib';
import { ArnPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import {
  SANDBOX_DISK_MB,
  SANDBOX_MEMORY_MB,
  SANDBOX_SECONDS,
  type SandboxSettings,
} from '../src/places/aws/sandbox/protocol.ts';
import { BUCKET_PREFIX, SANDBOX } from '../src/places/aws/variables.ts';
import type { DeployedSandbox } from '../src/places/aws/sandbox/sandboxes-of.ts';
import { ClosedNetwork } from './closed-network.ts';
import { grantDataKey } from './data-key.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseFunction } from './house-function.ts';
import type { Store } from './store.ts';

export interface SandboxesProps {
  settings: EnvironmentSettings;
  functionsFolder: string;
  /** As `sandboxesOf` gives them; one at least. */
  sandboxes: readonly DeployedSandbox[];
  store: Store;
  /** The function that has commands run. */
  tool: HouseFunction;
}

/**
 * The functions that commands run in. Their role permits nothing: what a command needs of the bucket comes with it, in a
 * session that its caller has narrowed. Each tree has instances of its own.
 */
export class Sandboxes extends Construct {
  /** By their names. */
  readonly functions: Readonly<Record<string, HouseFunction>>;

  constructor(scope: Construct, id: string, props: SandboxesProps) {
    super(scope, id);
    const { settings, functionsFolder, sandboxes, store, tool } = props;
    const closed = sandboxes.some(({ network }) => !network)
      ? new ClosedNetwork(this, 'ClosedNetwork', store.bucket)
      : undefined;
    const made = sandboxes.map((sandbox) => {
      const { name } = sandbox;
      const handler = new HouseFunction(this, name, {
        settings: sandbox.network || closed === undefined ? settings : { ...settings, ...closed.place },
        functionsFolder,
        name,
        bundle: 'sandbox',
        description: `Runs commands of agents, ${sandbox.network ? 'with' : 'without'} a network`,
        memoryMb: SANDBOX_MEMORY_MB,
        diskMb: SANDBOX_DISK_MB,
        timeout: Duration.seconds(SANDBOX_SECONDS),
        image: sandbox.image,
        isTraced: false,
        isLogged: false,
      });
      setApart(handler);
      return [name, handler] as const;
    });
    this.functions = Object.fromEntries(made);
    const files = this.#openFiles(props);
    const versions = made.map(([name, handler]) => [name, handler.currentVersion.functionArn] as const);
    const told: SandboxSettings = { role: files.roleArn, functions: Object.fromEntries(versions) };
    tool.addEnvironment(SANDBOX, JSON.stringify(told));
    tool.addToRolePolicy(new PolicyStatement({ actions: ['sts:AssumeRole'], resources: [files.roleArn] }));
    tool.addToRolePolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: made.map(([, { functionArn }]) => `${functionArn}:*`),
      }),
    );
    // Of a bucket that the app gives, its owner says what expires.
    if (store.bucket instanceof Bucket && settings.bucket === undefined) {
      store.bucket.addLifecycleRule({
        prefix: BUCKET_PREFIX.sandbox,
        expiration: Duration.days(settings.runDays),
      });
    }
  }

  /** The role of which the tool function narrows a session to the workspace of one agent. */
  #openFiles({ settings, store, tool }: SandboxesProps): Role {
    const { role: caller } = tool;
    if (caller === undefined) throw new TypeError('a function has a role');
    const role = new Role(this, 'Files', { assumedBy: new ArnPrincipal(caller.roleArn) });
    store.openFilesFor(role);
    grantDataKey(role, settings);
    return role;
  }
}

/** Set as CloudFormation has it: the oldest CDK that an app may have knows no property for it. */
function setApart(handler: HouseFunction): void {
  const resource = handler.node.defaultChild;
  if (!(resource instanceof CfnFunction)) throw new TypeError('a function has a resource');
  resource.addPropertyOverride('TenancyConfig.TenantIsolationMode', 'PER_TENANT');
}
