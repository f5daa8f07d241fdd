import * as v from 'valibot';
import { messageOf, ModelError, type ModelErrorCategory } from '../errors.ts';
import type { TokenUsage } from '../token-usage.ts';
import {
  CATEGORIES,
  open,
  redact,
  statusError,
  textOf,
  toHeaders,
  type Endpoint,
  type HttpApi,
} from './http.ts';

/**
 * Posts one request and reads the answer, which comes whole.
 * @throws {ModelError} for any fault of the API or of the connection; no message contains the key
 * @throws the signal's reason if the run was stopped
 */
export async function postJson<const Schema extends v.GenericSchema>(
  api: HttpApi,
  body: object,
  schema: Schema,
  signal: AbortSignal,
): Promise<v.InferOutput<Schema>> {
  const response = await open(api, toHeaders(api), toJson(body), signal);
  return readWhole(api, response, schema, signal);
}

/**
 * A request as JSON. Halves of surrogate pairs, which are escaped in it, are broken JSON to servers such as Anthropic's:
 * they come with texts that were cut, and with what models write.
 */
export function toJson(body: object): string {
  return JSON.stringify(body).replace(/\\(ud[89a-f]..|.)/g, (escape, escaped: string) =>
    escaped.length > 1 ? '\ufffd' : escape,
  );
}

/**
 * Reads an answer that comes whole.
 * @param alive called for every piece that arrives
 * @throws as `postJson` does
 */
export async function readWhole<const Schema extends v.GenericSchema>(
  api: HttpApi,
  response: Response,
  schema: Schema,
  signal: AbortSignal,
  alive?: () => void,
): Promise<v.InferOutput<Schema>> {
  const text = await readText(api, response, signal, alive);
  if (!response.ok) {
    const { value } = parseJson(text);
    const { message = refusalIn(value), name = '' } = faultOf(value) ?? {};
    throw statusError(api, response, message, NAMED.get(name) === 'server' ? 'server' : undefined);
  }
  const { value, fault } = parseJson(text);
  // The words for a fault quote ten characters of the text, which may be the beginning of the key.
  if (fault !== undefined) throw unparsed(api, parseJson(redact(api, text)).fault ?? 'not JSON');
  return parseAnswer(api, schema, value);
}

/**
 * Parses an API's answer.
 * @throws {ModelError} if it is none: it came with status 200, and is paid for
 */
export function parseAnswer<const Schema extends v.GenericSchema>(
  api: Pick<HttpApi, 'apiKey' | 'spentOn'>,
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  if (Array.isArray(value)) throw unparsed(api, 'expected an object, got an array');
  // Ollama, and servers in front of others, have sent their 200 when they fail; a stream has begun with it.
  const fault = faultOf(value);
  if (fault !== undefined && fault.message !== '') {
    throw new ModelError(namedCategory(fault.name), redact(api, fault.message), {
      spent: api.spentOn(value),
    });
  }
  const answer = v.safeParse(schema, value, { abortEarly: true });
  if (answer.success) return answer.output;
  throw unparsed(api, faultIn(answer.issues), value);
}

/** The error for an answer that came with status 200 and cannot be read. */
export function unparsed(
  api: Pick<HttpApi, 'apiKey' | 'spentOn'>,
  fault: string,
  answer?: unknown,
): ModelError {
  const details = { spent: api.spentOn(answer) };
  return new ModelError('server', redact(api, `failed to parse response: ${fault}`), details);
}

/** The error for an answer that broke off, or that the API itself could not make sense of; another one may be better. */
export function unfinished(reason: string, spent: TokenUsage | 'unknown'): ModelError {
  return new ModelError('server', `the model did not finish its answer (${reason})`, { spent });
}

/** Reads the body of an answer as one text. @throws as `textOf` does */
export async function readText(
  endpoint: Endpoint,
  response: Response,
  signal: AbortSignal,
  alive?: () => void,
): Promise<string> {
  let text = '';
  for await (const more of textOf(endpoint, response, { signal })) {
    alive?.();
    text += more;
  }
  return text;
}

