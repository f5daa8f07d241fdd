import { postJson, type ApiAccess, type HttpApi } from '../http.ts';
import type { Model } from '../model.ts';
import { fromResponse, spentOn } from './from-response.ts';
import { toCountRequest, toRequest } from './to-request.ts';
import { anthropicCount, anthropicResponse } from './wire.ts';

export const ANTHROPIC_URL = 'https://api.anthropic.com';

/** Models behind Anthropic's Messages API. */
export function createAnthropicModel(access: ApiAccess): Model {
  const api: HttpApi = {
    ...access,
    path: '/v1/messages',
    headers: { 'x-api-key': access.apiKey, 'anthropic-version': '2023-06-01' },
    categories: {
      400: 'bad_request',
      401: 'auth',
      403: 'auth',
      404: 'bad_request',
      413: 'bad_request',
      429: 'rate_limit',
      529: 'overloaded',
    },
    spentOn,
  };
  const counting = { ...api, path: '/v1/messages/count_tokens' };
  return {
    async send(request, signal) {
      return fromResponse(request, await postJson(api, toRequest(request), anthropicResponse, signal));
    },
    async countTokens(request, signal) {
      const counted = await postJson(counting, toCountRequest(request), anthropicCount, signal);
      return counted.input_tokens;
    },
  };
}
