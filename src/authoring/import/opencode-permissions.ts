import { matchesStars } from '../../core/agent-schema/permission-rule.ts';
import { isTable } from '../../parse-toml.ts';
import type { Grants, RuleKind } from './grants.ts';
import { toHost, toPathPatterns } from './patterns.ts';

/** A rule of opencode: for tools, and for what they are called with. The last that fits decides. */
export interface OpencodeRule {
  /** With `*` for any text. */
  tool: string;
  pattern: string;
  action: RuleKind;
}

/** The tools of opencode that each tool of Cadre stands for. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  read_file: ['read'],
  list_directory: ['list'],
  glob: ['glob'],
  grep: ['grep'],
  edit_file: ['edit', 'patch', 'multiedit'],
  write_file: ['write'],
  run_command: ['bash'],
  fetch_url: ['webfetch'],
  ask_user: ['question'],
};
/** Tools that an agent gets only by name: pages, since the hosts have to be named too, and questions. */
const BY_NAME = ['webfetch', 'question'];
const CHANGING: readonly string[] = ['edit_file', 'run_command', 'write_file'];

/** Those that say nothing: https://opencode.ai/docs/permissions/ */
export const DEFAULT_RULES: readonly OpencodeRule[] = [
  { tool: '*', pattern: '*', action: 'allow' },
  { tool: 'read', pattern: '*.env', action: 'deny' },
  { tool: 'read', pattern: '*.env.*', action: 'deny' },
  { tool: 'webfetch', pattern: '*', action: 'deny' },
  { tool: 'question', pattern: '*', action: 'deny' },
];

/** Everything is denied by what cannot be read: it may have been meant to deny anything. */
export const NOTHING: readonly OpencodeRule[] = [{ tool: '*', pattern: '*', action: 'deny' }];

/**
 * `permission`, and `permissions` of version 2, in any of their forms: a word for all tools, words by tool, or by tool
 * and pattern, or a list of rules. `edit` is every tool that changes files.
 * @returns undefined if any part of it cannot be read
 */
export function permissionRules(written: unknown): OpencodeRule[] | undefined {
  if (written === undefined || written === null) return [];
  const rules: OpencodeRule[] = [];
  for (const { tool, pattern, effect } of writtenRules(written)) {
    // A word that is none of the three allows nothing.
    const action = ACTIONS.find((each) => each === effect) ?? 'deny';
    const isRead = typeof tool === 'string' && typeof pattern === 'string' && !isNested(effect);
    if (!isRead) return undefined;
    // In version 1, writing is a part of editing that can be allowed by itself, but not held back by itself.
    const isPart = !Array.isArray(written) && action === 'allow' && WRITING.test(tool);
    const name = isPart ? tool : (RENAMED.get(tool) ?? tool);
    rules.push(...toolsOf(name).map((each) => ({ tool: each, pattern, action })));
  }
  return rules;
}

const ACTIONS: readonly RuleKind[] = ['allow', 'ask', 'deny'];

function isNested(effect: unknown): boolean {
  return effect === undefined || (typeof effect === 'object' && effect !== null);
}

const WRITING = /^(write|patch)$/;

/** A rule before it is known whether its parts can be read. */
interface WrittenRule {
  tool: unknown;
  pattern: unknown;
  effect: unknown;
}

function writtenRules(written: unknown): WrittenRule[] {
  if (Array.isArray(written)) {
    return written.map((rule: unknown) => {
      const { action, resource = '*', effect } = isTable(rule) ? rule : {};
      return { tool: action, pattern: resource, effect };
    });
  }
  if (!isTable(written)) return [{ tool: '*', pattern: '*', effect: written }];
  return Object.entries(written).flatMap(([tool, value]) => {
    const effects = isTable(value) ? Object.entries(value) : [['*', value] as const];
    return effects.map(([pattern, effect]) => ({ tool, pattern, effect }));
  });
}

/** Version 2's names of tools, by those of version 1. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['shell', 'bash'],
  ['subagent', 'task'],
  ['write', 'edit'],
  ['patch', 'edit'],
]);

/**
 * `tools`, from before there was `permission`: names with true or false, or those that are wanted, as a list or with
 * commas between.
 * @returns undefined if it cannot be read
 */
