import type { IGrantable } from 'aws-cdk-lib/aws-iam';
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

/** Lets somebody read and write what is encrypted with the customer's own key, where there is one. */
export function grantDataKey(grantee: IGrantable, { encryptionKey }: EnvironmentSettings): void {
  encryptionKey?.grant(grantee, ...USES);
}
