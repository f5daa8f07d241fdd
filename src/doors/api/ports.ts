import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import type { CallKey } from '../../core/records/call.ts';
import type { Run } from '../../core/records/run.ts';
import type { Follow } from '../../places/follow/follow.ts';
import type { PersonsMessage } from '../../core/lifecycle/persons-message.ts';
import type { Executions } from '../../core/machine/executions.ts';
import type { Steering } from '../../places/pipeline.ts';
import type { KeptRuns } from '../../core/reports/shown-tree.ts';
import type { Published } from '../../places/store/blobs.ts';

/** The API's ports to the world: an account's, or a folder's and this process's. */
export interface ApiPorts extends KeptRuns, Follow, Pick<Steering, 'kill' | 'resume'> {
  source: AgentSource;
  executions: Executions;
  /** Models that callers may choose beside an agent's own. */
  models: readonly string[];
  /**
   * Closes a run that has no carrier any more, and everything below it, as stopped; absent where there are none.
   * @throws {ConfigError} if another process has taken it up since
   */
  closeInterrupted?(run: Run, cause: string): Promise<void>;
  /**
   * Keeps a text that is too large for an answer where a client can fetch it.
   * @param key a blob key
   * @returns its URL, absolute or relative to the API's own
   */
  publish(key: string, text: string): Promise<Published>;
  /** Wakes the agent that waits for the answer to a question, which is in the store. */
  wakeAsker(question: CallKey): Promise<void>;
  /**
   * Hands a person's message to an agent, which may have ended.
   * @throws {ConfigError} if nothing brings it back
   */
  send(message: PersonsMessage): Promise<void>;
  /** Where people can follow an execution; absent where nothing shows it. */
  link?(executionArn: string): string;
  /** Whether answers reach a client while they are being written; if not, one ends as soon as it holds anything. */
  streams: boolean;
  now: () => number;
  /** Takes what a client must not see: everything that is no fault of the client. */
  log: (fault: ApiFault) => void;
}

export interface ApiFault {
  /** The id that the client was given. */
  id: string;
  method: string;
  path: string;
  thrown: unknown;
}
