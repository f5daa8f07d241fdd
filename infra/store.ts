import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  CfnBucket,
  type IBucket,
  ObjectOwnership,
  HttpMethods,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { BUCKET_PREFIX, ENVIRONMENT } from '../src/places/aws/variables.ts';
import {
  KEYS,
  LOGINS,
  MEMORIES,
  OPEN_QUESTIONS,
  OPEN_TREES,
  RUNS,
  WATCHED,
} from '../src/places/store/partitions.ts';
import { tableAttributes } from '../src/places/aws/store/dynamodb/attributes.ts';
import { type EnvironmentSettings, removalPolicyOf } from './environment-settings.ts';

/** A function's access to runs. */
export interface RunAccess {
  items: readonly ('GetItem' | 'PutItem' | 'Query' | 'UpdateItem')[];
  /** With values that are too large for an item. */
  texts: readonly ('GetObject' | 'PutObject')[];
}

/** Those that are shared, and those of owners. */
const WORKSPACES = [BUCKET_PREFIX.workspace, BUCKET_PREFIX.ownWorkspaces];

/** How long overwritten or deleted objects in the bucket can be restored, where data are retained. */
const OLD_VERSION_DAYS = 30;

/**
 * Where runs are kept: a table, and a bucket for values that are too large for it and for the files that agents may
 * see.
 */
export class Store extends Construct {
  readonly table: ITable | Table;
  readonly bucket: Bucket | IBucket;
  readonly #keepDays: number;

  constructor(scope: Construct, id: string, settings: EnvironmentSettings) {
    super(scope, id);
    this.#keepDays = settings.runDays;
    this.table = settings.table ?? this.#ownTable(settings);
    this.bucket = settings.bucket ?? this.#ownBucket(settings);
  }

