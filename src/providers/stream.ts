import { createParser } from 'eventsource-parser';
import * as v from 'valibot';
import { ModelError } from '../errors.ts';
import { faultIn, parseAnswer, parseJson, postJson, readWhole, toJson, unparsed } from './answer.ts';
import type { Assembly } from './assembly.ts';
import { MOST_MEGABYTES, open, origin, redact, textOf, toHeaders, type HttpApi } from './http.ts';
import type { ModelRequest, OnDelta } from '../core/model/model.ts';
import type { Watch } from '../core/records/silence.ts';
import { watchServer } from './silence.ts';

/** How an API is asked for a stream, and how its answer is read. */
export interface Streaming<Schema extends v.GenericSchema> {
  /** The members of the request's body that ask for it. */
  asking: object;
  schema: Schema;
  createAssembly(onDelta?: OnDelta): Assembly;
}

/**
 * Posts one request, for a stream or, where that is wanted, for an answer that comes whole.
 * @throws {ModelError} for any fault of the API or of the connection; no message contains the key
 * @throws the signal's reason if the run was stopped
 */
export function postForAnswer<const Schema extends v.GenericSchema>(
  api: HttpApi,
  { stream }: Pick<ModelRequest, 'stream'>,
  body: object,
  { asking, schema, createAssembly }: Streaming<Schema>,
  signal: AbortSignal,
  onDelta: OnDelta | undefined,
): Promise<v.InferOutput<Schema>> {
  if (stream === false) return postJson(api, body, schema, signal);
  return postForStream(api, { ...body, ...asking }, schema, signal, createAssembly(onDelta));
}

/**
 * Posts one request that asks for a stream, and reads the answer, even if it comes whole.
 * @throws {ModelError} also for a stream that was cut, and a server that showed no sign of life, with the tokens known
 * so far
 */
async function postForStream<const Schema extends v.GenericSchema>(
  api: HttpApi,
  body: object,
  schema: Schema,
  signal: AbortSignal,
  assembly: Assembly,
): Promise<v.InferOutput<Schema>> {
  const spent = () => api.spentOn(assembly.answer());
  const watch = watchServer(origin(api), api, signal, spent);
  try {
    const response = await open(api, toHeaders(api), toJson(body), watch.signal);
    watch.alive();
    const split = response.ok ? splitterOf(response) : undefined;
    if (split === undefined) return await readWhole(api, response, schema, watch.signal, watch.alive);
    await readParts(api, response, split(takingIn(api, assembly)), assembly, watch, spent);
    if (assembly.isWhole()) return parseAnswer(api, schema, assembly.answer());
    throw new ModelError('server', `stream from ${origin(api)} ended in mid-answer`, { spent: spent() });
  } finally {
    watch.end();
  }
}

/**
 * The most that a stream may have in all: every token comes in a part of its own, with some hundred characters around
 * it.
 */
const MOST_STREAMED_MEGABYTES = 8 * MOST_MEGABYTES;

async function readParts(
  api: HttpApi,
  response: Response,
  feed: (text: string) => void,
  assembly: Assembly,
  watch: Watch,
  spent: () => ReturnType<HttpApi['spentOn']>,
): Promise<void> {
  const texts = textOf(api, response, { signal: watch.signal, spent, megabytes: MOST_STREAMED_MEGABYTES });
  try {
    for await (const text of texts) {
      // The follower of the answer hears first: where both wait for as long, it is the one to report the silence.
      feed(text);
      watch.alive();
      if (assembly.isWhole()) watch.closing();
    }
    feed('\n\n'); // some servers leave it out after the last part
  } catch (thrown) {
    // Nothing is missing of an answer whose end has come.
    if (!assembly.isWhole()) throw thrown;
  }
}

/** Parses parts, and adds them to the assembly. */
function takingIn(api: HttpApi, assembly: Assembly): (part: string) => void {
  return (part) => {
    if (assembly.end !== undefined && part === '[DONE]') return assembly.end();
    const { value, fault } = parseJson(part);
    if (fault !== undefined) {
      throw unparsed(api, parseJson(redact(api, part)).fault ?? 'not JSON', assembly.answer());
    }
    try {
      assembly.add(value);
    } catch (thrown) {
      if (!(thrown instanceof v.ValiError)) throw thrown;
      throw unparsed(api, faultIn(thrown.issues), assembly.answer());
    }
  };
}

type Split = (onPart: (part: string) => void) => (text: string) => void;

/** How an answer is split into parts; undefined if it comes whole. */
function splitterOf({ headers }: Response): Split | undefined {
  const [type = ''] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  return SPLITTERS.get(type.trim());
}

const SPLITTERS: ReadonlyMap<string, Split> = new Map([
  ['text/event-stream', splitEvents],
  ['application/x-ndjson', splitLines],
]);

/** No part is larger than a whole answer may be. */
const LONGEST_PART = MOST_MEGABYTES * 2 ** 20;
const tooLong = () =>
  new ModelError('server', `a part of the stream is larger than ${MOST_MEGABYTES} MB`, { spent: 'unknown' });

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
function splitEvents(onPart: (part: string) => void): (text: string) => void {
  const parser = createParser({
    maxBufferSize: LONGEST_PART,
    onEvent: ({ data }) => onPart(data),
    onError({ type }) {
      if (type === 'max-buffer-size-exceeded') throw tooLong();
    },
  });
  return (text) => parser.feed(text);
}

/** One JSON value per line. */
function splitLines(onPart: (part: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_PART) throw tooLong();
    for (const line of lines) if (line.trim() !== '') onPart(line);
  };
}
