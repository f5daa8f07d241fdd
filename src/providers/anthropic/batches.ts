import * as v from 'valibot';
import { ModelError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import type { BatchApi, BatchResult } from '../../core/model/batch-api.ts';
import { fromAnswerTool, withAnswerTool } from '../answer-tool.ts';
import { parseAnswer, toJson } from '../answer.ts';
import { withFiles } from '../attachments.ts';
import { accountOf, batchesSince, call, cancelled, failed, linesOf, type BatchCalls } from '../batches.ts';
import { FORGETTING_BETA, takesSchema } from '../claude-thinking.ts';
import type { ApiAccess } from '../http.ts';
import type { ModelRequest } from '../../core/model/model.ts';
import { toAccess } from './access.ts';
import { fromResponse, spentOn } from './from-response.ts';
import { toRequest } from './to-request.ts';
import { anthropicResponse } from './wire.ts';

const PATH = '/v1/messages/batches';
const ENDPOINT = '/v1/messages';

/** The parts of a batch that are read: https://platform.claude.com/docs/en/api/messages/batches */
const messageBatch = v.object({
  id: v.string(),
  created_at: v.string(),
  processing_status: v.string(),
  request_counts: v.record(v.string(), v.number()),
});

const batchList = v.object({ data: v.array(messageBatch), has_more: v.optional(v.boolean()) });

const resultLine = v.object({
  custom_id: v.string(),
  result: v.looseObject({ type: v.string() }),
});

/** Anthropic's Message Batches. */
export function createAnthropicBatches(access: ApiAccess): BatchApi {
  const api: BatchCalls = toAccess(access);
  // A batch has the headers of all its requests, and those without such thoughts take no notice.
  const creating = { ...api, headers: { ...api.headers, 'anthropic-beta': FORGETTING_BETA } };
  const path = (batch: string) => `${PATH}/${encodeURIComponent(batch)}`;
  return {
    account: accountOf(access),
    async toBody(given) {
      const request = await withFiles(given);
      return { endpoint: ENDPOINT, body: toJson(toRequest(asSent(request))) };
    },
    toAnswer(request, _, answered) {
      const response = parseAnswer({ ...api, spentOn: spent }, anthropicResponse, answered);
      // No batch goes on with it: the model is asked alone.
      if (response.stop_reason === 'pause_turn')
        throw new ModelError('bad_request', 'the answer paused in its batch', { spent: spent(answered) });
      const answer = fromResponse(asSent(request), response);
      return isByTool(request) ? fromAnswerTool(answer) : answer;
    },
    spentOn: (_, answered) => spent(answered),
    async create({ requests }, signal) {
      const parts = requests.map(({ id, body }) => `{"custom_id":${JSON.stringify(id)},"params":${body}}`);
      const body = `{"requests":[${parts.join(',')}]}`;
      const isForgetting = requests.some((one) => one.body.includes('"block_binding"'));
      return (await call(isForgetting ? creating : api, { path: PATH, body }, messageBatch, signal)).id;
    },
    async find({ requests, since }, signal) {
      const all = await batchesSince(
        since,
        (after) => {
          const behind = after === undefined ? '' : `&after_id=${encodeURIComponent(after)}`;
          return call(api, { path: `${PATH}?limit=100${behind}`, method: 'GET' }, batchList, signal);
        },
        ({ created_at }) => Date.parse(created_at),
      );
      const sizeOf = ({ request_counts }: (typeof all)[number]) =>
        Object.values(request_counts).reduce((sum, count) => sum + count, 0);
      return all.filter((batch) => sizeOf(batch) === requests).map(({ id }) => id);
    },
    async isOver(batch, signal) {
      const { processing_status } = await call(
        api,
        { path: path(batch), method: 'GET' },
        messageBatch,
        signal,
      );
      return processing_status === 'ended';
    },
    async *results(batch, signal) {
      for await (const line of linesOf(api, `${path(batch)}/results`, signal)) {
        const { custom_id, result } = v.parse(resultLine, line);
        yield { id: custom_id, result: toResult(result) };
      }
    },
    async cancel(batch, signal) {
      await cancelled(call(api, { path: `${path(batch)}/cancel` }, v.unknown(), signal));
    },
  };
}

function spent(answered: unknown) {
  const usage = spentOn(answered);
  return usage === 'unknown' ? usage : { ...usage, service: 'batch' as const };
}

/** A schema goes by a tool where the model has no mode for it: what is refused for it is asked alone. */
function isByTool({ model, outputSchema }: ModelRequest): boolean {
  return outputSchema !== undefined && !takesSchema(model, outputSchema);
}

function asSent(request: ModelRequest): ModelRequest {
  return isByTool(request) ? withAnswerTool(request) : request;
}

function toResult(result: { type: string; [key: string]: unknown }): BatchResult {
  if (result.type === 'succeeded') return { answered: v.parse(answered, result).message };
  return result.type === 'errored' ? failed(v.parse(errored, result).error) : { expired: true };
}

const answered = v.object({ message: v.custom<Json>((message) => message !== undefined) });
/** `{ type: 'error', error: { type, message } }`. */
const errored = v.object({
  error: v.pipe(
    v.unknown(),
    v.transform((error) => v.parse(v.fallback(v.object({ error: v.unknown() }), { error }), error).error),
  ),
});