export function toolRules(written: unknown): OpencodeRule[] | undefined {
  if (written === undefined || written === null) return [];
  const list: unknown = typeof written === 'string' ? written.split(/[,\s]+/).filter(Boolean) : written;
  if (Array.isArray(list)) {
    const names = list.filter((each) => typeof each === 'string');
    return [...NOTHING, ...names.map((tool): OpencodeRule => ({ tool, pattern: '*', action: 'allow' }))];
  }
  if (!isTable(written)) return undefined;
  return Object.entries(written).flatMap(([tool, value]): OpencodeRule[] => {
    const isWanted = value === true;
    // An agent that may not write files may not edit them either.
    const tools = isWanted ? [tool] : toolsOf(tool === 'write' ? 'edit' : tool);
    return tools.map((each) => ({ tool: each, pattern: '*', action: isWanted ? 'allow' : 'deny' }));
  });
}

/**
 * Gives the tools that rules leave an agent, with the rules for them. Cadre looks first at rules that deny, then at
 * those that ask, then at those that allow, so that several rules which fit one call never allow more than the last of
 * them.
 * @returns the mode, and the rules that could not be kept
 */
export function applyRules(
  rules: readonly OpencodeRule[],
  grants: Grants,
): { mode: 'auto' | 'ask'; refusals: string[] } {
  const refusals: string[] = [];
  const free: string[] = [];
  let mode: 'auto' | 'ask' = 'auto';
  for (const [tool, names] of Object.entries(TOOLS)) {
    const { otherwise, exceptions } = rulesFor(names, rules);
    const changes = CHANGING.includes(tool);
    const opens = exceptions.some(({ action }) => action !== 'deny');
    if (otherwise === 'deny' && !(opens && changes)) {
      if (opens) refusals.push(`reading cannot be limited to some files, left out: ${tool}`);
      grants.remove(tool);
      continue;
    }
    if (otherwise === 'deny') refusals.push(`what opencode denies is put before a person: ${tool}`);
    grants.tools.add(tool);
    if (otherwise === 'allow') free.push(tool);
    else if (changes) mode = 'ask';
    else grants.addRules('ask', [tool]);
    for (const { pattern, action } of exceptions) {
      if (action === otherwise) continue;
      grants.addRules(
        action,
        patternsFor(tool, pattern, action).map((each) => `${tool}(${each})`),
      );
      const host = tool === 'fetch_url' && action !== 'deny' ? hostIn(pattern) : undefined;
      if (host !== undefined) grants.hosts.add(host);
    }
  }
  if (mode === 'ask')
    grants.addRules(
      'allow',
      free.filter((tool) => CHANGING.includes(tool)),
    );
  return { mode, refusals };
}

/** The rules for calls of a tool: `otherwise`, but for those that the exceptions match. */
export function rulesFor(names: readonly string[], rules: readonly OpencodeRule[]) {
  const isNamed = names.some((name) => BY_NAME.includes(name));
  const fitting = rules.filter(
    ({ tool, action }) =>
      names.some((name) => matchesStars(tool, name)) && !(isNamed && tool === '*' && action !== 'deny'),
  );
  const last = fitting.findLastIndex(({ pattern }) => pattern === '*');
  return {
    otherwise: fitting[last]?.action ?? 'allow',
    exceptions: fitting.slice(last + 1),
  };
}

function patternsFor(tool: string, pattern: string, action: RuleKind): string[] {
  if (tool === 'run_command') return [action === 'allow' ? pattern : pattern.replaceAll('?', '*')];
  return tool === 'fetch_url' ? [pattern] : toPathPatterns(pattern, action === 'allow');
}

function hostIn(pattern: string): string | undefined {
  return toHost(/^https?:\/\/([^/]+)/.exec(pattern)?.[1] ?? '');
}

function toolsOf(tool: string): string[] {
  return tool === 'edit' ? ['edit', 'write', 'patch', 'multiedit'] : [tool];
}
