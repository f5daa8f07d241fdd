import { ConfigError } from '../../errors.ts';
import { isAboutTool } from '../records/hooked-tool.ts';
import type { Hook } from '../records/hook.ts';
import type { OpenAIApi, ToolDefinition } from '../records/message.ts';
import type { OpenedSkill } from '../records/opened.ts';
import { mostSearches } from '../model/searches.ts';
import { namesTool } from '../agent-schema/permission-rule.ts';
import { toRules } from './permissions.ts';

// `[web_search] provider = "model"`: the provider of an agent's model searches with its own tool, in the middle of an
// answer. No call comes here, so nothing here can check one.

const NAME = 'web_search';

/** The tools with `web_search` left to the provider. @param targets of tools, one of which may have its name */
export function searchedByProvider(tools: readonly ToolDefinition[], targets: object = {}): ToolDefinition[] {
  return tools.map((tool) =>
    tool.name === NAME && !Object.hasOwn(targets, NAME) ? { ...tool, byProvider: true } : tool,
  );
}

/** The settings of an agent, or of a conversation, that a provider's searches cannot respect. */
interface Holding {
  api?: OpenAIApi | undefined;
  deny?: readonly string[] | undefined;
  ask?: readonly string[] | undefined;
  hooks?: readonly Pick<Hook, 'on' | 'tools'>[];
  skills?: readonly Pick<OpenedSkill, 'name' | 'allowedTools'>[];
}

/**
 * @param tools of the agent
 * @param model `provider/model-name`
 * @throws {ConfigError} if one of them is left to its provider, which has none, or could not respect what the agent's
 *   file says
 */
export function assertProviderSearch(
  tools: readonly ToolDefinition[],
  model: string,
  holding: Holding,
): void {
  const fault = mostSearches(tools) === 0 ? undefined : providerSearchFault(model, holding);
  if (fault !== undefined) throw new ConfigError(fault);
}

/** Why a provider cannot search for its model, in words; undefined if it can. */
export function providerSearchFault(
  model: string,
  { api, deny = [], ask = [], hooks = [], skills = [] }: Holding,
): string | undefined {
  const provider = model.slice(0, model.indexOf('/'));
  if (!SEARCHING.has(provider)) {
    return `the provider of "${model}" has no web_search of its own: anthropic and openai have; set another provider under [web_search], or leave the tool out`;
  }
  if (provider === 'openai' && api === 'chat') {
    return 'web_search by the model works with api = "responses" only';
  }
  const isAbout = (rule: string) => toRules([rule]).some((each) => namesTool(each, NAME));
  const isWhole = (rule: string) =>
    isAbout(rule) && toRules([rule]).every(({ pattern }) => pattern === undefined);
  // A rule that denies the tool as a whole takes it away.
  const rule = [...deny.filter((each) => !isWhole(each)), ...ask].find(isAbout);
  if (rule !== undefined) {
    return `the rule ${JSON.stringify(rule)} cannot hold: the model's provider searches without asking; leave web_search out, or set another provider under [web_search]`;
  }
  if (hooks.some((hook) => isAboutTool(hook, NAME))) {
    return "a hook about calls cannot see web_search: the model's provider searches without asking; name its tools, or set another provider under [web_search]";
  }
  const skill = skills.find(({ allowedTools }) => allowedTools !== undefined && !allowedTools.some(isWhole));
  return (
    skill &&
    `the skill "${skill.name}" does not allow web_search, which cannot be refused where the model's provider searches; leave one of them out`
  );
}

/** Scripted models play any other. */
const SEARCHING = new Set(['anthropic', 'openai', 'scripted']);
