import type { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import * as v from 'valibot';
import type { Embeddings } from '../../core/memory/embeddings.ts';
import { defined } from '../../defined.ts';
import { embedInParts } from '../embed-in-parts.ts';
import { tokenCount } from '../wire-parts.ts';
import type { BedrockAccess } from './client.ts';
import { createRequestHandler } from './request-handler.ts';
import { fromSdkError } from './sdk-error.ts';

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html */
const titan = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ embedding: v.array(v.number()), inputTextTokenCount: tokenCount }),
);

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html, versions 3 and 4 */
const cohere = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    embeddings: v.union([
      v.array(v.array(v.number())),
      v.pipe(
        v.object({ float: v.array(v.array(v.number())) }),
        v.transform(({ float }) => float),
      ),
    ]),
  }),
);

/** The most texts that Cohere's models take in a request. */
const COHERE_TEXTS = 96;
const COHERE_CHARACTERS = 2_048;
/** Titan takes one at a time; so many requests are under way together. */
const TITAN_TEXTS = 8;
const TITAN_DIMENSIONS = 1_024;

/** Embeddings of Amazon's and Cohere's models on Bedrock. */
export function createBedrockEmbeddings(model: string, { baseUrl, fetch }: BedrockAccess): Embeddings {
  let client: BedrockRuntimeClient | undefined;

  async function invoke<const Schema extends v.GenericSchema>(
    body: object,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<v.InferOutput<Schema>> {
    const sdk = await import('@aws-sdk/client-bedrock-runtime');
    // oxlint-disable-next-line cadre/limited-clients -- its handler sends requests as those to other providers are sent
    client ??= new sdk.BedrockRuntimeClient({
      ...defined({ endpoint: baseUrl }),
      requestHandler: createRequestHandler(fetch),
    });
    const command = new sdk.InvokeModelCommand({
      modelId: model,
      contentType: 'application/json',
      accept: 'application/json',
      body: JSON.stringify(body),
    });
    try {
      const { body: said } = await client.send(command, { abortSignal: signal });
      return v.parse(schema, said.transformToString());
    } catch (thrown) {
      throw fromSdkError(thrown, signal);
    }
  }

  if (model.includes('cohere.')) {
    return embedInParts(COHERE_TEXTS, async (given, kind, signal) => {
      const texts = given.map((text) => text.slice(0, COHERE_CHARACTERS).toWellFormed());
      const input_type = kind === 'query' ? 'search_query' : 'search_document';
      const body = { texts, input_type, embedding_types: ['float'] };
      const { embeddings } = await invoke(body, cohere, signal);
      return { vectors: embeddings, tokens: undefined };
    });
  }
  return embedInParts(TITAN_TEXTS, async (texts, _, signal) => {
    const answers = await Promise.all(
      texts.map((inputText) =>
        invoke({ inputText, dimensions: TITAN_DIMENSIONS, normalize: true }, titan, signal),
      ),
    );
    const counts = answers.map(({ inputTextTokenCount = 0 }) => inputTextTokenCount);
    return {
      vectors: answers.map(({ embedding }) => embedding),
      tokens: counts.reduce((sum, count) => sum + count, 0),
    };
  });
}
