import * as v from 'valibot';
import type { Embeddings } from '../../core/memory/embeddings.ts';
import { postJson } from '../answer.ts';
import type { ApiAccess, HttpApi } from '../http.ts';
import { embedInParts } from '../embed-in-parts.ts';
import { tokenCount } from '../wire-parts.ts';
import type { Dialect } from './openai.ts';
import { toPaths } from './paths.ts';
import { toKeyHeader } from './key-header.ts';

/** The API takes 2,048 texts and 300,000 tokens in a request. */
const TEXTS = 32;
/** Fewer than its models can have, and as good for some thousands of texts. */
const DIMENSIONS = 1_024;

/** https://developers.openai.com/api/reference/resources/embeddings */
const answer = v.object({
  data: v.array(v.object({ index: v.number(), embedding: v.array(v.number()) })),
  usage: v.optional(v.object({ prompt_tokens: tokenCount }), {}),
});

/** Embeddings behind OpenAI's API, or any server that speaks its protocol. */
export function createOpenAIEmbeddings(model: string, access: ApiAccess, dialect: Dialect = {}): Embeddings {
  const paths = toPaths(access.baseUrl, dialect);
  const api: HttpApi = {
    ...access,
    baseUrl: paths.baseUrl,
    path: paths.embeddings(model),
    headers: toKeyHeader(access.apiKey, dialect),
    spentOn: () => 'unknown',
  };
  // Only these can be shortened.
  const shorter = model.startsWith('text-embedding-3-') ? { dimensions: DIMENSIONS } : {};
  return embedInParts(TEXTS, async (input, _, signal) => {
    const body = { model, input, encoding_format: 'float', ...shorter };
    const { data, usage } = await postJson(api, body, answer, signal);
    const inOrder = data.toSorted((one, other) => one.index - other.index);
    return { vectors: inOrder.map(({ embedding }) => embedding), tokens: usage.prompt_tokens };
  });
}
