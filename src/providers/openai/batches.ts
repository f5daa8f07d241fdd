import * as v from 'valibot';
import type { Json } from '../../json.ts';
import type { TokenUsage } from '../../token-usage.ts';
import type { BatchApi, BatchResult } from '../../core/model/batch-api.ts';
import { parseAnswer, toJson } from '../answer.ts';
import { withFiles } from '../attachments.ts';
import { accountOf, batchesSince, call, cancelled, failed, linesOf, type BatchCalls } from '../batches.ts';
import type { ApiAccess } from '../http.ts';
import { fromResponse as fromChat, spentOn as spentOnChat } from './chat/from-response.ts';
import { toRequest as toChat } from './chat/to-request.ts';
import { chatResponse } from './chat/wire.ts';
import { toKeyHeader } from './key-header.ts';
import { apiFor } from './model-table.ts';
import { toPaths } from './paths.ts';
import { fromResponse as fromResponses, spentOn as spentOnResponses } from './responses/from-response.ts';
import { toRequest as toResponses } from './responses/to-request.ts';
import { responsesResponse } from './responses/wire.ts';

/** The endpoints as the API names them in a batch, wherever the server is. */
const ENDPOINTS = { chat: '/v1/chat/completions', responses: '/v1/responses' } as const;

/** The parts of a batch that are read: https://developers.openai.com/api/docs/api-reference/batch */
const openAIBatch = v.object({
  id: v.string(),
  /** Seconds. */
  created_at: v.number(),
  status: v.string(),
  output_file_id: v.nullish(v.string()),
  error_file_id: v.nullish(v.string()),
  metadata: v.nullish(v.record(v.string(), v.string())),
});

const batchList = v.object({ data: v.array(openAIBatch), has_more: v.optional(v.boolean()) });
const uploaded = v.object({ id: v.string() });

const resultLine = v.object({
  custom_id: v.string(),
  response: v.nullish(v.object({ status_code: v.number(), body: v.custom<Json>(() => true) })),
  error: v.nullish(v.unknown()),
});

const BATCHED = { service: 'batch' } as const;

function spentOn(endpoint: string, answered: unknown): TokenUsage | 'unknown' {
  const to = endpoint === ENDPOINTS.responses ? spentOnResponses : spentOnChat;
  const spent = to(BATCHED, answered);
  return spent === 'unknown' ? spent : { ...spent, ...BATCHED };
}

/** Those after which nothing more happens. */
const OVER = new Set(['completed', 'failed', 'expired', 'cancelled']);

/** OpenAI's Batch API: the requests are a file, and so are the results. */
export function createOpenAIBatches(access: ApiAccess): BatchApi {
  const { baseUrl, batches, files } = toPaths(access.baseUrl);
  const api: BatchCalls = { ...access, baseUrl, headers: toKeyHeader(access.apiKey, {}) };
  const path = (batch: string) => `${batches}/${encodeURIComponent(batch)}`;
  const look = (batch: string, signal: AbortSignal) =>
    call(api, { path: path(batch), method: 'GET' }, openAIBatch, signal);
  return {
    account: accountOf(access),
    async toBody(given) {
      const request = await withFiles(given);
      const to = apiFor(request);
      const body = to === 'responses' ? toResponses(request) : toChat(request, baseUrl);
      return { endpoint: ENDPOINTS[to], body: toJson(body) };
    },
    toAnswer(request, endpoint, answered) {
      const read = { ...api, spentOn: () => spentOn(endpoint, answered) };
      return endpoint === ENDPOINTS.responses
        ? fromResponses(request, parseAnswer(read, responsesResponse, answered))
        : fromChat(request, parseAnswer(read, chatResponse, answered));
    },
    spentOn,
    async create({ name, endpoint, requests }, signal) {
      const lines = requests.map(
        ({ id, body }) =>
          `{"custom_id":${JSON.stringify(id)},"method":"POST","url":${JSON.stringify(endpoint)},"body":${body}}\n`,
      );
      const form = new FormData();
      form.append('purpose', 'batch');
      form.append('file', new Blob(lines, { type: 'application/jsonl' }), `${name}.jsonl`);
      const { id } = await call(api, { path: files, body: form }, uploaded, signal);
      const body = JSON.stringify({
        input_file_id: id,
        endpoint,
        completion_window: '24h',
        metadata: { bucket: name },
      });
      return (await call(api, { path: batches, body }, openAIBatch, signal)).id;
    },
    async find({ name, since }, signal) {
      const all = await batchesSince(
        since,
        (after) => {
          const behind = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
          return call(api, { path: `${batches}?limit=100${behind}`, method: 'GET' }, batchList, signal);
        },
        ({ created_at }) => 1000 * created_at,
      );
      return all.filter(({ metadata }) => metadata?.['bucket'] === name).map(({ id }) => id);
    },
    async isOver(batch, signal) {
      return OVER.has((await look(batch, signal)).status);
    },
    async *results(batch, signal) {
      const { output_file_id, error_file_id } = await look(batch, signal);
      for (const file of [output_file_id, error_file_id]) {
        if (!file) continue;
        for await (const line of linesOf(api, `${files}/${encodeURIComponent(file)}/content`, signal)) {
          const result = v.parse(resultLine, line);
          yield { id: result.custom_id, result: toResult(result) };
        }
      }
    },
    async cancel(batch, signal) {
      await cancelled(call(api, { path: `${path(batch)}/cancel` }, v.unknown(), signal));
    },
  };
}

/** A request that was not carried out in time, or was cancelled, has an error of its own, and no response. */
const UNDONE = v.object({ code: v.picklist(['batch_cancelled', 'batch_expired']) });

function toResult({ response, error }: v.InferOutput<typeof resultLine>): BatchResult {
  if (response?.status_code === 200) return { answered: response.body };
  if (response) return failed(v.parse(errorBody, response.body));
  return v.is(UNDONE, error) ? { expired: true } : failed(error);
}

const errorBody = v.pipe(
  v.unknown(),
  v.transform((body) => (v.is(v.object({ error: v.unknown() }), body) ? body.error : body)),
);