/** Describes the fault in a value, and where it is. */
export function faultIn([issue]: readonly [v.BaseIssue<unknown>, ...unknown[]]): string {
  return `${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`;
}

export function parseJson(text: string): { value?: unknown; fault?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    return { fault: messageOf(thrown) };
  }
}

/**
 * The classes of errors that APIs name where no status can tell: in the middle of a stream. A status in place of a
 * name, as OpenRouter has it, is of the class that the status has.
 */
const NAMED: ReadonlyMap<string, ModelErrorCategory> = new Map(
  Object.entries({
    // https://docs.anthropic.com/en/api/errors
    authentication_error: 'auth',
    billing_error: 'auth',
    invalid_request_error: 'bad_request',
    not_found_error: 'bad_request',
    overloaded_error: 'overloaded',
    permission_error: 'auth',
    rate_limit_error: 'rate_limit',
    request_too_large: 'bad_request',
    timeout_error: 'timeout',
    // https://platform.openai.com/docs/guides/error-codes
    context_length_exceeded: 'bad_request',
    insufficient_quota: 'rate_limit',
    invalid_prompt: 'bad_request',
    rate_limit_exceeded: 'rate_limit',
    // https://console.groq.com/docs/errors: with status 400, for what the model wrote, which is another thing the next time
    json_validate_failed: 'server',
    tool_use_failed: 'server',
  } as const),
);

/** The class of an error by the name, or the status, that an API gives it. */
export function namedCategory(given: string): ModelErrorCategory {
  return NAMED.get(given) ?? CATEGORIES[Number(given)] ?? 'server';
}

const name = v.fallback(v.union([v.string(), v.pipe(v.number(), v.transform(String))]), '');
/** OpenRouter says what happened to it, and quotes what the provider behind it has said. */
const metadata = v.fallback(v.object({ raw: v.string() }), { raw: '' });
const saying = v.object({
  message: v.string(),
  type: v.optional(name, ''),
  code: v.optional(name, ''),
  metadata: v.optional(metadata, { raw: '' }),
});

/**
 * `error` is an object, or a text as Ollama has it; with Mistral, and vLLM as it was, the whole answer is the error, and
 * with Gemini that of which there is a list.
 */
const errorSchema = v.union([
  v.object({ error: v.union([v.string(), saying]) }),
  v.object({ object: v.literal('error'), ...saying.entries }),
]);

/** The error that an API reports, and its name for it; undefined if it reports none. */
export function faultOf(body: unknown): { message: string; name: string } | undefined {
  const parsed = v.safeParse(errorSchema, Array.isArray(body) ? body[0] : body, { abortEarly: true });
  if (!parsed.success) return undefined;
  const error = 'error' in parsed.output ? parsed.output.error : parsed.output;
  if (typeof error === 'string') return { message: error, name: '' };
  // OpenAI's codes say more than its types.
  const { type, code } = error;
  const message = [error.message, error.metadata.raw].filter((text) => text !== '').join(': ');
  return { message, name: NAMED.has(code) || type === '' ? code : type };
}

/** What is wrong with a request, and where, as FastAPI says it; or Tavily, for short. */
const detail = v.union([
  v.string(),
  v.pipe(
    v.array(v.object({ loc: v.array(v.union([v.string(), v.number()])), msg: v.string() })),
    v.transform((faults) => faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')),
  ),
  v.pipe(
    v.object({ error: v.string() }),
    v.transform(({ error }) => error),
  ),
]);

/** Of an answer that is not OK: Mistral, vLLM, Tavily and Brave have `detail`, in several places; gateways, a message alone. */
const refusal = v.union([
  v.object({ detail }),
  v.object({ message: v.object({ detail }) }),
  v.object({ error: v.object({ detail }) }),
  v.object({ message: v.string() }),
]);

/** @returns "" where it says nothing in such words */
function refusalIn(body: unknown): string {
  const parsed = v.safeParse(refusal, body);
  if (!parsed.success) return '';
  const { output } = parsed;
  if ('detail' in output) return output.detail;
  if ('error' in output) return output.error.detail;
  return typeof output.message === 'string' ? output.message : output.message.detail;
}
