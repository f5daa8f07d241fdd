import type { ApiAccess, HttpApi } from '../http.ts';
import type { Model } from '../model.ts';
import { postForAnswer } from '../stream.ts';
import { createAssembly as createChatAssembly } from './chat/assembly.ts';
import { fromResponse as fromChat, spentOn as spentOnChat } from './chat/from-response.ts';
import { toRequest as toChat } from './chat/to-request.ts';
import { chatResponse } from './chat/wire.ts';
import { sendInOrder, type RolesOfServer } from '../strict-roles.ts';
import { apiFor } from './model-table.ts';
import { createAssembly as createResponsesAssembly } from './responses/assembly.ts';
import { fromResponse as fromResponses, spentOn as spentOnResponses } from './responses/from-response.ts';
import { toRequest as toResponses } from './responses/to-request.ts';
import { responsesResponse } from './responses/wire.ts';

export const OPENAI_URL = 'https://api.openai.com';

const CHAT = {
  // Without the second, no tokens are told.
  asking: { stream: true, stream_options: { include_usage: true } },
  schema: chatResponse,
  createAssembly: createChatAssembly,
};

const RESPONSES = {
  asking: { stream: true },
  schema: responsesResponse,
  createAssembly: createResponsesAssembly,
};

/** Models behind OpenAI's Chat Completions and Responses APIs, or any server that speaks the protocol of one of them. */
export function createOpenAIModel(access: ApiAccess & RolesOfServer): Model {
  const common: Omit<HttpApi, 'path' | 'spentOn'> & RolesOfServer = {
    ...access,
    // Most servers of this protocol give their base URL with the version in it.
    baseUrl: access.baseUrl.replace(/\/v1\/*$/, ''),
    headers: { authorization: `Bearer ${access.apiKey}` },
    categories: {
      400: 'bad_request',
      401: 'auth',
      403: 'auth',
      404: 'bad_request',
      413: 'bad_request',
      429: 'rate_limit',
    },
  };
  const chat = { ...common, path: '/v1/chat/completions', spentOn: spentOnChat };
  const responses = { ...common, path: '/v1/responses', spentOn: spentOnResponses };
  return {
    async send(request, signal, onDelta) {
      if (apiFor(request) === 'responses') {
        return fromResponses(
          request,
          await postForAnswer(responses, request, toResponses(request), RESPONSES, signal, onDelta),
        );
      }
      const answer = await sendInOrder(
        chat,
        (strictRoles) => toChat(request, chat.baseUrl, strictRoles),
        (body) => postForAnswer(chat, request, body, CHAT, signal, onDelta),
      );
      return fromChat(request, answer);
    },
  };
}
