import { App, Stack } from 'aws-cdk-lib';
import { Policy } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { grantBedrockModels } from '../../infra/bedrock-models.ts';
import { loadDeployedAgents } from '../../infra/deployed-agents.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

// A dollar sign and a brace begin a variable of IAM's policies.
test.each(['arn:*', '*', 'anthropic.claude-?', 'arn:${x}'])(
  'a model that is a pattern is refused: %s',
  async (name) => {
    const folder = await tempFolder({ 'agents/a.toml': `name = "a"\nmodel = "bedrock/${name}"\n` });
    const handler = new LambdaFunction(new Stack(new App(), 'stack'), 'turn', {
      code: Code.fromInline('x'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_22_X,
    });
    const agents = await loadDeployedAgents(folder);
    expect(() => grantBedrockModels(handler, agents, [])).toThrow(
      `invalid model "bedrock/${name}": a model on Bedrock is named in full, without * or ?`,
    );
  },
);

test('models that callers may choose are granted beside those of agents, and of other providers none', () => {
  const stack = new Stack(new App(), 'stack', { env: { region: 'eu-central-1' } });
  const handler = new LambdaFunction(stack, 'turn', {
    code: Code.fromInline('x'),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_22_X,
  });
  grantBedrockModels(handler, new Map(), ['bedrock/amazon.nova-lite-v1:0', 'openai/gpt-5.1']);
  const policy = handler.role?.node.tryFindChild('DefaultPolicy');
  expect(policy instanceof Policy && stack.resolve(policy.document)).toMatchObject({
    Statement: [
      {
        Action: ['bedrock:CountTokens', 'bedrock:InvokeModel'],
        Effect: 'Allow',
        Resource: {
          'Fn::Join': [
            '',
            [
              'arn:',
              { Ref: 'AWS::Partition' },
              ':bedrock:eu-central-1::foundation-model/amazon.nova-lite-v1:0',
            ],
          ],
        },
      },
    ],
  });
});
