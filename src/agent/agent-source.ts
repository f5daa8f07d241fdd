/** The port to where agents are kept: folders on a machine, the deployed bundle in the cloud. Reading creates nothing. */
export interface AgentSource {
  /**
   * The names of all agent files, sorted, each once; some may be no valid names.
   * @throws {ConfigError} if a folder cannot be read
   */
  list(): Promise<string[]>;

  /**
   * @param name a valid agent name
   * @returns undefined if there is no such agent
   * @throws {ConfigError} with the reason alone, if there is one that cannot be read
   */
  read(name: string): Promise<AgentFile | undefined>;

  /**
   * A skill's text.
   * @param path absolute
   * @returns undefined if there is no such file
   * @throws {ConfigError} if there is one that cannot be read
   */
  readSkill(path: string): Promise<string | undefined>;
}

export interface AgentFile {
  /** The file's path, as messages show it. */
  path: string;
  /** The agents' root: the absolute path of the folder above the agents folder, where skills are looked up. */
  root: string;
  bytes: Uint8Array;
}
