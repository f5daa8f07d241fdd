import { withFiles } from '../attachments.ts';
import type { ApiAccess, HttpApi } from '../http.ts';
import type { Model, ModelRequest } from '../../core/model/model.ts';
import { postForAnswer } from '../stream.ts';
import { sendInOrder, type RolesOfServer } from '../strict-roles.ts';
import { sendStructured } from '../structured-output.ts';
import { createAssembly as createChatAssembly } from './chat/assembly.ts';
import { fromResponse as fromChat, spentOn as spentOnChat } from './chat/from-response.ts';
import { sendWithThoughts } from './chat/missing-thoughts.ts';
import { toRequest as toChat } from './chat/to-request.ts';
import { chatResponse } from './chat/wire.ts';
import { apiFor, isReasoning } from './model-table.ts';
import { toKeyHeader } from './key-header.ts';
import { toPaths } from './paths.ts';
import { createAssembly as createResponsesAssembly } from './responses/assembly.ts';
import { fromResponse as fromResponses, spentOn as spentOnResponses } from './responses/from-response.ts';
import { toRequest as toResponses } from './responses/to-request.ts';
import { sendSealed } from './responses/sealed.ts';
import { responsesResponse } from './responses/wire.ts';

export const OPENAI_URL = 'https://api.openai.com';

/** The ways in which servers of the protocol differ from OpenAI's own. */
export interface Dialect {
  /** Whether models are asked through Chat Completions, regardless of their names: not every server has Responses. */
  isChat?: boolean;
  /** Whether it is Azure's, with paths and a header for the key of its own. */
  isAzure?: boolean;
  /** Of Azure's dated API; "" for v1. */
  apiVersion?: string;
  /** Whether it counts tokens of streams without being asked, and refuses to be asked. */
  countsUnasked?: boolean;
}

/**
 * Models behind OpenAI's Chat Completions and Responses APIs, or any server that speaks the protocol of one of them.
 */
export function createOpenAIModel(access: ApiAccess & RolesOfServer, dialect: Dialect = {}): Model {
  const paths = toPaths(access.baseUrl, dialect);
  const common: Omit<HttpApi, 'path' | 'spentOn'> & RolesOfServer = {
    ...access,
    baseUrl: paths.baseUrl,
    headers: toKeyHeader(access.apiKey, dialect),
  };
  const streamedChat = dialect.countsUnasked === true ? { ...CHAT, asking: { stream: true } } : CHAT;
  return {
    async send(given, signal, onDelta) {
      // Other servers refuse tools beside a schema, or hold calls to it, too.
      const hasMode = dialect.isChat !== true || given.tools.length === 0;
      return sendStructured(common.baseUrl, await withFiles(given), hasMode, async (asked) => {
        const request = dialect.isChat === true ? { api: 'chat' as const, ...asked } : asked;
        if (apiFor(request) === 'responses') {
          const spentOn = (answer: unknown) => spentOnResponses(request, answer);
          const responses = { ...common, path: paths.responses, spentOn };
          const post = (sent: ModelRequest) =>
            postForAnswer(responses, sent, toResponses(sent), RESPONSES, signal, onDelta);
          return fromResponses(request, await sendSealed(request, post));
        }
        const silenceMs = common.silenceMs ?? (isReasoning(request.model) ? THINKING_MS : undefined);
        const spentOn = (answer: unknown) => spentOnChat(request, answer);
        const chat = { ...common, path: paths.chat(request.model), spentOn, silenceMs };
        const answer = await sendInOrder(
          chat,
          (strictRoles) => toChat(request, chat.baseUrl, strictRoles),
          (body) =>
            sendWithThoughts(chat.baseUrl, body, (sent) =>
              postForAnswer(chat, request, sent, streamedChat, signal, onDelta),
            ),
        );
        return fromChat(request, answer);
      });
    },
  };
}

/** Chat Completions sends nothing while a model thinks; Responses does. */
const THINKING_MS = 600_000;

const CHAT = {
  // Without the second, no tokens are reported.
  asking: { stream: true, stream_options: { include_usage: true } },
  schema: chatResponse,
  createAssembly: createChatAssembly,
};

const RESPONSES = {
  asking: { stream: true },
  schema: responsesResponse,
  createAssembly: createResponsesAssembly,
};
