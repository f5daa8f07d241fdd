import { ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { ConfigError } from '../src/errors.ts';
import type { DeployedAgents } from './project.ts';

const PROVIDER = 'bedrock/';

/** The models on Bedrock that agents name or callers may choose, each once. */
export function bedrockModelsOf(agents: DeployedAgents, apiModels: readonly string[]): string[] {
  const named = [...agents.values()].flatMap(({ agent }) => [agent.model, ...agent.models]);
  return [...new Set([...named, ...apiModels])].filter((model) => model.startsWith(PROVIDER));
}

/** The models by which agents search their memories, each once. */
export function embeddingModelsOf(agents: DeployedAgents): string[] {
  const named = [...agents.values()].flatMap(({ agent: { memory } }) =>
    memory.search ? [memory.embedding] : [],
  );
  return [...new Set(named)].filter((model) => model !== '');
}

/**
 * Lets a function call these models on Bedrock, and no others.
 * @throws {ConfigError} for a name that a policy would read as a pattern, since it would grant every model that fits,
 *   and for one from which it cannot be told which models requests will reach
 */
export function grantBedrockModels(
  handler: LambdaFunction,
  models: readonly string[],
  actions = ['bedrock:CountTokens', 'bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
): void {
  const stack = Stack.of(handler);
  for (const model of models) {
    if (/[*?]|\$\{/.test(model)) {
      throw new ConfigError(`invalid model "${model}": a model on Bedrock is named in full, without * or ?`);
    }
    handler.addToRolePolicy(
      new PolicyStatement({
        actions,
        resources: resourcesOf(model.slice(PROVIDER.length), stack),
      }),
    );
  }
}

/** The guardrails of Bedrock that agents name, by id or ARN, each once. */
export function guardrailsOf(agents: DeployedAgents): string[] {
  return [...new Set([...agents.values()].flatMap(({ agent }) => agent.guardrail?.id ?? []))];
}

/**
 * Lets a function apply these guardrails, and no others: to models on Bedrock with their requests, and to texts of any
 * other (Amazon Bedrock, "Set up permissions to use Amazon Bedrock Guardrails").
 */
export function grantGuardrails(handler: LambdaFunction, guardrails: readonly string[]): void {
  if (guardrails.length === 0) return;
  const resources = guardrails.map((id) =>
    id.startsWith('arn:')
      ? id
      : Stack.of(handler).formatArn({ service: 'bedrock', resource: 'guardrail', resourceName: id }),
  );
  handler.addToRolePolicy(new PolicyStatement({ actions: ['bedrock:ApplyGuardrail'], resources }));
}

/** Models that are called by their ARNs and lead to no others (Amazon Bedrock, "Resource types"). */
const ENDS_THERE = /:(?:foundation-model|provisioned-model|imported-model|custom-model-deployment)\//;

/**
 * An inference profile spreads requests over Regions, and a caller needs the model in each of them (Amazon Bedrock,
 * "Prerequisites for inference profiles"): `eu.anthropic.…` is a profile of `anthropic.…`, by its name or by its ARN.
 */
function resourcesOf(model: string, stack: Stack): string[] {
  if (ENDS_THERE.test(model)) return [model];
  const foundationModel = (name: string, region: string) =>
    stack.formatArn({
      service: 'bedrock',
      region,
      account: '',
      resource: 'foundation-model',
      resourceName: name,
    });
  const profile = /^(?:arn:.*:inference-profile\/)?(?:global|[a-z]{2}(?:-gov)?|apac)\.(?<name>.+)$/.exec(
    model,
  );
  if (profile?.groups?.['name'] !== undefined) {
    const arn = stack.formatArn({
      service: 'bedrock',
      resource: 'inference-profile',
      resourceName: model,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    return [model.startsWith('arn:') ? model : arn, foundationModel(profile.groups['name'], '*')];
  }
  if (!model.startsWith('arn:')) return [foundationModel(model, stack.region)];
  throw new ConfigError(
    `invalid model "${PROVIDER}${model}": it does not say to which models it leads, so they cannot be granted; name a model, or an inference profile of AWS such as eu.anthropic.claude-sonnet-4-5-20250929-v1:0`,
  );
}
