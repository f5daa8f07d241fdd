import type { Workspace } from '../agent-schema/workspace.ts';
import type { Json } from '../../json.ts';
import type { KeptEntry } from '../memory/entry.ts';
import type { NewAttachment } from '../records/attachment.ts';
import type { CallFailure, FunctionTarget } from '../records/call.ts';
import type { Mail } from '../records/mail.ts';
import type { WebSearch } from './web-search.ts';
import type { ToolCall, ToolDefinition, ToolParameters } from '../records/message.ts';
import type { Phase } from '../records/phase.ts';
import type { Listing, ToolServer } from '../records/tool-server.ts';

/** The most of a result that a model is shown; the whole of a longer one is kept as a file. */
export const MAX_RESULT_CHARACTERS = 50_000;

/** A call's arguments as the model wrote them, unchecked. */
export type ToolArguments = ToolCall['arguments'];

/**
 * A tool that a function carries out. The turn reads what it is, to offer it and to plan its calls; only the tool
 * function calls `run`, so that it imports everything that is slow to load.
 */
export interface Tool {
  definition: ToolDefinition;
  /**
   * Whether it can change anything. Calls of tools that only read are carried out at once, and are allowed in mode
   * `plan`.
   */
  writes: boolean;
  /** Whether a call that was begun and left no result may simply be made again. */
  isRepeatable: boolean;
  /** Which function carries it out; absent: the one for files, servers and users' functions. */
  by?: 'control';
  /** The most seconds that this call may take. @param isIsolated whether commands run in a sandbox */
  seconds(args: ToolArguments, isIsolated: boolean): number;
  /**
   * The text that the patterns of permissions are matched with, and that people are shown of the call: a path, a
   * command or an address. Undefined where there is nothing of the kind.
   * @throws {RefusedCall} where its argument is missing or wrong
   */
  subject(args: ToolArguments): string | undefined;
  /** How patterns fit it. A path is matched where it leads, too, and not only as it was written. */
  subjectIs: 'path' | 'command' | 'address';
  /**
   * Carries out the call. Mistakes of the model and refusals of the world are an output with `isError`; an exception is
   * a fault of ours, or `signal`'s reason.
   */
  run(args: ToolArguments, context: ToolContext): Promise<ToolOutput>;
}

/** The result of a call, in words for the model, and the files that it touched. */
export interface ToolOutput {
  text: string;
  isError?: true;
  /** As in `ToolResult`. */
  skill?: string;
  /** Why it failed, if it did; absent: it was refused. */
  failure?: CallFailure;
  /** Images and documents that the model is shown with it. Absent: none. */
  attachments?: NewAttachment[];
  /** Its price, in billionths of a dollar; absent: it cost nothing. */
  nanoUsd?: number;
  /** Paths in the workspace. Absent: none. */
  filesRead?: string[];
  filesModified?: string[];
}

/** A tool's ports to the world. */
export interface ToolContext {
  workspace: Workspace;
  seen: SeenFiles;
  /** Whether rules let this tool show the contents of a file. @param path in the workspace, without links */
  mayShow(path: string): boolean;
  /**
   * Whether agents may change a file with this tool: the file does not decide what they may do, or a rule names it.
   * @param path in the workspace, without links
   */
  mayChange(path: string): Promise<boolean>;
  /** Why rules keep this call from an address to which it is led, in words; undefined if they do not. */
  refusalToFollow(address: string): string | undefined;
  /** Undefined where there is nothing to run them on: in an account, where the agent has no sandbox. */
  commands?: Commands;
  /** Hosts that the agent may fetch from, as its file has them. */
  allowedHosts: readonly string[];
  fetchUrl?: FetchUrl;
  /** Undefined where nobody is set up to search the web. */
  webSearch?: WebSearch;
  /** Functions of the user's own. */
  callFunction?: CallFunction;
  /** Servers of tools. */
  servers?: ToolServers;
  /** The `ownerKey` of the person whose run it is; undefined: the account's. */
  owner: string | undefined;
  /** The skills that the conversation may load; absent: none. */
  skills?: Skills;
  /** The other agents of the tree; undefined where a function may not reach them. */
  agents?: OtherAgents;
  /** What the agent remembers; undefined where its file gives it no tools for that. */
  memory?: OwnMemory;
  /** Where the whole of a result that is too long for the model is kept: its path in the workspace. */
  resultPath: string;
  /** Aborted when the run is stopped, or the call's time is over. */
  signal: AbortSignal;
  /** Tells watchers the output of the call as it comes. Live only. */
  tell(text: string): void;
}

/** The skills of a conversation, as their files are. */
export interface Skills {
  names: readonly string[];
  /** @param name one of them @throws {ConfigError} if its folder is gone */
  open(name: string): Promise<OpenSkill>;
}

export interface OpenSkill {
  /** What lies in its folder, out of which no link leads. */
  files: Pick<Workspace, 'list' | 'read' | 'realPath' | 'absolutePath'>;
  /** The folder, for commands; absent where the conversation runs none. */
  folder?: string;
}

/** An agent beside the one that started it, as that sees it. */
export type AgentBeside = {
  id: string;
  name: string;
  agent: string;
  phase: Phase;
  /** The beginning of its task. */
  task: string;
  /** Of its own turns so far, read and written. */
  tokens: number;
};

