import type { Json, JsonObject } from '../../json.ts';

/** Variables by name, without `states`, which no state may assign. */
export type Variables = { [name: string]: Json | undefined };

/**
 * The names that an expression can refer to. The parts are kept apart because merging them costs more than most
 * evaluations.
 */
export interface Scope {
  variables: Variables;
  /** The variable `states`. */
  states: JsonObject;
  /** The current time, in milliseconds since 1970, throughout an evaluation that asks for it. */
  time?: number;
}

/** The variable of that name; undefined where there is none, and a builtin function may be meant. */
export function variableOf({ variables, states }: Scope, name: string): Json | undefined {
  return name === 'states' ? states : variables[name];
}
