import { Stack } from 'aws-cdk-lib';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { CadreEnvironment } from './cadre-environment.ts';
import type { CadreEnvironmentProps } from './environment-props.ts';

export interface CadreStackProps extends CadreEnvironmentProps {
  /** The customer's own key for table, bucket and secrets. */
  readonly kmsKeyArn?: string | undefined;
  /** The table of runs in place of one of its own. */
  readonly tableName?: string | undefined;
  /** The bucket of texts and files in place of one of its own. */
  readonly bucketName?: string | undefined;
}

/** A stack that is one environment and nothing else. */
export class CadreStack extends Stack {
  constructor(scope: Construct, id: string, { kmsKeyArn, tableName, bucketName, ...props }: CadreStackProps) {
    super(scope, id, {
      description: `Cadre, environment ${props.environment}`,
      terminationProtection: props.retainData ?? true,
    });
    // CDK leaves `Default` out of the ids of resources and outputs.
    new CadreEnvironment(this, 'Default', {
      ...props,
      ...(kmsKeyArn !== undefined && { encryptionKey: Key.fromKeyArn(this, 'DataKey', kmsKeyArn) }),
      ...(tableName !== undefined && { table: Table.fromTableName(this, 'Table', tableName) }),
      ...(bucketName !== undefined && { bucket: Bucket.fromBucketName(this, 'Bucket', bucketName) }),
    });
  }
}
