import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { isShallow, parseJson } from '../../../json.ts';
import { isWanted, type ServerTool, type ToolServer } from '../../../core/records/tool-server.ts';
import { simplifyParameters } from '../../../core/tool-contracts/simplify-parameters.ts';
import { mirroredArguments } from './mirrored-arguments.ts';
import { cut, oneLine, plain } from './words.ts';
import { defined } from '../../../defined.ts';

/** More tools than this help no model, and providers take 128 in all. */
const MAX_TOOLS = 100;

/** Some servers put a whole manual there, and every request to the model carries it. */
const MAX_DESCRIPTION_CHARACTERS = 2_000;

/** The names that providers take: `[a-zA-Z0-9_-]{1,64}` (Anthropic, OpenAI and Bedrock alike). */
const MAX_NAME_CHARACTERS = 64;
const HASH_CHARACTERS = 8;

/** A tool as a server describes it, as far as it is read: faults elsewhere do no harm. */
const Described = v.object({
  name: v.pipe(v.string(), v.minLength(1)),
  description: v.fallback(v.string(), ''),
  inputSchema: v.optional(v.unknown()),
  /** In the protocol of 2025-11: a tool may have to be called as a task, which answers later. */
  execution: v.fallback(v.object({ taskSupport: v.optional(v.string()) }), {}),
});

/**
 * Takes what a server lists, page by page, and says when it has enough.
 * @param redact removes texts that must not be kept
 */
export function createListing(server: ToolServer, redact: (text: string) => string) {
  const tools = new Map<string, ServerTool>();
  const simplified = new Map<string, string>();
  const shortened: string[] = [];
  const tasks: string[] = [];
  const seen = new Set<string>();
  let odd = 0;
  let tooMany = false;

  function add(described: unknown): void {
    const { success, output } = v.safeParse(Described, described);
    if (!success) {
      odd += 1;
      return;
    }
    const { name, inputSchema, execution } = output;
    if (seen.has(name)) return;
    seen.add(name);
    if (!isWanted(name, server)) return;
    if (execution.taskSupport === 'required') {
      tasks.push(name);
      return;
    }
    if (tools.size >= MAX_TOOLS) {
      tooMany = true;
      return;
    }
    // One tool that cannot be written down is no reason to lose the others.
    if (!isShallow(inputSchema)) {
      odd += 1;
      return;
    }
    const schema = parseJson(redact(JSON.stringify(inputSchema ?? null)));
    const mirrored = server.reach.kind === 'url' ? mirroredArguments(schema) : undefined;
    if (mirrored === 'invalid') {
      odd += 1;
      return;
    }
    const ours = toolName(server.name, name, (taken) => tools.has(taken));
    const { parameters, changes } = simplifyParameters(schema);
    if (changes.length > 0) simplified.set(name, changes.join(', '));
    const description = redact(plain(output.description));
    if (description.length > MAX_DESCRIPTION_CHARACTERS) shortened.push(name);
    tools.set(ours, {
      name,
      definition: { name: ours, description: cut(description, MAX_DESCRIPTION_CHARACTERS), parameters },
      ...defined({ mirrored }),
    });
  }

  return {
    /** @returns whether more are wanted */
    add(page: readonly unknown[]): boolean {
      for (const described of page) {
        add(described);
        if (tooMany) return false;
      }
      return true;
    },

    result(): { tools: ServerTool[]; notes: string[] } {
      const notes: string[] = [];
      const say = (note: string) => notes.push(`server "${server.name}" ${note}`);
      if (tooMany)
        say(
          `offers more than ${MAX_TOOLS} tools, of which the first are taken: name those that are wanted in its tools`,
        );
      if (odd > 0)
        say(`describes ${odd === 1 ? 'a tool' : `${odd} tools`} in a way that cannot be read: left out`);
      const missing = [...server.tools, ...server.readOnly].filter((name) => !seen.has(name));
      // Where not all were looked at, it may be further down.
      if (missing.length > 0 && !tooMany)
        say(`has no tool ${[...new Set(missing)].map((name) => JSON.stringify(name)).join(', ')}`);
      if (tasks.length > 0)
        say(`wants these called as tasks, which is not supported, and they are left out: ${firstOf(tasks)}`);
      if (shortened.length > 0)
        say(
          `has descriptions of more than ${MAX_DESCRIPTION_CHARACTERS} characters, which are cut: ${firstOf(shortened)}`,
        );
      if (simplified.size > 0)
        say(
          `takes arguments that not every model can be told in full, which are simplified: ${firstOf([...simplified.keys()], (name) => ` (${simplified.get(name) ?? ''})`)}`,
        );
      return { tools: [...tools.values()], notes };
    },
  };
}

/** The name by which models call a tool: valid for all of them, and no other tool's. */
function toolName(server: string, tool: string, isTaken: (name: string) => boolean): string {
  const name = `mcp__${server}__${tool.replace(/[^a-zA-Z0-9_-]/g, '_')}`;
  if (name.length <= MAX_NAME_CHARACTERS && !isTaken(name)) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_NAME_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
}

/** A few of them, and how many more there are. */
function firstOf(names: readonly string[], about: (name: string) => string = () => ''): string {
  const each = names.slice(0, 3).map((name) => `${oneLine(name, 60)}${about(name)}`);
  const more = names.length > each.length ? `, and ${names.length - each.length} more` : '';
  return each.join(', ') + more;
}
