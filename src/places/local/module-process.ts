import { once } from 'node:events';
import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';
import { parseJson, type Json } from '../../json.ts';
import type { FunctionResult } from '../../core/tool-contracts/tool.ts';
import { cleanEnvironment } from '../../tools/reach/clean-environment.ts';
import { startProcessTree, type ProcessTree } from '../../tools/reach/process-tree.ts';
import { bundleModule } from './workspace/bundle-module.ts';
import { findModule } from './workspace/module-file.ts';

/** A module of the user's own in a process that answers calls until it is ended, any number at once. */
export interface ModuleProcess {
  /**
   * Calls a function that the module exports.
   * @returns its result, or its exception in words
   * @throws the signal's reason if it was aborted
   */
  call(name: string, args: readonly Json[], signal: AbortSignal): Promise<FunctionResult>;
  end(): Promise<void>;
}

const SERVE = `
process.on('message', async ({ id, name, args }) => {
  let answer;
  try {
    if (typeof module[name] !== 'function') throw new TypeError('the module exports no function "' + name + '"');
    answer = { value: JSON.stringify(await module[name](...args)) ?? 'null' };
  } catch (thrown) {
    answer = { failed: thrown instanceof Error ? thrown.name + ': ' + thrown.message : String(thrown) };
  }
  process.send({ id, ...answer });
});
process.on('disconnect', () => process.exit());
`;

const Answer = v.union([
  v.object({ id: v.number(), value: v.string() }),
  v.object({ id: v.number(), failed: v.string() }),
]);

/**
 * The text of a module with everything that it imports, and of code that uses it as `module`.
 * @param root absolute: the folder that it may import from
 * @param file relative to it
 * @throws {ConfigError} with the place of its fault
 */
export async function bundleWith(root: string, file: string, code: string): Promise<string> {
  const contents = `import * as module from ${JSON.stringify(await findModule(root, file))};\n${code}`;
  return bundleModule({ root, target: 'node20', entry: { contents, resolveDir: root, loader: 'js' } });
}

/** Starts Node.js with a program on stdin and a channel for messages, without our variables and keys. */
export function startNode(text: string, cwd: string, env: Record<string, string>): ProcessTree {
  const started = startProcessTree(process.execPath, ['--enable-source-maps', '--input-type=module', '-'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  // A process that ends before it has read everything is reported by its end.
  started.child.stdin?.on('error', () => {}).end(text);
  return started;
}

/**
 * Starts a module that serves many calls: a process for each would cost more than most of what they do.
 * @param root absolute: the folder that it may import from, and works in
 * @throws {ConfigError} with the place of its fault
 */
export async function startModule(
  root: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ModuleProcess> {
  const { child, end } = startNode(await bundleWith(root, file, SERVE), root, cleanEnvironment(env));
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream
      ?.setEncoding('utf8')
      .on('data', (part: string) => (printed = (printed + part).slice(-LAST_CHARACTERS)));
  const waiting = new Map<number, (answer: FunctionResult) => void>();
  const settle = (id: number, answer: FunctionResult) => {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  };
  child.on('message', (message) => {
    const answer = v.safeParse(Answer, message);
    if (!answer.success) return;
    const { id } = answer.output;
    settle(
      id,
      'value' in answer.output ? { value: parseJson(answer.output.value) } : { failed: answer.output.failed },
    );
  });
  let hasEnded = false;
  const failed = () => ({
    failed: `the process of module ${file} has ended${printed.trim() && `: ${printed.trim()}`}`,
  });
  child.once('close', () => {
    hasEnded = true;
    for (const id of waiting.keys()) settle(id, failed());
  });
  let calls = 0;
  return {
    async call(name, args, signal) {
      signal.throwIfAborted();
      if (hasEnded) return failed();
      const id = ++calls;
      const over = new AbortController();
      const answered = new Promise<FunctionResult>((resolve) => waiting.set(id, resolve));
      // One that the process cannot be sent any more is answered by its end.
      child.send({ id, name, args }, () => {});
      try {
        const aborted = once(signal, 'abort', { signal: over.signal }).then(() => signal.throwIfAborted());
        const answer = await Promise.race([answered, aborted]);
        if (answer === undefined) throw new ConfigError(`module ${file} was stopped`);
        return answer;
      } finally {
        over.abort();
        waiting.delete(id);
      }
    },
    end,
  };
}

const LAST_CHARACTERS = 1_000;
