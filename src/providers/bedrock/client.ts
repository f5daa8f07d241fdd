import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { ApiAccess } from '../http.ts';
import { createRequestHandler } from './request-handler.ts';
import { defined } from '../../defined.ts';

/** How to reach Bedrock; keys are not part of it, since IAM stands for them. */
export interface BedrockAccess extends Pick<ApiAccess, 'fetch' | 'silenceMs'> {
  /** Undefined for the usual place, which follows from the Region. */
  baseUrl: string | undefined;
}

/** Region and credentials are found where the AWS SDK looks for them. */
export async function openClient({ baseUrl, fetch }: BedrockAccess): Promise<BedrockRuntimeClient> {
  const { BedrockRuntimeClient } = await import('@aws-sdk/client-bedrock-runtime');
  // oxlint-disable-next-line cadre/limited-clients -- its handler sends requests as those to other providers are sent
  return new BedrockRuntimeClient({
    ...defined({ endpoint: baseUrl }),
    requestHandler: createRequestHandler(fetch),
    // Retries are the agent's own: `[retry]` in its file.
    maxAttempts: 1,
  });
}
