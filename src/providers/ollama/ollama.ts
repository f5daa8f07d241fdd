import type { ApiAccess, HttpApi } from '../http.ts';
import type { Model } from '../../core/model/model.ts';
import { postForAnswer } from '../stream.ts';
import { createAssembly } from './assembly.ts';
import { fromResponse, spentOn } from './from-response.ts';
import { sendInOrder, type RolesOfServer } from '../strict-roles.ts';
import { sendStructured } from '../structured-output.ts';
import { toRequest } from './to-request.ts';
import { ollamaResponse } from './wire.ts';

export const OLLAMA_URL = 'http://localhost:11434';

const STREAMING = { asking: { stream: true }, schema: ollamaResponse, createAssembly };

/** Models behind Ollama's own chat API, which wants no key. */
export function createOllamaModel(access: Omit<ApiAccess, 'apiKey'> & RolesOfServer): Model {
  const api: HttpApi = {
    ...access,
    apiKey: '',
    path: '/api/chat',
    headers: {},
    spentOn,
    refused: `connection refused: is Ollama running? (expected at ${access.baseUrl})`,
  };
  return {
    async send(given, signal, onDelta) {
      // A format holds the whole answer to it, and leaves no room for calls.
      return sendStructured(access.baseUrl, given, given.tools.length === 0, async (request) => {
        const answer = await sendInOrder(
          access,
          (strictRoles) => toRequest(request, strictRoles),
          (body) => postForAnswer(api, request, body, STREAMING, signal, onDelta),
        );
        return fromResponse(request, answer);
      });
    },
  };
}
