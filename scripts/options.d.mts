interface Types {
  string: string;
  number: number;
  whole: number;
  boolean: boolean;
}

/** One option of a command. Without `help` it is none that people type. */
export interface Option {
  type: keyof Types;
  help?: string;
  /** May be given several times. */
  multiple?: true;
  default?: string | number | readonly string[] | readonly number[];
}

type Value<O extends Option> = O extends { multiple: true }
  ? Types[O['type']][] | (O extends { default: unknown } ? never : undefined)
  : Types[O['type']] | (O extends { default: unknown } | { type: 'boolean' } ? never : undefined);

export type Values<Options extends Record<string, Option>> = {
  [Name in keyof Options]: Value<Options[Name]>;
};

/**
 * Reads options from the command line. Ends the process with 0 after `--help`, and with 2 after a mistake.
 * @param command what one types, with what it does: the first lines of its help
 */
export function readOptions<const Options extends Record<string, Option>>(
  command: string,
  options: Options,
  given?: readonly string[],
): Values<Options>;

/** The values of options, or what is to be said instead. */
export function optionsIn<const Options extends Record<string, Option>>(
  command: string,
  options: Options,
  given: readonly string[],
): { values: Values<Options> } | { help: string } | { mistake: string };

/** Says what is wrong with what was typed, and ends the process. */
export function refuse(mistake: string): never;
