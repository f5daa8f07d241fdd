import * as v from 'valibot';
import type { Embeddings } from '../../core/memory/embeddings.ts';
import { postJson } from '../answer.ts';
import { embedInParts } from '../embed-in-parts.ts';
import type { ApiAccess, HttpApi } from '../http.ts';
import { tokenCount } from '../wire-parts.ts';

const TEXTS = 32;

/** https://docs.ollama.com/api/embed */
const answer = v.object({ embeddings: v.array(v.array(v.number())), prompt_eval_count: tokenCount });

/** Embeddings behind Ollama's own API, which wants no key. */
export function createOllamaEmbeddings(model: string, access: Omit<ApiAccess, 'apiKey'>): Embeddings {
  const api: HttpApi = {
    ...access,
    apiKey: '',
    path: '/api/embed',
    headers: {},
    spentOn: () => 'unknown',
    refused: `connection refused: is Ollama running? (expected at ${access.baseUrl})`,
  };
  return embedInParts(TEXTS, async (input, _, signal) => {
    const { embeddings, prompt_eval_count } = await postJson(api, { model, input }, answer, signal);
    return { vectors: embeddings, tokens: prompt_eval_count };
  });
}
