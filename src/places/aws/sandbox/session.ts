import { AssumeRoleCommand, type STSClient } from '@aws-sdk/client-sts';
import { askAws } from '../aws-errors.ts';
import type { SandboxRequest } from './protocol.ts';

/** The least that a session lasts (STS, "AssumeRole"); a command takes 12 minutes at most. */
const SECONDS = 900;

/**
 * Keys that may read and write below some prefixes of a bucket, and nothing else, for as long as a command takes.
 * @param role the ARN of the role that may do so anywhere in the bucket's workspaces
 * @param name of whom the keys are for, in the account's trail
 * @throws {StoreError | StoreUnavailableError}
 */
export async function narrowSession(
  sts: STSClient,
  role: string,
  name: string,
  bucket: string,
  prefixes: readonly string[],
): Promise<SandboxRequest['credentials']> {
  const command = new AssumeRoleCommand({
    RoleArn: role,
    RoleSessionName: name.replaceAll(/[^\w+=,.@-]/g, '-').slice(0, 64),
    DurationSeconds: SECONDS,
    Policy: JSON.stringify(policyOf(role, bucket, prefixes)),
  });
  const { Credentials } = await askAws(`take on role "${role}"`, () => sts.send(command));
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {};
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken };
}

/** What the session may do of what its role may. */
function policyOf(role: string, bucket: string, prefixes: readonly string[]) {
  const [, partition = 'aws'] = role.split(':');
  const arn = `arn:${partition}:s3:::${bucket}`;
  const below = prefixes.map((prefix) => `${literally(prefix)}*`);
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
        Resource: below.map((pattern) => `${arn}/${pattern}`),
      },
      {
        Effect: 'Allow',
        Action: ['s3:ListBucket'],
        Resource: [arn],
        Condition: { StringLike: { 's3:prefix': below } },
      },
      // Of the key that encrypts the bucket: its role has no other.
      { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: ['*'] },
    ],
  };
}

/** A text that a pattern of IAM takes as it is (IAM, "Policy variables"). */
function literally(text: string): string {
  return text.replaceAll(/[*?$]/g, '${$&}');
}
