import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import type { CommandOptions, CommandResult, Commands } from '../../core/tool-contracts/tool.ts';
import { cleanEnvironment } from '../../tools/reach/clean-environment.ts';
import { createCutOutput } from './cut-output.ts';
import { paced } from './paced-telling.ts';
import { startProcessTree } from '../../tools/reach/process-tree.ts';
import { ownSearchPath } from '../../tools/reach/search-path.ts';

export interface CommandsOptions {
  /** Absolute: the workdir. */
  cwd: string;
  /** Of this process; clean-environment.ts has the part that commands get. */
  env: Readonly<Record<string, string | undefined>>;
  /**
   * The words in front of a command that isolate it; absent: it is not isolated.
   * @throws {ConfigError} why that cannot be done
   */
  isolate?: (() => Promise<readonly string[]>) | undefined;
}

/**
 * Both streams go through one pipe, which keeps their order. It is a real pipe, made by the shell: Node.js makes
 * sockets, and a socket cannot be opened again as /dev/stdout. Its reader must end only after all of its writers, so it
 * is started while SIGTERM is ignored.
 */
const BOTH_STREAMS = `trap '' TERM; exec > >(exec cat) 2>&1; trap - TERM; exec "$@"`;

/** How long output may still come from a process that was not found and ended. */
const DRAIN_MS = 200;

/** Here it is always known what became of a command. */
export interface CommandsHere extends Commands {
  run(command: string, options: CommandOptions): Promise<CommandResult | { refused: string }>;
}

/** Runs commands with bash on this machine, each with nothing on stdin and without our keys. */
export function createCommands(options: CommandsOptions): CommandsHere {
  return {
    async run(command, { seconds, signal, tell }) {
      signal.throwIfAborted();
      const output = createCutOutput();
      const telling = paced(tell);
      let words: readonly string[] = [];
      try {
        words = (await options.isolate?.()) ?? [];
      } catch (thrown) {
        return { refused: startFault(thrown) };
      }
      signal.throwIfAborted();
      const tree = startCommand([...words, 'bash', '-c', command], options);
      if ('refused' in tree) return tree;
      const { child, end } = tree;
      const ended = once(child, 'exit').then(
        () => 'ended' as const,
        (thrown: unknown) => ({ refused: startFault(thrown) }),
      );
      const closed = once(child, 'close').catch(() => {});
      const decoder = new TextDecoder();
      child.stdout?.on('data', (bytes: Uint8Array) => {
        const text = decoder.decode(bytes, { stream: true });
        output.add(text);
        telling.tell(text);
      });
      const waiting = new AbortController();
      const stopped = once(signal, 'abort', { signal: waiting.signal }).catch(() => {});
      const late = delay(seconds * 1000, 'late' as const, { signal: waiting.signal }).catch(() => {});
      try {
        const first = await Promise.race([ended, stopped, late]);
        if (typeof first === 'object' && 'refused' in first) return first;
        await end();
        await Promise.race([closed, delay(DRAIN_MS)]);
        signal.throwIfAborted();
        const { exitCode, signalCode } = child;
        return {
          output: output.text(),
          left: output.left(),
          exitCode: exitCode ?? undefined,
          ...(signalCode !== null && { killedBy: signalCode }),
          timedOut: first === 'late',
        };
      } finally {
        waiting.abort();
        child.stdout?.destroy();
        telling.close();
      }
    },
  };
}

function startCommand(words: readonly string[], { cwd, env, isolate }: CommandsOptions) {
  const clean = cleanEnvironment(env);
  // Programs around an isolated command must not be ones that it may have written.
  const outside = isolate === undefined ? {} : { PATH: ownSearchPath(clean['PATH'] ?? '', cwd) };
  try {
    return startProcessTree('bash', ['-c', BOTH_STREAMS, 'bash', ...words], {
      cwd,
      env: { ...clean, ...outside },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (thrown) {
    return { refused: startFault(thrown) };
  }
}

/** Why there is no process, in words. */
function startFault(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT') return 'there is no bash on this machine, or the workdir does not exist';
  if (code === 'E2BIG') return 'the command is too long: write it into a file and run that';
  return messageOf(thrown);
}
