import { App, Stack } from 'aws-cdk-lib';
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
