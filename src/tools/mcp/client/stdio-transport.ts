import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { asError } from '../../../errors.ts';
import { startProcessTree, type ProcessOptions, type ProcessTree } from '../../reach/process-tree.ts';
import { MAX_ANSWER_BYTES } from '../../reach/bounded-answer.ts';
import { PrintedLines } from './printed-lines.ts';

/**
 * How much of what a server says on stderr is kept, for the words in which it is told that it does not start: more than
 * is told, so that a secret is not known by its end alone.
 */
const STDERR_CHARACTERS = 10_000;

/** How long output may still come from a server that has ended, and from what it has left behind. */
const DRAIN_MS = 100;

/**
 * A server that is a command of this machine, over its stdin and stdout. The protocol's package has a transport for
 * this, too, which leaves behind the processes that the command starts.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The end of what it said on stderr. */
  stderr = '';
  /** Why it was ended here; absent: it was not, or nobody wants it any more. */
  fault: Error | undefined;

  readonly #command: string;
  readonly #args: readonly string[];
  readonly #options: Omit<ProcessOptions, 'stdio'>;
  readonly #received = new PrintedLines();
  #tree: ProcessTree | undefined;
  #isClosed = false;
  /** What has come so far is read, and whether more of it can be. */
  #reading = Promise.resolve(true);

  constructor(command: string, args: readonly string[], options: Omit<ProcessOptions, 'stdio'>) {
    this.#command = command;
    this.#args = args;
    this.#options = options;
  }

  async start(): Promise<void> {
    const tree = startProcessTree(this.#command, this.#args, {
      ...this.#options,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#tree = tree;
    const { child } = tree;
    const failed = (error: Error) => this.#failed(error);
    child.on('error', failed);
    child.stdin?.on('error', failed);
    child.stdout?.on('error', failed);
    child.stdout?.on('data', (bytes: Buffer) => {
      child.stdout?.pause();
      // Node.js goes on with the output of a process that has ended, paused or not.
      this.#reading = this.#reading.then((goesOn) => goesOn && this.#receive(bytes));
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      this.stderr = (this.stderr + bytes.toString()).slice(-STDERR_CHARACTERS);
    });
    const ended = () => {
      this.#closed();
      // Nobody closes it once more, and what it has started would stay as long as this process.
      void tree.end();
    };
    child.on('exit', () => setTimeout(() => void this.#reading.then(ended), DRAIN_MS));
    await once(child, 'spawn');
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#tree?.child.stdin;
    if (this.#isClosed || !stdin?.writable) throw new Error('the server has exited');
    // It may go on to ask without reading our answers, which would be kept for it until the memory is full.
    if (stdin.writableLength > MAX_ANSWER_BYTES) {
      this.fault = new Error('the server does not read what it is sent');
      void this.close();
      throw this.fault;
    }
    stdin.write(serializeMessage(message));
  }

  /** Ends it, with everything that it has started. */
  async close(): Promise<void> {
    this.#tree?.child.stdin?.end();
    await this.#tree?.end();
    this.#closed();
  }

  /**
   * Reads what has come, and lets everything else of this process have its turn in between.
   *
   * @returns whether more can be read
   */
  async #receive(bytes: Buffer): Promise<boolean> {
    try {
      for (const line of this.#received.take(bytes)) {
        if (this.#isClosed) return false;
        this.#read(line);
        await nextTurn();
      }
      // Output without any message arrives in pieces as fast as they are taken.
      await nextTurn();
    } catch (error) {
      // A message without an end: its rest would be taken for the beginning of another.
      this.fault = asError(error);
      this.#failed(error);
      void this.close();
      return false;
    }
    this.#tree?.child.stdout?.resume();
    return true;
  }

  #read(line: string): void {
    try {
      this.onmessage?.(deserializeMessage(line));
      this.#received.understood();
    } catch (error) {
      // A line that is no message, such as one that was printed by mistake.
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.onerror?.(asError(error));
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}
