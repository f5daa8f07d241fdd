import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { EnvironmentSettings } from './environment-settings.ts';

/** What services ask of a key in the name of whoever reads and writes (DynamoDB, S3 and Secrets Manager, on KMS). */
const USES = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** The customer's own key for table, bucket and secret; where the environment names none, AWS's keys encrypt them. */
export class DataKey extends Construct {
  readonly key: IKey | undefined;

  constructor(scope: Construct, id: string, { kmsKeyArn }: EnvironmentSettings) {
    super(scope, id);
    this.key = kmsKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'Key', kmsKeyArn);
  }

  grantTo(handler: LambdaFunction): void {
    if (this.key === undefined) return;
    handler.addToRolePolicy(new PolicyStatement({ actions: USES, resources: [this.key.keyArn] }));
  }
}
