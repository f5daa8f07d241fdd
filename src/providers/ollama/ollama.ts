import { postJson } from '../answer.ts';
import { withFiles } from '../attachments.ts';
import type { ApiAccess, HttpApi } from '../http.ts';
import type { Model } from '../../core/model/model.ts';
import { postForAnswer } from '../stream.ts';
import { createAssembly } from './assembly.ts';
import { fromResponse, spentOn } from './from-response.ts';
import { sendInOrder, type RolesOfServer } from '../strict-roles.ts';
import { sendStructured } from '../structured-output.ts';
import { toRequest } from './to-request.ts';
import { ollamaResponse, ollamaShown } from './wire.ts';

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
  /** Models that this server has been asked about. */
  const asked = new Map<string, Promise<boolean>>();
  const sees = (model: string, signal: AbortSignal) => {
    const showing = { ...api, path: '/api/show' };
    const asking =
      asked.get(model) ?? postJson(showing, { model }, ollamaShown, signal).then(hasVision, isUnknown);
    asked.set(model, asking);
    return asking;
  };
  return {
    async send(given, signal, onDelta) {
      // A format holds the whole answer to it, and leaves no room for calls.
      const shown = await withFiles(given, () => sees(given.model, signal));
      return sendStructured(access.baseUrl, shown, given.tools.length === 0, async (request) => {
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

function hasVision({ capabilities }: { capabilities: string[] }): boolean {
  return capabilities.includes('vision');
}

/** The request for the answer says what is wrong. */
function isUnknown(): boolean {
  return false;
}
