import type { TomlPath } from '../toml/parse-toml.ts';

/** Something that a file takes for granted. */
export interface Claim {
  /** The value that says so. */
  path: TomlPath;
  isOfKey?: boolean;
  /** Throws a ConfigError or AgentError if it is not so. */
  check(): unknown;
  /** What may be mistyped, and what it may have been meant to be. */
  word?: string;
  known?(): readonly string[] | Promise<readonly string[]>;
}
