import type { Agent } from '../../../core/agent-schema/agent.ts';
import { parseModelName } from '../../../core/model/model-name.ts';
import { ConfigError } from '../../../errors.ts';
import type { FileClaim } from './claim.ts';

/** The providers that have each service. */
const SERVED_BY: Readonly<Record<string, readonly string[]>> = {
  batch: ['anthropic', 'openai'],
  flex: ['openai'],
  priority: ['openai'],
};

/** That the provider of an agent's model has the service that the file asks for; if it has not, it serves as usual. */
export function servedModel({ model, params, guardrail }: Agent): FileClaim {
  const { service = '' } = params;
  const providers = SERVED_BY[service];
  return {
    path: ['params', 'service'],
    check() {
      if (providers === undefined) return;
      const { provider } = parseModelName(model);
      if (!providers.includes(provider)) {
        throw new ConfigError(
          `service "${service}" has no effect with "${model}": ${providers.join(' and ')} ${providers.length === 1 ? 'has' : 'have'} it`,
        );
      }
      if (service !== 'batch' || guardrail === undefined) return;
      throw new ConfigError(
        'service "batch" has no effect with a guardrail, which looks at each answer as it comes',
      );
    },
  };
}
