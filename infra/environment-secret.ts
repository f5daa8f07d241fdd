import { CfnOutput, SecretValue } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { FunctionVariable } from '../src/places/aws/variables.ts';
import { type EnvironmentSettings, removalPolicyOf } from './environment-settings.ts';

export interface EnvironmentSecretProps {
  settings: EnvironmentSettings;
  /** Its content, with an example. */
  description: string;
  /** Where functions that may read it find out which one it is. */
  variable: FunctionVariable;
  /** The key in it whose text Secrets Manager makes, at random and once; absent: it is empty at first. */
  generated?: string;
}

/**
 * Secrets of an environment, as one JSON object of texts. The stack makes the place for them and never sees the values.
 */
export class EnvironmentSecret extends Construct {
  readonly secret: Secret;
  readonly #variable: EnvironmentSecretProps['variable'];

  constructor(scope: Construct, id: string, props: EnvironmentSecretProps) {
    super(scope, id);
    const { settings, description, variable, generated } = props;
    const { encryptionKey } = settings;
    this.#variable = variable;
    this.secret = new Secret(this, 'Secret', {
      description,
      // Written once, when the secret is made: a value that never changes here is never written again.
      ...(generated === undefined
        ? { secretStringValue: SecretValue.unsafePlainText('{}') }
        : {
            generateSecretString: {
              secretStringTemplate: '{}',
              generateStringKey: generated,
              passwordLength: 64,
              excludePunctuation: true,
            },
          }),
      ...(encryptionKey !== undefined && { encryptionKey }),
      removalPolicy: removalPolicyOf(settings),
    });
  }

  /** Lets functions read it, and puts its ARN out for the deployer. @param scope the environment */
  openTo(readers: readonly LambdaFunction[], scope: Construct, output: string): void {
    for (const reader of readers) this.grantTo(reader);
    new CfnOutput(scope, output, { value: this.secret.secretArn });
  }

  grantTo(handler: LambdaFunction): void {
    handler.addEnvironment(this.#variable, this.secret.secretArn);
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [this.secret.secretArn],
      }),
    );
  }
}
