import { ConfigError } from '../../../errors.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { providerSearchFault } from '../../../core/tool-contracts/provider-search.ts';
import type { WebSearching } from '../../../core/tool-contracts/web-search.ts';
import type { FileClaim } from './claim.ts';

/** That somebody searches the web, if the agent is to. @param searching who is set up to here; undefined: nobody */
export function webSearch(agent: Agent, searching: WebSearching | undefined): FileClaim[] {
  return agent.tools.map((tool, index) => ({
    path: ['tools', index],
    check() {
      if (tool !== 'web_search') return;
      if (searching === undefined) {
        throw new ConfigError(
          'web_search works only where provider is set under [web_search] in config.toml',
        );
      }
      if (searching === 'model') assertSearches(agent);
    },
  }));
}

/** @throws {ConfigError} if the provider of an agent's model cannot search for it */
export function assertSearches({ model, params, permissions, hooks }: Agent): void {
  const fault = providerSearchFault(model, { api: params.api, ...permissions, hooks });
  if (fault !== undefined) throw new ConfigError(fault);
}
