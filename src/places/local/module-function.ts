import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as v from 'valibot';
import { ConfigError } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import type { ModuleSource } from '../../core/records/call.ts';
import { fillIn, type FilledIn, type Secrets } from '../../core/records/secrets.ts';
import { MAX_PAYLOAD_BYTES, resultText } from '../../core/tool-contracts/call-function.ts';
import type { FunctionCall, FunctionResult } from '../../core/tool-contracts/tool.ts';
import { bundleWith, startNode } from './module-process.ts';
import { cleanEnvironment } from '../../tools/reach/clean-environment.ts';
import { paced } from './paced-telling.ts';

export interface ModuleOptions {
  /** Absolute: the folder that contains agents/. */
  root: string;
  /** Of this process; clean-environment.ts has the part that modules get. */
  env: Readonly<Record<string, string | undefined>>;
  /** @throws {ConfigError} unless the module may be started */
  assertMayStart(): Promise<void>;
  /** The secrets that its own variables refer to. */
  secrets: Secrets;
}

/** A call as the process reads it, in front of the module's own text. */
const CALL = "globalThis[Symbol.for('cadre.call')]";

/**
 * Does as Lambda would with the module: calls its handler, with a context of which the fields are there that make sense
 * here, and sends its result as JSON.
 */
const RUN = `
const { name, id, args, seconds } = ${CALL};
const until = Date.now() + seconds * 1000;
const context = {
  functionName: name,
  awsRequestId: id,
  getRemainingTimeInMillis: () => Math.max(0, until - Date.now()),
};
let answer;
try {
  if (typeof module.handler !== 'function') throw new TypeError('the module exports no function "handler"');
  answer = { value: JSON.stringify(await module.handler(args, context)) ?? 'null' };
  if (Buffer.byteLength(answer.value) > ${MAX_PAYLOAD_BYTES}) answer = { failed: 'its result is larger than 6 MB' };
} catch (thrown) {
  answer = { failed: thrown instanceof Error ? thrown.name + ': ' + thrown.message : String(thrown) };
}
process.send(answer, () => process.exit());
`;

const Answer = v.union([v.object({ value: v.string() }), v.object({ failed: v.string() })]);

/** How much of the end of what it printed is told where its fault should be, and how much is kept for that. */
const LAST_CHARACTERS = 1_000;
const KEPT_CHARACTERS = 100_000;

/**
 * Calls the handler of a module in a process of its own, with its own variables and without our keys, and ends that
 * process with all that it started.
 * @throws the signal's reason if it was aborted
 */
export async function callModule(
  { file, env: variables = {} }: ModuleSource,
  { name, arguments: args, seconds, signal, tell }: FunctionCall,
  { root, env, secrets, assertMayStart }: ModuleOptions,
): Promise<FunctionResult> {
  let text: string;
  let given: FilledIn;
  try {
    await assertMayStart();
    text = await bundleWith(root, file, RUN);
    given = await fillIn(variables, 'it', secrets);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return { failed: thrown.message };
    throw thrown;
  }
  signal.throwIfAborted();
  const { sent, redact } = given;
  const call = JSON.stringify({ name, id: randomUUID(), args, seconds });
  const { child, end } = startNode(`${CALL} = ${call}; ${text}`, root, { ...cleanEnvironment(env), ...sent });
  let printed = '';
  const telling = paced((part) => tell(redact(part)));
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      printed = (printed + part).slice(-KEPT_CHARACTERS);
      telling.tell(part);
    });
  }
  const waiting = new AbortController();
  const heard = { signal: waiting.signal };
  try {
    const answer = await Promise.race([
      once(child, 'message', heard).then(([message]) => toResult(message, redact)),
      once(child, 'close', heard).then(() => endedEarly(child.exitCode, child.signalCode, redact(printed))),
      once(signal, 'abort', heard).then(() => undefined),
    ]);
    signal.throwIfAborted();
    return answer ?? { failed: 'it was stopped' };
  } finally {
    waiting.abort();
    await end();
    telling.close();
  }
}

function toResult(message: unknown, redact: FilledIn['redact']): FunctionResult {
  const answer = v.safeParse(Answer, message);
  if (!answer.success) return { failed: 'it sent something else than its result' };
  if ('failed' in answer.output) return { failed: redact(answer.output.failed) };
  const value = parseJson(answer.output.value);
  const shown = resultText(value);
  const redacted = redact(shown);
  // As the model reads it, since a secret may itself be JSON.
  return { value: redacted === shown ? value : redacted };
}

function endedEarly(code: number | null, signal: NodeJS.Signals | null, printed: string): FunctionResult {
  const how = signal === null ? `exit code ${code}` : signal;
  const last = printed.trim().slice(-LAST_CHARACTERS);
  return { failed: `its process ended with ${how} before it answered${last === '' ? '' : `: ${last}`}` };
}
