import { ConfigError, ModelError, messageOf } from '../../../errors.ts';
import { abortCause } from '../../../core/records/abort.ts';
import { estimateUsage } from '../../../core/model/estimate.ts';
import type { Delta, Model, ModelRequest } from '../../../core/model/model.ts';
import type { ModelResponse } from '../../../core/records/message.ts';
import type { TokenUsage } from '../../../token-usage.ts';
import { systemTime, type LocalTime } from '../../time.ts';
import { parseScript, type ParsedScript, type PlaceInScript, type ScriptedTurn } from './script.ts';

/** Reads a script by its path, which is relative, with `/`, and never leaves the folder it is relative to. */
export type ReadScript = (path: string) => Promise<string>;

/**
 * `scripted/<file>`: plays a file of turns, for tests of agents. It keeps no count of its own: the conversation is
 * the first one of the script that fits what the request begins with, and the turn is the number of answers in the
 * request so far. So it plays on where it was after a crash, and any number of agents may play from one script at once.
 * @param time in which its turns take long; absent: the system's
 * @param placeOf says where faults are; absent: they are told without
 */
export function createScriptedModel(
  readScript: ReadScript,
  time: Pick<LocalTime, 'sleep'> = systemTime,
  placeOf?: PlaceInScript,
): Model {
  const scripts = new Map<string, Promise<ParsedScript>>();

  /** Each file is read once: a run plays one script from beginning to end. */
  function script(path: string): Promise<ParsedScript> {
    const loaded = scripts.get(path) ?? loadScript(path, readScript, placeOf);
    scripts.set(path, loaded);
    return loaded;
  }

  return {
    async send(request, signal, onDelta) {
      const { place, turn } = findTurn(request, await script(request.model));
      const newest = newestText(request);
      const isExpected = turn.expect === undefined || newest.includes(turn.expect);
      const isAnswer = isExpected && turn.error === undefined;
      const wait = (milliseconds: number) => waitFor(milliseconds, signal, time);
      if (onDelta === undefined || !isAnswer) await wait(turn.delay_ms);
      else await write(toResponse(request, turn).text, turn.delay_ms, wait, onDelta);
      if (!isExpected) {
        throw new ModelError(
          'bad_request',
          `${place} expects "${turn.expect}", and what came is "${excerpt(newest)}"`,
        );
      }
      if (turn.error !== undefined) throw scriptedError(turn.error);
      return toResponse(request, turn);
    },
  };
}

/**
 * Reads a script.
 * @throws {ConfigError} that names the file and, if it can be read, the place in it
 */
export async function loadScript(
  path: string,
  readScript: ReadScript,
  placeOf?: PlaceInScript,
): Promise<ParsedScript> {
  if (/^\/|\\|\0/.test(path) || path.split('/').includes('..')) {
    throw new ConfigError(
      `invalid script path "${path}": expected a path inside the project, with / and without ..`,
    );
  }
  const text = await readScript(path).catch((thrown: unknown) => {
    throw new ConfigError(`failed to read script "${path}": ${messageOf(thrown)}`, { cause: thrown });
  });
  return parseScript(path, text, placeOf);
}

/** @throws {ModelError} `bad_request` where nothing in the script fits, or the script is at its end */
function findTurn(request: ModelRequest, script: ParsedScript): { place: string; turn: ScriptedTurn } {
  const file = `script "${request.model}"`;
  const prompt = promptOf(request);
  const index = script.conversations.findIndex(
    ({ match, system }) => prompt.includes(match) && request.system.includes(system),
  );
  const conversation = script.conversations[index];
  if (conversation === undefined) {
    throw new ModelError(
      'bad_request',
      `${file} has no conversation that fits the prompt "${excerpt(prompt)}"`,
    );
  }
  const number = request.messages.filter(({ role }) => role === 'assistant').length;
  const turn = conversation.turns[number];
  if (turn === undefined) {
    const length = conversation.turns.length;
    throw new ModelError(
      'bad_request',
      `${file}: conversations[${index}] ends after turns[${length - 1}] but was asked for turns[${number}]`,
    );
  }
  return { place: `${file}: conversations[${index}].turns[${number}]`, turn };
}

async function waitFor(
  milliseconds: number,
  signal: AbortSignal,
  { sleep }: Pick<LocalTime, 'sleep'>,
): Promise<void> {
  if (signal.aborted) throw abortCause(signal);
  if (milliseconds === 0) return;
  await sleep(milliseconds, signal).catch(() => {
    throw abortCause(signal);
  });
}

/** Writes the text word by word, in the time that the answer takes. */
async function write(
  text: string,
  milliseconds: number,
  wait: (milliseconds: number) => Promise<void>,
  onDelta: (delta: Delta) => void,
): Promise<void> {
  const words = text.match(/\s*\S+|\s+$/g) ?? [];
  const pauses = Math.min(words.length, Math.floor(milliseconds / SHORTEST_PAUSE_MS));
  let paused = 0;
  for (const [index, word] of words.entries()) {
    onDelta({ type: 'text', text: word });
    if (paused >= Math.floor(((index + 1) * pauses) / words.length)) continue;
    paused += 1;
    await wait(milliseconds / pauses);
  }
  if (pauses === 0) await wait(milliseconds);
}

/** Timers are no more precise. */
const SHORTEST_PAUSE_MS = 10;

function scriptedError(error: NonNullable<ScriptedTurn['error']>): ModelError {
  const details = error.retry_after === undefined ? {} : { retryAfterMs: error.retry_after * 1000 };
  return new ModelError(error.category, error.message, details);
}

function toResponse(request: ModelRequest, turn: ScriptedTurn): ModelResponse {
  const number = request.messages.length;
  const fill = placeholders({ prompt: promptOf(request), results: newestText(request) });
  const text = fill(turn.text);
  const calls = turn.calls.map((call, index) => ({
    id: `scripted_${number}_${index}`,
    name: call.name,
    arguments: Object.fromEntries(
      Object.entries(call.arguments).map(([key, value]) => [
        key,
        typeof value === 'string' ? fill(value) : value,
      ]),
    ),
  }));
  const stopReason = turn.stop_reason ?? (calls.length > 0 ? 'tool_calls' : 'end');
  const usage = turn.usage === undefined ? estimateUsage(request, { text, calls }) : toTokenUsage(turn.usage);
  return { text, calls, stopReason, rawStopReason: stopReason, usage };
}

function toTokenUsage(usage: NonNullable<ScriptedTurn['usage']>): TokenUsage {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    ...(usage.cache_read_tokens !== undefined && { cacheReadTokens: usage.cache_read_tokens }),
    ...(usage.cache_write_tokens !== undefined && { cacheWriteTokens: usage.cache_write_tokens }),
  };
}

/** Fills in `{{prompt}}`, the first user message, and `{{results}}`, the newest message; others are left alone. */
function placeholders(values: Record<'prompt' | 'results', string>): (text: string) => string {
  return (text) =>
    text.replace(/\{\{(prompt|results)\}\}/g, (_, name) =>
      name === 'prompt' ? values.prompt : values.results,
    );
}

function promptOf(request: ModelRequest): string {
  return request.messages.find((message) => message.role === 'user')?.text ?? '';
}

/** The text that the model is to react to: the results of its calls, or the user's last words. */
function newestText(request: ModelRequest): string {
  const newest = request.messages.at(-1);
  if (newest === undefined) return '';
  return newest.role === 'tool' ? newest.results.map((result) => result.text).join('\n\n') : newest.text;
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
