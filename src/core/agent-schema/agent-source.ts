import { ConfigError, messageOf } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import type { Agent } from './agent.ts';
import type { PackedFor } from './packs.ts';
import type { Skill } from './skill.ts';

/**
 * The port to the agents: files on a machine, or what a deployment made of them. Whether an agent's sub-agents, files,
 * skill and model exist is only checked when they are used. Reading creates nothing.
 */
export interface AgentSource {
  /** The folders where agents are looked up, as the user would write them; absent if users cannot add any. */
  folders?: readonly string[];

  /**
   * The names of all agents, sorted, each once; some may be no valid names.
   * @throws {ConfigError} if a folder cannot be read
   */
  list(): Promise<string[]>;

  /**
   * The nearest folder above this one whose `agents/` holds some, as one would write it behind `cd`, where this folder
   * has none itself: somebody works in a folder of their project.
   */
  above?(): Promise<string | undefined>;

  /**
   * An agent, checked.
   * @param name a valid agent name
   * @returns undefined if there is no such agent
   * @throws {AgentFileError} if its file cannot be read or is wrong
   */
  read(name: string): Promise<LoadedAgent | undefined>;

  /**
   * A skill's text.
   * @param path absolute
   * @returns undefined if there is no such file
   * @throws {ConfigError} if there is one that cannot be read
   */
  readSkill(path: string): Promise<string | undefined>;

  /**
   * The skills that an agent lists, in that order; absent where agents have none.
   * @throws {ConfigError} for the first that is missing or cannot be used: `file:line:column: …`
   */
  skills?(loaded: LoadedAgent): Promise<Skill[]>;

  /**
   * Where the agent of a run is looked up during a rollout (`packs.ts`); absent if there is none.
   * @returns `name` as in `Run.pack`; absent: there is one pack
   */
  packOf?(run: PackedFor): Promise<{ name?: string; source: AgentSource }>;

  /**
   * An agent's file as its author wrote it; absent where agents have no files.
   * @param name of an agent that was read
   * @returns undefined if its file is not here
   */
  readText?(name: string): Promise<string | undefined>;

  /**
   * Whether a change of a file would change agents' permissions; absent where they are packed, and no file would.
   * @param path absolute, without links, whether there is anything or not
   */
  isAgentFile?(path: string): Promise<boolean>;

  /** The same as lists of what must not change, for callers that cannot ask about each path; absent likewise. */
  decidingFiles?(): Promise<DecidingFiles>;
}

/** The files that decide about agents' permissions. All paths are absolute, and need not exist. */
export interface DecidingFiles {
  /** Folders in which each `.toml` file is an agent's, whether there is a folder or not. */
  folders: readonly string[];
  /** Modules that agents call. */
  modules: readonly string[];
  /** The folders of the skills that agents may load, and those in which each folder may be one. */
  skills: readonly string[];
  /** The user's `config.toml`, which may hold keys. */
  config: string;
  /** The folder of Cadre's own code, parts of which are loaded while it runs. */
  program: string;
}

export interface LoadedAgent {
  agent: Agent;
  /** Faults of the file that do not prevent its use: `file:line:column: …`. */
  warnings: string[];
  /** The agents' root: the absolute path of the folder above the agents folder, where skills are looked up. */
  root: string;
  /** The skills that it lists, as they were deployed; absent where they are read from their files. */
  skills?: readonly Skill[];
  /** The file of its output schema, relative to the root; absent: it has none, or its own file has it. */
  schemaFile?: string;
  /**
   * The file that it was read from, with its path as messages show it, to locate further faults in it; absent if only
   * the agent itself was deployed.
   */
  file?: { path: string; bytes: Uint8Array };
}

/** An agent's file cannot be used; its faults are reported with `file:line:column`. */
export class AgentFileError extends ConfigError {
  /** Further faults of the file, each with its place. */
  readonly more: readonly string[];

  constructor(
    message: string,
    /** The file's path, as it stands in the message. */
    readonly path: string,
    { more = [], ...options }: ErrorOptions & { more?: readonly string[] } = {},
  ) {
    super(message, options);
    this.more = more;
  }
}

/** There is no such agent. A model reads only the message; a person reads the hint, too. */
export class AgentNotFoundError extends ConfigError {
  readonly #agent: string;
  readonly #source: AgentSource;

  constructor(agent: string, source: AgentSource) {
    super(`agent config not found: ${agent}`);
    this.#agent = agent;
    this.#source = source;
  }

  /** `; did you mean "digest"? searched: ./agents`, as far as there is anything to say. */
  async hint(): Promise<string> {
    const known = await this.#source.list().catch(() => undefined);
    const { folders = [] } = this.#source;
    const above = await this.#source.above?.();
    const begin = known?.length === 0 && folders.length > 0 ? '(no agents yet; begin with: cadre init)' : '';
    const parts = [
      didYouMean(this.#agent, known ?? []),
      folders.length === 0 ? '' : `searched: ${folders.join(', ')}`,
      above === undefined ? begin : `(there are agents in ${above}/agents; first: cd ${above})`,
    ].filter((part) => part !== '');
    return parts.length === 0 ? '' : `; ${parts.join(' ')}`;
  }
}

/** The message of any thrown value, for a person; with the hint, if an agent does not exist. */
export async function faultText(thrown: unknown): Promise<string> {
  return messageOf(thrown) + (thrown instanceof AgentNotFoundError ? await thrown.hint() : '');
}

/** Everything that is wrong with an agent that cannot be loaded, each fault with its place. */
export function faultsOf(thrown: unknown): string[] {
  return [messageOf(thrown), ...(thrown instanceof AgentFileError ? thrown.more : [])];
}
