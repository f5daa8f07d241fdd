import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Policy } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import {
  bedrockModelsOf,
  grantBedrockModels,
  grantGuardrails,
  guardrailsOf,
} from '../../infra/bedrock-models.ts';
import { loadDeployedAgents } from '../../infra/deployed-agents.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { readable, testApp } from './synthesise.ts';

async function grant(models: string[], region = 'eu-central-1'): Promise<string[]> {
  const stack = new Stack(testApp(await tempFolder()), 'stack', { env: { region } });
  const handler = new LambdaFunction(stack, 'turn', {
    code: Code.fromInline('x'),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
  });
  grantBedrockModels(handler, bedrockModelsOf(new Map(), models));
  return statementsOf(handler).flatMap(({ Action, Resource }) => {
    expect(Action).toEqual([
      'bedrock:CountTokens',
      'bedrock:InvokeModel',
      'bedrock:InvokeModelWithResponseStream',
    ]);
    return [Resource].flat().map(readable);
  });
}

/** The statements of a function's own policy. */
function statementsOf(handler: LambdaFunction) {
  const policy = handler.role?.node.tryFindChild('DefaultPolicy');
  const Document = v.object({
    Statement: v.array(
      v.object({ Action: v.union([v.string(), v.array(v.string())]), Resource: v.unknown() }),
    ),
  });
  if (!(policy instanceof Policy)) return [];
  return v.parse(Document, Stack.of(handler).resolve(policy.document)).Statement;
}

test('guardrails are granted that agents name, and no others', async () => {
  const folder = await tempFolder({
    'agents/a.toml': 'name = "a"\nmodel = "openai/gpt-5.1"\nguardrail = { id = "abc", version = "1" }\n',
    'agents/b.toml':
      'name = "b"\nmodel = "openai/gpt-5.1"\nguardrail = { id = "arn:aws:bedrock:eu-west-1:123456789012:guardrail/xyz", version = "DRAFT" }\n',
    'agents/c.toml': 'name = "c"\nmodel = "openai/gpt-5.1"\n',
  });
  const stack = new Stack(testApp(folder), 'stack', { env: { region: 'eu-central-1' } });
  const handler = new LambdaFunction(stack, 'turn', {
    code: Code.fromInline('x'),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
  });
  grantGuardrails(handler, []);
  expect(statementsOf(handler)).toEqual([]);
  const agents = await loadDeployedAgents({ agentsFolder: join(folder, 'agents'), cwd: folder });
  grantGuardrails(handler, guardrailsOf(agents));
  const granted = statementsOf(handler).map(({ Action, Resource }) => [
    Action,
    [Resource].flat().map(readable),
  ]);
  expect(granted).toEqual([
    [
      'bedrock:ApplyGuardrail',
      [
        'arn:<AWS::Partition>:bedrock:eu-central-1:<AWS::AccountId>:guardrail/abc',
        'arn:aws:bedrock:eu-west-1:123456789012:guardrail/xyz',
      ],
    ],
  ]);
});

// A dollar sign and a brace begin a variable of IAM's policies.
test.each(['arn:*', '*', 'anthropic.claude-?', 'arn:${x}'])(
  'a model that is a pattern is refused: %s',
  async (name) => {
    const folder = await tempFolder({ 'agents/a.toml': `name = "a"\nmodel = "bedrock/${name}"\n` });
    const handler = new LambdaFunction(new Stack(testApp(folder), 'stack'), 'turn', {
      code: Code.fromInline('x'),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
    });
    const agents = await loadDeployedAgents({ agentsFolder: join(folder, 'agents'), cwd: folder });
    expect(() => grantBedrockModels(handler, bedrockModelsOf(agents, []))).toThrow(
      `invalid model "bedrock/${name}": a model on Bedrock is named in full, without * or ?`,
    );
  },
);

test('models that callers may choose are granted beside those of agents, and of other providers none', async () => {
  expect(await grant(['bedrock/amazon.nova-lite-v1:0', 'openai/gpt-5.1'])).toEqual([
    'arn:<AWS::Partition>:bedrock:eu-central-1::foundation-model/amazon.nova-lite-v1:0',
  ]);
});

const PROFILE =
  'arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:inference-profile/us-gov.anthropic.claude-x';
const PROVISIONED = 'arn:aws:bedrock:eu-central-1:123456789012:provisioned-model/abc';

test.each([
  [
    'eu.anthropic.claude-x',
    [
      'arn:<AWS::Partition>:bedrock:eu-central-1:<AWS::AccountId>:inference-profile/eu.anthropic.claude-x',
      'arn:<AWS::Partition>:bedrock:*::foundation-model/anthropic.claude-x',
    ],
  ],
  [
    'global.anthropic.claude-x',
    [
      'arn:<AWS::Partition>:bedrock:eu-central-1:<AWS::AccountId>:inference-profile/global.anthropic.claude-x',
      'arn:<AWS::Partition>:bedrock:*::foundation-model/anthropic.claude-x',
    ],
  ],
  [PROFILE, [PROFILE, 'arn:<AWS::Partition>:bedrock:*::foundation-model/anthropic.claude-x']],
  [PROVISIONED, [PROVISIONED]],
])('an inference profile is granted with the model that it leads to: %s', async (model, resources) => {
  expect(await grant([`bedrock/${model}`])).toEqual(resources);
});

test.each(['application-inference-profile/abc', 'prompt-router/abc', 'inference-profile/mine'])(
  'a name that does not say which models it leads to is refused: %s',
  async (resource) => {
    const model = `bedrock/arn:aws:bedrock:eu-central-1:123456789012:${resource}`;
    await expect(grant([model])).rejects.toThrow(
      `invalid model "${model}": it does not say to which models it leads, so they cannot be granted; name a model, or an inference profile of AWS such as eu.anthropic.claude-sonnet-4-5-20250929-v1:0`,
    );
  },
);