  /** Lets a function read and write runs. Records are removed only by their expiry. */
  openRunsFor(handler: LambdaFunction, access: RunAccess): void {
    handler.addEnvironment(ENVIRONMENT.table, this.table.tableName);
    handler.addEnvironment(ENVIRONMENT.bucket, this.bucket.bucketName);
    handler.addEnvironment(ENVIRONMENT.keepDays, String(this.#keepDays));
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: access.items.map((action) => `dynamodb:${action}`),
        resources: [this.table.tableArn],
      }),
    );
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: access.texts.map((action) => `s3:${action}`),
        resources: [this.bucket.arnForObjects(`${BUCKET_PREFIX.runs}*`)],
      }),
    );
  }

  /** Lets a function write down that somebody watches. */
  openWatchingFor(handler: LambdaFunction): void {
    this.#openPartitions(handler, ['PutItem', 'UpdateItem'], [`${WATCHED}*`]);
  }

  /** Lets a function bind keys: what it notes so is never changed. */
  openKeysFor(handler: LambdaFunction): void {
    this.#openPartitions(handler, ['PutItem'], [`${KEYS}*`]);
  }

  /** Lets a function look through the turns of a run, one of which it may read without it. */
  openTurnsFor(handler: LambdaFunction): void {
    this.#openPartitions(handler, ['Query'], [`${RUNS}*`]);
  }

  /** Lets a function look through what agents remember, and forget it. */
  openMemoriesFor(handler: LambdaFunction): void {
    const prefixes = Object.values(MEMORIES).map((prefix) => `${prefix}*`);
    this.#openPartitions(handler, ['DeleteItem', 'Query'], prefixes);
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
        resources: [this.bucket.arnForObjects(`${BUCKET_PREFIX.memories}*`)],
      }),
    );
  }

  /** Lets a function remove sign-ins to servers. */
  openLoginsFor(handler: LambdaFunction): void {
    this.#openPartitions(handler, ['DeleteItem'], [`${LOGINS}*`]);
  }

  /** Lets a function take questions that have ended, and trees that rest, off the lists of open ones. */
  openListsFor(handler: LambdaFunction): void {
    // The last are of earlier releases.
    this.#openPartitions(handler, ['DeleteItem'], [OPEN_QUESTIONS, `${OPEN_TREES}#*`, OPEN_TREES]);
  }

  #openPartitions(handler: LambdaFunction, actions: readonly string[], partitions: readonly string[]): void {
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.table.tableArn],
        conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } },
      }),
    );
  }

  /** Lets a function that uses runs read the files that agents may see, and change them where `access` is `write`. */
  openWorkspaceFor(handler: LambdaFunction, access: 'read' | 'write'): void {
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
        conditions: { StringLike: { 's3:prefix': WORKSPACES.map((prefix) => `${prefix}*`) } },
      }),
    );
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: access === 'read' ? ['s3:GetObject'] : ['s3:GetObject', 's3:PutObject', 's3:DeleteObject'],
        resources: WORKSPACES.map((prefix) => this.bucket.arnForObjects(`${prefix}*`)),
      }),
    );
  }

  /** Lets a role use the files that agents may see, and what commands leave beside them. */
  openFilesFor(role: Role): void {
    const prefixes = [...WORKSPACES, BUCKET_PREFIX.sandbox];
    role.addToPolicy(
      new PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
        conditions: { StringLike: { 's3:prefix': prefixes.map((prefix) => `${prefix}*`) } },
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
        resources: prefixes.map((prefix) => this.bucket.arnForObjects(`${prefix}*`)),
      }),
    );
  }

  /** Where to put the files that agents may see. */
  get workspaceUrl(): string {
    return this.bucket.s3UrlForObject(BUCKET_PREFIX.workspace);
  }

  #ownTable({ encryptionKey, retainData, telemetry }: EnvironmentSettings): Table {
    return new Table(this, 'Table', {
      partitionKey: { name: tableAttributes.partition, type: AttributeType.STRING },
      sortKey: { name: tableAttributes.sort, type: AttributeType.STRING },
      timeToLiveAttribute: tableAttributes.expires,
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(encryptionKey === undefined
        ? { encryption: TableEncryption.AWS_MANAGED }
        : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
      ...(telemetry !== undefined && { stream: StreamViewType.KEYS_ONLY }),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: retainData,
      // Protected, it cannot be taken away when a first deployment fails; it has no fixed name to be in the way.
      removalPolicy: retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  #ownBucket(settings: EnvironmentSettings): Bucket {
    const { encryptionKey, retainData, runDays } = settings;
    const bucket = new Bucket(this, 'Bucket', {
      ...closed(settings),
      ...(encryptionKey === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
      versioned: retainData,
      // The page puts files there and reads them, at addresses that are signed for one each.
      cors: [
        { allowedMethods: [HttpMethods.GET, HttpMethods.PUT], allowedOrigins: ['*'], allowedHeaders: ['*'] },
      ],
      lifecycleRules: [
        // An item may stay for two days after it has expired (DynamoDB, "TTL"), and its text has to be there still.
        { prefix: BUCKET_PREFIX.runs, expiration: Duration.days(runDays + 3) },
        {
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          ...(retainData && {
            noncurrentVersionExpiration: Duration.days(OLD_VERSION_DAYS),
            expiredObjectDeleteMarker: true,
          }),
        },
      ],
    });
    if (settings.accessLogs) this.#logAccess(bucket, settings);
    return bucket;
  }

  #logAccess(bucket: Bucket, settings: EnvironmentSettings): void {
    const logs = new Bucket(this, 'AccessLogs', {
      ...closed(settings),
      encryption: BucketEncryption.S3_MANAGED,
      lifecycleRules: [{ expiration: Duration.days(settings.logRetention) }],
    });
    logs.addToResourcePolicy(
      new PolicyStatement({
        actions: ['s3:PutObject'],
        principals: [new ServicePrincipal('logging.s3.amazonaws.com')],
        resources: [logs.arnForObjects('*')],
        conditions: {
          ArnLike: { 'aws:SourceArn': bucket.bucketArn },
          StringEquals: { 'aws:SourceAccount': Stack.of(this).account },
        },
      }),
    );
    // CDK's own property gives the permission by an ACL, which our buckets have none of, unless the app sets a flag.
    const resource = bucket.node.defaultChild;
    if (!(resource instanceof CfnBucket)) throw new TypeError('a bucket has a resource');
    resource.loggingConfiguration = { destinationBucketName: logs.bucketName };
  }
}

/** What all of our buckets have in common. */
function closed(settings: EnvironmentSettings) {
  return {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    removalPolicy: removalPolicyOf(settings),
    autoDeleteObjects: !settings.retainData,
  };
}
