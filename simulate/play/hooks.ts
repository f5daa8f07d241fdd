import * as v from 'valibot';
import type { CallFunction } from '../../src/core/tool-contracts/tool.ts';
import { isJson, type Json } from '../../src/json.ts';
import type { Choices } from '../choices.ts';

/** What the hooks of a play are asked about. Results that tell messages and ends are left to their own laws. */
const HOOKS = {
  check: 'on = "before_call"\ntools = ["deed", "look", "edit_file", "ask_user", "call_agent"]\n',
  gate: 'on = "after_call"\ntools = ["deed", "look"]\n',
  say: 'on = "before_answer"\n',
};

const Event = v.object({
  arguments: v.optional(v.record(v.string(), v.custom<Json>(isJson))),
  result: v.optional(v.string()),
  text: v.optional(v.string()),
});

/** The hooks of an agent, as its file has them. @param often how often it has each */
export function hooksOf({ happens }: Choices, often: number): string {
  const tables = Object.entries(HOOKS).map(([name, table]) =>
    happens(often)
      ? `[[functions]]\nname = "${name}"\nfunction = "${name}"\noffer = false\n[[hooks]]\nfunction = "${name}"\n${table}`
      : '',
  );
  return tables.join('');
}

/**
 * The answer of a function, if it is a hook's: a new choice each time, even about the same call. A replacement keeps
 * the marks.
 */
export function decisionOf(
  { name, arguments: event }: Parameters<CallFunction>[0],
  { pick }: Choices,
): Record<string, Json> | undefined {
  if (!Object.keys(HOOKS).includes(name)) return undefined;
  // A denied text has no mark by which its turn is known.
  const decision = pick(name === 'say' ? ['allow', 'replace'] : ['allow', 'deny', 'replace', 'ask']);
  const { arguments: given = {}, result = '', text = '' } = v.parse(Event, event);
  return { decision, arguments: given, result: `${result}, seen`, text: `${text}, seen` };
}
