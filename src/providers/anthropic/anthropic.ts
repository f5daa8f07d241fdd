import { postJson } from '../answer.ts';
import { withFiles } from '../attachments.ts';
import { withAnswerTool } from '../answer-tool.ts';
import { FORGETTING_BETA, takesSchema } from '../claude-thinking.ts';
import type { ApiAccess, HttpApi } from '../http.ts';
import type { Model, OnDelta } from '../../core/model/model.ts';
import { postForAnswer } from '../stream.ts';
import { sendStructured } from '../structured-output.ts';
import { toAccess } from './access.ts';
import { createAssembly } from './assembly.ts';
import { createParagraphs } from './paragraphs.ts';
import { postUntilEnded } from './paused.ts';
import { fromResponse, spentOn } from './from-response.ts';
import { toCountRequest, toRequest } from './to-request.ts';
import { anthropicCount, anthropicResponse, type AnthropicRequest } from './wire.ts';

export const ANTHROPIC_URL = 'https://api.anthropic.com';

const STREAMING = { asking: { stream: true }, schema: anthropicResponse };

/** Models behind Anthropic's Messages API. */
export function createAnthropicModel(access: ApiAccess): Model {
  const messages: HttpApi = { ...toAccess(access), path: '/v1/messages', spentOn };
  const counting = { ...messages, path: '/v1/messages/count_tokens' };
  return {
    async send(given, signal, onDelta) {
      const hasMode = takesSchema(given.model, given.outputSchema);
      return sendStructured(access.baseUrl, await withFiles(given), hasMode, async (request) => {
        const body = toRequest(request);
        const api = forBody(messages, body);
        // All parts of an answer are one text.
        const paragraphs = createParagraphs();
        const streaming = {
          ...STREAMING,
          createAssembly: (told?: OnDelta) => createAssembly(told, paragraphs),
        };
        const post = (sent: AnthropicRequest) =>
          postForAnswer(api, request, sent, streaming, signal, onDelta);
        return fromResponse(request, await postUntilEnded(body, post));
      });
    },
    async countTokens(given, signal) {
      const request = await withFiles(given);
      // A schema comes to about as much as a tool, for which there is a place here.
      const body = toCountRequest(withAnswerTool(request));
      const counted = await postJson(forBody(counting, body), body, anthropicCount, signal);
      return counted.input_tokens;
    },
    // Few agents wait for them.
    batches: async () => (await import('./batches.ts')).createAnthropicBatches(access),
  };
}

/** The API with the headers that a body calls for. */
function forBody(api: HttpApi, { thinking }: Pick<AnthropicRequest, 'thinking'>): HttpApi {
  if (thinking?.type !== 'adaptive' || thinking.block_binding === undefined) return api;
  return { ...api, headers: { ...api.headers, 'anthropic-beta': FORGETTING_BETA } };
}
