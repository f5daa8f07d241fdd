import { expect, test } from 'vitest';
import { synthesise } from './synthesise.ts';

const kmsKeyArn = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const USES = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

test("a customer's key encrypts table, bucket and secret, and may be used by all functions of ours", async () => {
  const { grantsOf, resources, template } = await synthesise('dev', { settings: { kmsKeyArn } });
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: kmsKeyArn },
  });
  template.hasResourceProperties('AWS::S3::Bucket', {
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        {
          BucketKeyEnabled: true,
          ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: kmsKeyArn },
        },
      ],
    },
  });
  template.hasResourceProperties('AWS::SecretsManager::Secret', { KmsKeyId: kmsKeyArn });
  for (const role of resources('AWS::IAM::Role').keys()) {
    const uses = grantsOf(role).filter(({ resource }) => resource === kmsKeyArn);
    const isOurs = /^Functions[A-Z][a-z]+PartsRole/.test(role);
    expect(uses.map(({ action }) => action)).toEqual(isOurs ? USES : []);
  }
  expect([...resources('AWS::KMS::Key')]).toEqual([]);
});
