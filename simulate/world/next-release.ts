import { isJsonObject, parseJson, type Json, type JsonObject } from '../../src/json.ts';

/**
 * The definition of a machine in another release: every state has another name, and there is an additional first state.
 * Executions under way keep the definition that they began with.
 */
export function nextRelease(definition: string): string {
  const renamed = withOtherNames(parseJson(definition));
  if (!isJsonObject(renamed)) throw new Error('a definition is an object');
  const { StartAt = '', States = {} } = renamed;
  const states = { Ahead: { Type: 'Pass', Next: StartAt }, ...(isJsonObject(States) && States) };
  return JSON.stringify({ ...renamed, StartAt: 'Ahead', States: states });
}

/** The fields that name a state. */
const NAMES: ReadonlySet<string> = new Set(['StartAt', 'Next', 'Default']);

function withOtherNames(value: Json): Json {
  if (Array.isArray(value)) return value.map(withOtherNames);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    if (name === 'States' && isJsonObject(member)) return [name, renamedStates(member)];
    return [name, NAMES.has(name) && typeof member === 'string' ? otherName(member) : withOtherNames(member)];
  });
  return Object.fromEntries(members);
}

function renamedStates(states: JsonObject): JsonObject {
  const renamed = Object.entries(states).map(([name, state]): [string, Json] => [
    otherName(name),
    withOtherNames(state),
  ]);
  return Object.fromEntries(renamed);
}

function otherName(name: string): string {
  return `${name} 2`;
}
