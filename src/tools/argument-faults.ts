import type { ToolParameters } from '../runs/message.ts';
import type { ToolArguments } from './tool.ts';

/** More faults than these help nobody. */
const MAX_FAULTS = 3;

/** What these say is that another fault was found further down, or what the one before has said already. */
const ABOUT_OTHERS = new Set(['properties', 'items', 'false']);

/** Why arguments do not fit the schema of a tool, in words; none if they do. */
export async function faultsOf(args: ToolArguments, parameters: ToolParameters): Promise<string[]> {
  const { Validator } = await import('@cfworker/json-schema');
  const { errors } = new Validator(parameters, '2020-12', false).validate(args);
  const own = errors.filter(({ keyword }) => !ABOUT_OTHERS.has(keyword));
  return own.slice(0, MAX_FAULTS).map(({ instanceLocation, error: sentence }) => {
    const error = sentence.replace(/\.$/, '');
    const place = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
    return place === '' ? error : `${place}: ${error}`;
  });
}