/** The mailbox of the agent that makes a call, and the other agents of its tree. Agents go by uuid, or by name. */
export interface OtherAgents {
  /** Those that go on beside the caller, which started them. */
  started(): Promise<AgentBeside[]>;
  /** Messages of agents to it, oldest first. */
  mails(): Promise<Mail[]>;
  /** Reads a message, which is then marked as read. @returns undefined if there is none */
  readMail(id: string): Promise<Mail | undefined>;
  /** @returns whether there was such a message */
  deleteMail(id: string): Promise<boolean>;
  /** @throws {RefusedCall} if there is no such agent, or nothing reaches it any more */
  sendMail(to: string, body: string): Promise<Mail>;
  /** @returns all runs that were ended @throws {RefusedCall} if the caller may not end it */
  kill(agent: string): Promise<string[]>;
}

/** The memory of the agent that makes a call, as its owner has it. */
export interface OwnMemory {
  /** Its entries that answer a query, the best first. */
  search(query: string, limit: number, signal: AbortSignal): Promise<FoundEntries>;
  /** Adds an entry, once however often the call is made. @returns its id */
  save(text: string): Promise<string>;
  /** @returns whether there was such an entry */
  forget(id: string): Promise<boolean>;
}

/** The entries that a search has found. */
export interface FoundEntries {
  entries: KeptEntry[];
  /** What it cost, in billionths of a dollar; absent: nothing. */
  nanoUsd?: number;
  /** Why it was by words alone, where it was to be by meaning, too. */
  fault?: string;
}

/** Which version of a file a run has read, so that no run overwrites a version that it has not seen. */
export interface SeenFiles {
  /** The version that the run has read, or written itself; undefined: neither. */
  version(path: string): Promise<string | undefined>;
  note(path: string, version: string): Promise<void>;
}

/** Runs commands of the machine, or in a sandbox. */
export interface Commands {
  /** @throws the signal's reason if it was aborted: then the command has ended, or soon will */
  run(command: string, options: CommandOptions): Promise<CommandResult | NoResult>;
}

/** Why a command was not begun, or why its outcome is unknown, in words. */
export type NoResult = { refused: string } | ({ lost: string } & Pick<CommandResult, 'nanoUsd'>);

export interface CommandOptions {
  seconds: number;
  signal: AbortSignal;
  /** Takes its output on either stream, as it is written. */
  tell(text: string): void;
}

export interface CommandResult {
  /** Both streams in the order in which they were written, the middle left out where it is too long. */
  output: string;
  /** How many characters were left out. */
  left: number;
  /** Undefined where it was ended by a signal. */
  exitCode?: number | undefined;
  /** Its name, where one ended it: `SIGKILL`. */
  killedBy?: string | undefined;
  timedOut: boolean;
  /** What is not as the command has left it, in words for the model; absent: everything is. */
  notes?: readonly string[];
  /** Its price, in billionths of a dollar; absent: it cost nothing. */
  nanoUsd?: number;
}

/** Fetches a text from the network, within the allowed addresses. */
export type FetchUrl = (url: string, options: FetchOptions) => Promise<Fetched>;

export interface FetchOptions extends Pick<ToolContext, 'refusalToFollow'> {
  allowedHosts: readonly string[];
  signal: AbortSignal;
}

export type Fetched = { text: string; url: string } | { refused: string };

/** Invokes a function of Lambda. @param name or ARN of the function that carries out the call */
export type InvokeFunction = (
  name: string,
  call: Pick<FunctionCall, 'arguments' | 'signal'>,
) => Promise<FunctionResult>;

/** Calls a function of the user's own with arguments that fit its parameters. */
export type CallFunction = (call: FunctionCall) => Promise<FunctionResult>;

export interface FunctionCall {
  /** As the model calls it. */
  name: string;
  source: FunctionTarget['source'];
  arguments: ToolArguments;
  seconds: number;
  signal: AbortSignal;
  /** Takes its output, as it is printed. */
  tell(text: string): void;
}

/** Its result, or why there is none, in words: its exception, or the obstacle to calling it. */
export type FunctionResult = { value: Json } | { failed: string };

/** The servers that agents use, as they are reached. */
export interface ToolServers {
  /**
   * Asks a server what it offers.
   * @param owner as in `ServerCall`
   * @throws {ConfigError | AgentError} why it cannot be had, in words
   */
  list(server: ToolServer, owner?: string): Promise<Listing>;
  /** Has a server carry out a call. Failures are an output in words, except `signal`'s reason. */
  call(server: ToolServer, call: ServerCall): Promise<ToolOutput>;
}

export interface ServerCall {
  /** The server's own name for the tool. */
  tool: string;
  /** As in `ServerTool`. */
  mirrored?: ToolParameters | undefined;
  /** The model's name for it. */
  name: string;
  /**
   * Whose sign-in it is made with, where people sign in to the server: the `ownerKey` of the owner of the run; undefined:
   * that of the place.
   */
  owner: string | undefined;
  arguments: ToolArguments;
  isRepeatable: boolean;
  signal: AbortSignal;
}
