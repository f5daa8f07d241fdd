import { isOfGit, READING_TOOLS, TOOL_GROUPS } from '../../core/agent-schema/tool-names.ts';
import type { AgentTable } from './draft.ts';
import { patternsFor, toHost } from './patterns.ts';

/** The tools of another format in Cadre's terms, by their names in small letters; none: there is no equivalent. */
export type Vocabulary = Readonly<Record<string, readonly string[]>>;

export type RuleKind = 'allow' | 'ask' | 'deny';

/** Why a word was not followed as it is written; undefined where it was. */
export type Refusal = string | undefined;

const CHANGING: readonly string[] = ['delete_file', 'edit_file', 'run_command', 'write_file'];
const READING: readonly string[] = READING_TOOLS;

/**
 * The tools that an agent gets, and the rules for them. Only tools that the agent asks for are added, except that an
 * agent which edits can also read: no file can be edited that was not read.
 */
export class Grants {
  readonly tools = new Set<string>();
  readonly hosts = new Set<string>();
  readonly #rules: Record<RuleKind, Set<string>> = { allow: new Set(), ask: new Set(), deny: new Set() };
  /** Whether only some calls of a tool are allowed, so that the others must not be. */
  #isLimited = false;
  /** The tools that were taken away or left out, and are not given for the sake of another tool. */
  readonly #taken = new Set<string>();
  readonly #vocabulary: Vocabulary;

  readonly #areCommandsPrefixes: boolean;

  /** @param areCommandsPrefixes whether `git` in a rule is every command that begins with it */
  constructor(vocabulary: Vocabulary, { areCommandsPrefixes = false } = {}) {
    this.#vocabulary = vocabulary;
    this.#areCommandsPrefixes = areCommandsPrefixes;
  }

  /** Gives a tool: `Edit`, `Bash(git diff:*)`. */
  give(written: string): Refusal {
    const { tools, pattern, refusal } = this.#read(written);
    if (pattern === undefined || refusal !== undefined) {
      for (const tool of tools) this.tools.add(tool);
      return refusal;
    }
    return this.#giveSome(written, tools, pattern);
  }

  /** Takes a tool, or some calls of it, away: `Write`, `Bash(rm:*)`. */
  take(written: string): Refusal {
    const { tools, pattern, refusal } = this.#read(written);
    if (pattern !== undefined) return this.rule('deny', written);
    for (const tool of tools) this.remove(tool);
    return refusal;
  }

  /** Takes a tool of Cadre's away. */
  remove(tool: string): void {
    this.tools.delete(tool);
    this.#taken.add(tool);
  }

  /** Follows a rule of permissions for the tools that it is about. */
  rule(kind: RuleKind, written: string): Refusal {
    const { tools, pattern, refusal } = this.#read(written);
    if (refusal !== undefined) return kind === 'deny' ? undefined : refusal;
    const patterns = tools.flatMap((tool) => {
      if (pattern === undefined) return [tool];
      return this.#patternsFor(tool, pattern).map((each) => `${tool}(${each})`);
    });
    this.addRules(kind, patterns);
    return patterns.length === 0 && tools.length > 0 ? `no rule of Cadre: ${written}` : undefined;
  }

  addRules(kind: RuleKind, rules: Iterable<string>): void {
    for (const rule of rules) this.#rules[kind].add(rule);
  }

  /**
   * The keys of the agent's file.
   * @param mode for calls that no rule names
   * @param servers whether the agent has tools of servers
   */
  toTable(mode: 'auto' | 'ask' | 'plan', servers: boolean): AgentTable {
    if (this.tools.has('edit_file') && !this.#taken.has('read_file')) this.tools.add('read_file');
    const tools = [...this.tools].sort();
    const changes = servers || tools.some((tool) => CHANGING.includes(tool));
    const limited = this.#isLimited && mode === 'auto' ? 'ask' : mode;
    const permissions = Object.fromEntries(
      Object.entries(this.#rules)
        .map(([kind, rules]) => [kind, [...rules].filter((rule) => this.#concerns(rule))] as const)
        .filter(([, rules]) => rules.length > 0),
    );
    return {
      ...(tools.length > 0 && { tools: grouped(tools) }),
      ...(limited !== 'auto' && (changes || limited === 'plan') && { mode: limited }),
      ...(this.hosts.size > 0 && { allowed_hosts: [...this.hosts] }),
      ...(Object.keys(permissions).length > 0 && { permissions }),
    };
  }

  #read(written: string): { tools: readonly string[]; pattern?: string; refusal?: string } {
    const [, name = written, pattern] = /^([^()]+?)\s*\((.*)\)$/s.exec(written.trim()) ?? [];
    const tools = new Map(Object.entries(this.#vocabulary)).get(name.trim().toLowerCase());
    if (tools === undefined) return { tools: [], refusal: `unknown tool, left out: ${written}` };
    if (tools.length === 0) return { tools, refusal: `Cadre has no such tool, left out: ${written}` };
    return { tools, ...(pattern !== undefined && !/^(\*|)$/.test(pattern.trim()) && { pattern }) };
  }

  #giveSome(written: string, tools: readonly string[], pattern: string): Refusal {
    if (tools.includes('fetch_url')) {
      const host = toHost(pattern);
      if (host === undefined) return `no host, left out: ${written}`;
      this.tools.add('fetch_url');
      this.hosts.add(host);
      return undefined;
    }
    const changing = tools.filter((tool) => CHANGING.includes(tool));
    const rules = changing.flatMap((tool) =>
      this.#patternsFor(tool, pattern).map((each) => `${tool}(${each})`),
    );
    if (rules.length === 0) {
      for (const tool of tools) this.#taken.add(tool);
      return `reading cannot be limited to some files, left out: ${written}`;
    }
    for (const tool of changing) this.tools.add(tool);
    this.addRules('allow', rules);
    this.#isLimited = true;
    return undefined;
  }

  #patternsFor(tool: string, written: string): string[] {
    const isWhole = tool === 'run_command' && this.#areCommandsPrefixes;
    return patternsFor(tool, written).map((each) => (isWhole && !each.endsWith('*') ? `${each} *` : each));
  }

  /** A rule for `read_file` is about what every tool may show of a file. */
  #concerns(rule: string): boolean {
    const tool = rule.replace(/\(.*$/s, '');
    if (tool.startsWith('mcp__') || this.tools.has(tool)) return true;
    return tool === 'read_file' && READING.some((each) => this.tools.has(each));
  }
}

/** With groups for tools that are all there, but for those of git, which only read what a repository has of them. */
function grouped(tools: readonly string[]): string[] {
  const group = (['files', 'files:read'] as const).find((name) =>
    TOOL_GROUPS[name].every((tool) => isOfGit(tool) || tools.includes(tool)),
  );
  if (group === undefined) return [...tools];
  const members: readonly string[] = TOOL_GROUPS[group];
  return [group, ...tools.filter((tool) => !members.includes(tool))];
}
