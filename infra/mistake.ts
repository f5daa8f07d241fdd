import type { ConfigError } from '../src/errors.ts';

/** The fault is in a file or in props of the user's: the place in the program that found it does not help. */
export function asMistake(error: ConfigError): ConfigError {
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
