import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { EnvironmentSettings } from './environment-settings.ts';

/**
 * The uses of a key that services make in the name of readers and writers of runs (DynamoDB, S3 and Secrets Manager, on
 * KMS).
 */
const USES = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Lets a principal read and write data that is encrypted with the customer's own key, where there is one. */
export function grantDataKey(grantee: IGrantable, { encryptionKey }: EnvironmentSettings): void {
  encryptionKey?.grant(grantee, ...USES);
}
