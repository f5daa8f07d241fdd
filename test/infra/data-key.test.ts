import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { expect, test, vi } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { DataKey } from '../../infra/data-key.ts';
import { settingsOf } from '../../infra/environment-settings.ts';
import { EnvironmentSecret } from '../../infra/environment-secret.ts';
import { ENVIRONMENT } from '../../src/environment.ts';
import { Store } from '../../infra/store.ts';

const kmsKeyArn = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';

test("a customer's key encrypts table, bucket and secret, and may be used by who reads them", () => {
  // The rules that CDK holds every template to take a second each time.
  vi.stubEnv('CDK_VALIDATION', 'false');
  const settings = settingsOf('prod', { prod: { ...cdk.context.environments.prod, kmsKeyArn } });
  const stack = new Stack(new App(), 'stack');
  const key = new DataKey(stack, 'DataKey', settings);
  new Store(stack, 'Store', settings, key);
  new EnvironmentSecret(stack, 'Keys', {
    settings,
    dataKey: key,
    description: 'keys',
    variable: ENVIRONMENT.keysSecret,
  });
  key.grantTo(
    new LambdaFunction(stack, 'reader', {
      code: Code.fromInline('x'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
    }),
  );

  const template = Template.fromStack(stack);
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
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  expect(policies.map(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual([
    [
      {
        Effect: 'Allow',
        Action: [
          'kms:Decrypt',
          'kms:DescribeKey',
          'kms:Encrypt',
          'kms:GenerateDataKey',
          'kms:ReEncryptFrom',
          'kms:ReEncryptTo',
        ],
        Resource: kmsKeyArn,
      },
    ],
  ]);
});
