import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { ModelError } from '../../errors.ts';
import { withFiles } from '../attachments.ts';
import { withAnswerTool } from '../answer-tool.ts';
import { takesSchema } from '../claude-thinking.ts';
import type { Model, ModelRequest, OnDelta } from '../../core/model/model.ts';
import { watchServer } from '../silence.ts';
import { sendStructured } from '../structured-output.ts';
import { createAssembly } from './assembly.ts';
import { openClient, type BedrockAccess } from './client.ts';
import { fromResponse, fromText } from './from-response.ts';
import { WholeAnswer } from './request-handler.ts';
import { fromSdkError } from './sdk-error.ts';
import { toCountRequest, toRequest } from './to-request.ts';

/**
 * Models behind Bedrock's Converse API. Region and credentials are found where the AWS SDK looks for them, and the
 * first request loads the SDK itself, so that programs which use other providers do not wait for it.
 */
export function createBedrockModel(access: BedrockAccess): Model {
  let client: BedrockRuntimeClient | undefined;
  const load = async () => {
    const sdk = await import('@aws-sdk/client-bedrock-runtime');
    client ??= await openClient(access);
    return { sdk, client };
  };

  async function converse(request: ModelRequest, signal: AbortSignal): Promise<never> {
    const { sdk, client } = await load();
    await client.send(new sdk.ConverseCommand(toRequest(request)), { abortSignal: signal });
    throw new Error('the request handler passes whole answers on itself');
  }

  async function converseStream(request: ModelRequest, outer: AbortSignal, onDelta: OnDelta | undefined) {
    const { sdk, client } = await load();
    const { baseUrl = 'Bedrock' } = access;
    const watch = watchServer(baseUrl, access, outer, () => 'unknown');
    try {
      const command = new sdk.ConverseStreamCommand(toRequest(request));
      const { stream = [] } = await client.send(command, { abortSignal: watch.signal });
      const assembly = createAssembly(onDelta);
      for await (const event of stream) {
        assembly.add(event);
        watch.alive();
      }
      if (assembly.isWhole()) return fromResponse(request, assembly.answer());
      throw new ModelError('server', `stream from ${baseUrl} ended in mid-answer`, { spent: 'unknown' });
    } catch (thrown) {
      throw fromSdkError(thrown, watch.signal);
    } finally {
      watch.end();
    }
  }

  return {
    async send(given, signal, onDelta) {
      signal.throwIfAborted();
      // Some other models have a mode, too; which ones they are differs from Region to Region.
      const hasMode = takesSchema(given.model, given.outputSchema);
      return sendStructured(access.baseUrl ?? '', await withFiles(given), hasMode, async (request) => {
        try {
          return request.stream === false
            ? await converse(request, signal)
            : await converseStream(request, signal, onDelta);
        } catch (thrown) {
          if (thrown instanceof WholeAnswer) return fromText(request, thrown.text);
          throw fromSdkError(thrown, signal);
        }
      });
    },
    async countTokens(given, signal) {
      signal.throwIfAborted();
      const request = await withFiles(given);
      const { sdk, client } = await load();
      const command = new sdk.CountTokensCommand(toCountRequest(withAnswerTool(request)));
      const { inputTokens } = await client.send(command, { abortSignal: signal }).catch((thrown: unknown) => {
        throw fromSdkError(thrown, signal);
      });
      if (inputTokens === undefined) throw new ModelError('server', 'response contains no count');
      return inputTokens;
    },
  };
}
