import type { Json } from '../json.ts';
import { StatesApiError } from './api-errors.ts';
import { checkDefinition } from './check-definition.ts';
import { toDefinition, type Definition } from './definition.ts';
import { isJsonObject, parseJson } from './json-value.ts';
import type { Problem } from './problems.ts';

/**
 * Reads a definition into the form that runs.
 * @param check false for one that has been checked before
 * @throws StatesApiError InvalidDefinition, telling all that is wrong and where
 */
export function loadDefinition(text: string, check: boolean): Definition {
  let definition: Json;
  try {
    definition = parseJson(text);
  } catch (error) {
    throw refuse([notJson(error)]);
  }
  const errors = check ? checkDefinition(definition).filter(({ severity }) => severity === 'ERROR') : [];
  if (errors.length > 0 || !isJsonObject(definition)) throw refuse(errors);
  return toDefinition(definition);
}

/** What is wrong with a definition, warnings included. */
export function problemsIn(text: string): Problem[] {
  try {
    return checkDefinition(parseJson(text));
  } catch (error) {
    return [notJson(error)];
  }
}

function notJson(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return { severity: 'ERROR', code: 'INVALID_JSON_DESCRIPTION', message, location: '/' };
}

function refuse(errors: Problem[]): StatesApiError {
  const list = errors.map(({ code, message, location }) => `${code}: ${message} at ${location}`);
  return new StatesApiError('InvalidDefinition', `Invalid State Machine Definition: '${list.join(', ')}'`);
}
