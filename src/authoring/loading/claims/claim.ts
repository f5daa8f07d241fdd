import { AgentError, ConfigError } from '../../../errors.ts';
import { hintAt } from '../../../nearest.ts';
import { locate, type Complaint } from '../../toml/locate.ts';
import type { TomlPath } from '../../../parse-toml.ts';
import type { LoadedAgent } from '../../../core/agent-schema/agent-source.ts';

/** Something that a file takes for granted. */
export interface FileClaim {
  /** The value that says so. */
  path: TomlPath;
  isOfKey?: boolean;
  /** Throws a ConfigError or AgentError if it is not so. */
  check(): unknown;
  /** The word that may be mistyped, and the words that may be meant. */
  word?: string;
  known?(): readonly string[] | Promise<readonly string[]>;
  /** `; did you mean "…"?`, in place of the nearest known word. */
  hint?(): string;
}

/** Of each claim of an agent that does not hold, in words: `file:line:column: …`. */
export async function complaintsOf({ file }: LoadedAgent, claims: readonly FileClaim[]): Promise<string[]> {
  const complaints = (await Promise.all(claims.map(complaintOf))).filter((each) => each !== undefined);
  return file === undefined ? complaints.map(({ reason }) => reason) : locate(complaints, file);
}

async function complaintOf({
  path,
  isOfKey = false,
  check,
  word = '',
  known,
  hint,
}: FileClaim): Promise<Complaint | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof AgentError)) throw error;
    return { path, isOfKey, reason: error.message + (hint?.() ?? hintAt(word, (await known?.()) ?? [])) };
  }
}
