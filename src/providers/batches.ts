import { createHash } from 'node:crypto';
import type * as v from 'valibot';
import { ModelError } from '../errors.ts';
import { parseJson, type Json } from '../json.ts';
import type { Instant } from '../core/records/times.ts';
import type { BatchResult } from '../core/model/batch-api.ts';
import { faultOf, namedCategory, parseJson as parsed, readText, readWhole } from './answer.ts';
import { open, redact, statusError, textOf, toHeaders, type ApiAccess, type HttpApi } from './http.ts';

/** What the APIs for batches have in common. */

/** Tells one account from another by a digest of its address and key, of which neither can be read off. */
export function accountOf({ baseUrl, apiKey }: ApiAccess): string {
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, apiKey]))
    .digest('hex')
    .slice(0, 16);
}

/** Requests of the API without any of the parameters of answers: they cost nothing. */
export type BatchCalls = Omit<HttpApi, 'path' | 'spentOn'>;

const NOTHING_SPENT = () => 'unknown' as const;

/** @throws {ModelError} as `postJson` does */
export async function call<const Schema extends v.GenericSchema>(
  api: BatchCalls,
  { path, method, body }: { path: string; method?: 'GET'; body?: string | FormData },
  schema: Schema,
  signal: AbortSignal,
): Promise<v.InferOutput<Schema>> {
  const asked: HttpApi = { ...api, path, spentOn: NOTHING_SPENT, ...(method && { method }) };
  const headers = toHeaders(asked);
  // The boundary of its parts is added by `fetch`.
  if (body instanceof FormData) headers.delete('content-type');
  const response = await open(asked, headers, body, signal);
  return readWhole(asked, response, schema, signal);
}

/** Clocks differ, and so do those who create a batch and those who write down when. */
const CLOCKS_MS = 5_000;

/** Of a hundred batches each: an account makes no more in some minutes. */
const MOST_PAGES = 50;

/**
 * The batches of an account that were created since a moment, the newest first, page by page.
 * @param page those behind the one with an id
 * @param createdAt milliseconds since 1970
 */
export async function batchesSince<Batch extends { id: string }>(
  since: Instant,
  page: (after: string | undefined) => Promise<{ data: Batch[]; has_more?: boolean | undefined }>,
  createdAt: (batch: Batch) => number,
): Promise<Batch[]> {
  const found: Batch[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { data, has_more = false } = await page(after);
    const recent = data.filter((batch) => createdAt(batch) >= since - CLOCKS_MS);
    found.push(...recent);
    after = has_more && recent.length === data.length ? data.at(-1)?.id : undefined;
    if (after === undefined) break;
  }
  return found;
}

/** Cancels a batch that may have been over a moment before, which the API then refuses. */
export async function cancelled(cancelling: Promise<unknown>): Promise<void> {
  try {
    await cancelling;
  } catch (thrown) {
    const isOver = thrown instanceof ModelError && [400, 409].includes(thrown.details.status ?? 0);
    if (!isOver) throw thrown;
  }
}

/** The most megabytes of all results of a batch: a thousand answers of models. */
const MOST_MEGABYTES = 1_024;

/**
 * Results as the API has them, a line of JSON each.
 * @throws {ModelError} for a fault of the API or of the connection
 */
export async function* linesOf(
  api: BatchCalls,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Json, void> {
  const asked: HttpApi = { ...api, path, method: 'GET', spentOn: NOTHING_SPENT };
  const response = await open(asked, toHeaders(asked), undefined, signal);
  if (!response.ok) {
    const said = faultOf(parsed(await readText(asked, response, signal)).value)?.message ?? '';
    throw statusError(asked, response, said);
  }
  let rest = '';
  for await (const more of textOf(asked, response, { signal, megabytes: MOST_MEGABYTES })) {
    const lines = (rest + more).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield lineOf(asked, line);
  }
  if (rest.trim() !== '') yield lineOf(asked, rest);
}

function lineOf(api: Pick<ApiAccess, 'apiKey'>, line: string): Json {
  try {
    return parseJson(line);
  } catch {
    throw new ModelError('server', redact(api, `failed to parse a result: ${line.slice(0, 100)}`));
  }
}

/** The error that an API reports for one request. */
export function failed(error: unknown): BatchResult {
  const fault = faultOf({ error }) ?? faultOf(error);
  const message = fault?.message || 'the request failed in its batch';
  return { failed: { category: namedCategory(fault?.name ?? ''), message } };
}
