import { SecretValue } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/environment.ts';
import type { DataKey } from './data-key.ts';
import { type EnvironmentSettings, removalPolicyOf } from './environment-settings.ts';

/** The keys of the models' providers. The stack makes the place for them and never sees what is put there. */
export class ProviderKeys extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, settings: EnvironmentSettings, { key }: DataKey) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: `Keys of the providers of models, environment ${settings.name}: {"anthropic": "…"}`,
      // Written once, when the secret is made: a value that never changes here is never written again.
      secretStringValue: SecretValue.unsafePlainText('{}'),
      ...(key !== undefined && { encryptionKey: key }),
      removalPolicy: removalPolicyOf(settings),
    });
  }

  grantTo(handler: LambdaFunction): void {
    handler.addEnvironment(ENVIRONMENT.keysSecret, this.secret.secretArn);
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [this.secret.secretArn],
      }),
    );
  }
}
