import { join } from 'node:path';
import { ArnFormat, type Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  Handler,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/places/aws/variables.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseLog } from './house-log.ts';

export interface HouseFunctionProps {
  settings: EnvironmentSettings;
  /** Absolute: what each function's zip holds, a folder each. */
  functionsFolder: string;
  /** The last part of the function's name. */
  name: string;
  /** The bundle's folder. @default its name */
  bundle?: string;
  description: string;
  memoryMb: number;
  timeout: Duration;
  /** How many may run at once; 0: as many as the account allows. */
  concurrency?: number;
  /** Whether it may write traces, which takes a permission; so it does unless this says otherwise. */
  isTraced?: boolean;
  /** Whether it may write a log; so it does unless this says otherwise. */
  isLogged?: boolean;
  /** Megabytes of its /tmp. @default 512 */
  diskMb?: number;
  /** The container image that its code is laid into, by a Dockerfile beside it. @default Lambda's own runtime */
  image?: string | undefined;
}

/** A function as all of ours are: its role permits nothing but its log and its trace, until others add to it. */
export class HouseFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, props: HouseFunctionProps) {
    const {
      settings,
      functionsFolder,
      name,
      bundle = name,
      description,
      memoryMb,
      timeout,
      concurrency = 0,
      isTraced = true,
      isLogged = true,
      diskMb,
      image,
    } = props;
    const { vpc, vpcSubnets, securityGroups } = settings;
    const functionName = `${settings.stem}-${name}`;
    const parts = new Construct(scope, `${id}Parts`);
    const logGroup = new HouseLog(parts, 'Log', `${settings.path}/${name}`, settings);
    // The managed policy that CDK would attach in its place lets a function write to every log group of the account.
    const role = new Role(parts, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    if (isLogged) logGroup.grantWrite(role);
    if (vpc !== undefined) allowInterfaces(role, functionName);
    super(scope, id, {
      functionName,
      description,
      role,
      logGroup,
      ...codeOf(join(functionsFolder, bundle), image),
      architecture: Architecture.ARM_64,
      memorySize: memoryMb,
      timeout,
      ...(diskMb !== undefined && { ephemeralStorageSize: Size.mebibytes(diskMb) }),
      // Executions under way call the versions of earlier deployments: `cadre gc --versions` removes them. One that was
      // made by a deployment that failed goes, since Lambda makes no two versions of the same code.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      tracing: isTraced ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        [ENVIRONMENT.name]: settings.name,
        [ENVIRONMENT.logLevel]: settings.logLevel,
      },
      ...(concurrency > 0 && { reservedConcurrentExecutions: concurrency }),
      ...(vpc !== undefined && { vpc }),
      ...(vpcSubnets !== undefined && { vpcSubnets }),
      ...(securityGroups !== undefined && { securityGroups: [...securityGroups] }),
    });
  }
}

function codeOf(folder: string, image: string | undefined) {
  if (image === undefined) {
    return { code: Code.fromAsset(folder), handler: 'index.handler', runtime: Runtime.NODEJS_24_X };
  }
  // Built when it is deployed, and not when it is synthesised.
  const code = Code.fromAssetImage(folder, {
    platform: Platform.LINUX_ARM64,
    buildArgs: { IMAGE: image },
  });
  return { code, handler: Handler.FROM_IMAGE, runtime: Runtime.FROM_IMAGE };
}

/**
 * The actions that Lambda takes in the name of a function to put it into a VPC (Lambda, "Giving functions access to a
 * VPC").
 */
const INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/** Lets Lambda make network interfaces in the name of a function, but not the function's own code. */
function allowInterfaces(role: Role, functionName: string): void {
  const functionArn = Stack.of(role).formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: functionName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  role.addToPolicy(new PolicyStatement({ actions: INTERFACES, resources: ['*'] }));
  role.addToPolicy(
    new PolicyStatement({
      effect: Effect.DENY,
      actions: INTERFACES,
      resources: ['*'],
      conditions: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
    }),
  );
}
