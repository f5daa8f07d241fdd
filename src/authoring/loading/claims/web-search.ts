import { ConfigError } from '../../../errors.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import type { FileClaim } from './claim.ts';

/** That somebody searches the web, if the agent is to. @param searches whether somebody is set up to here */
export function webSearch({ tools }: Agent, searches: boolean): FileClaim[] {
  return tools.map((tool, index) => ({
    path: ['tools', index],
    check() {
      if (tool !== 'web_search' || searches) return;
      throw new ConfigError('web_search works only where provider is set under [web_search] in config.toml');
    },
  }));
}
