import { postJson, type ApiAccess, type HttpApi } from '../http.ts';
import type { Model } from '../model.ts';
import { fromResponse } from './from-response.ts';
import { toRequest } from './to-request.ts';
import { openaiResponse } from './wire.ts';

export const OPENAI_URL = 'https://api.openai.com';

/** Models behind OpenAI's Chat Completions API, or any server that speaks its protocol. */
export function createOpenAIModel(access: ApiAccess): Model {
  const api: HttpApi = {
    ...access,
    // Most servers of this protocol give their base URL with the version in it.
    baseUrl: access.baseUrl.replace(/\/v1\/*$/, ''),
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${access.apiKey}` },
    categories: { 400: 'bad_request', 401: 'auth', 403: 'auth', 404: 'bad_request', 429: 'rate_limit' },
  };
  return {
    async send(request, signal) {
      return fromResponse(await postJson(api, toRequest(request, api.baseUrl), openaiResponse, signal));
    },
  };
}
