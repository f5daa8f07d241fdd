import type { BedrockRuntimeClient, BedrockRuntimeClientConfig } from '@aws-sdk/client-bedrock-runtime';
import { ModelError } from '../../errors.ts';
import type { Endpoint } from '../http.ts';
import type { Model } from '../model.ts';
import { fromSdkError } from './sdk-error.ts';
import { fromResponse } from './from-response.ts';
import { createRequestHandler } from './request-handler.ts';
import { toCountRequest, toRequest } from './to-request.ts';

/** How to reach Bedrock; keys are not part of it, since IAM stands for them. */
export interface BedrockAccess extends Pick<Endpoint, 'fetch'> {
  /** Undefined for the usual place, which follows from the Region. */
  baseUrl: string | undefined;
}

/**
 * Models behind Bedrock's Converse API. Region and credentials are found where the AWS SDK looks for them, and the SDK
 * itself is loaded by the first request: nobody else has to wait for it.
 */
export function createBedrockModel(access: BedrockAccess): Model {
  let client: BedrockRuntimeClient | undefined;
  return {
    async send(request, signal) {
      signal.throwIfAborted();
      const { BedrockRuntimeClient, ConverseCommand } = await import('@aws-sdk/client-bedrock-runtime');
      client ??= new BedrockRuntimeClient(toConfig(access));
      try {
        return fromResponse(
          request,
          await client.send(new ConverseCommand(toRequest(request)), { abortSignal: signal }),
        );
      } catch (thrown) {
        throw fromSdkError(thrown, signal);
      }
    },
    async countTokens(request, signal) {
      signal.throwIfAborted();
      const { BedrockRuntimeClient, CountTokensCommand } = await import('@aws-sdk/client-bedrock-runtime');
      client ??= new BedrockRuntimeClient(toConfig(access));
      const command = new CountTokensCommand(toCountRequest(request));
      const { inputTokens } = await client.send(command, { abortSignal: signal }).catch((thrown: unknown) => {
        throw fromSdkError(thrown, signal);
      });
      if (inputTokens === undefined) throw new ModelError('server', 'response contains no count');
      return inputTokens;
    },
  };
}

function toConfig({ baseUrl, fetch }: BedrockAccess): BedrockRuntimeClientConfig {
  return {
    ...(baseUrl !== undefined && { endpoint: baseUrl }),
    requestHandler: createRequestHandler(fetch),
    // Retries are the agent's own: `[retry]` in its file.
    maxAttempts: 1,
  };
}
