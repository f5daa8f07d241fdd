import * as v from 'valibot';
import type { ReasoningEffort, ToolParameters } from '../../../core/records/message.ts';
import { listOf, tokenCount } from '../../wire-parts.ts';
import { servedAs, type Tier } from '../service-tier.ts';
import type { OutputFormat } from '../output-format.ts';

/** The part of OpenAI's Responses API that is used: https://platform.openai.com/docs/api-reference/responses */

export interface ResponsesRequest {
  model: string;
  /** Nothing is to stay with OpenAI: the conversation is kept here, and comes whole every time. */
  store: false;
  instructions?: string;
  input: ResponsesItem[];
  tools?: ResponsesTool[];
  text?: { format: { type: 'json_schema' } & OutputFormat };
  temperature?: number;
  max_output_tokens?: number;
  /** Of tools that the API has itself; what the model asks for beyond that is ignored. */
  max_tool_calls?: number;
  reasoning?: { effort: ReasoningEffort };
  service_tier?: Tier;
  /** The model's thoughts, in a form that only OpenAI can read, so that the model can continue from there. */
  include?: ['reasoning.encrypted_content'];
}

export type ResponsesItem =
  | { type: 'message'; role: 'user'; content: string | ResponsesPart[] }
  | { type: 'message'; role: 'assistant'; content: string; phase?: 'commentary' | 'final_answer' }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | ResponsesPart[] }
  | KeptItem;

export type ResponsesPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string };

export type ResponsesTool =
  | {
      type: 'function';
      name: string;
      description: string;
      parameters: ToolParameters;
      /** True where it is left out, and then every parameter would have to be required. */
      strict: false;
    }
  /** https://developers.openai.com/api/docs/guides/tools-web-search */
  | { type: 'web_search' };

/** Of a message: a word on the next step, beside calls or ahead of the answer. */
export const COMMENTARY = 'commentary' as const;

/** Of a page that is cited; whatever else there is has no address to show. */
const annotation = v.object({ url: v.fallback(v.string(), ''), title: v.fallback(v.string(), '') });

const message = v.object({
  type: v.literal('message'),
  phase: v.nullish(v.string(), ''),
  content: listOf(
    v.union([
      v.object({ type: v.literal('output_text'), text: v.string(), annotations: listOf(annotation) }),
      v.object({ type: v.literal('refusal'), refusal: v.string() }),
      v.object({ type: v.pipe(v.string(), v.notValues(['output_text', 'refusal'])) }),
    ]),
  ),
});

const functionCall = v.object({
  type: v.literal('function_call'),
  call_id: v.string(),
  name: v.string(),
  arguments: v.optional(v.unknown()),
});

/** A look at the web by the API itself: a search, or a page that it opens. */
export const SEARCH_CALL = 'web_search_call';

const searchCall = v.object({
  type: v.literal(SEARCH_CALL),
  action: v.nullish(v.object({ type: v.nullish(v.string()) })),
});

/** Reasoning, calls of tools that were never offered, and any item that may be added later. */
const otherItem = v.object({
  type: v.pipe(v.string(), v.notValues(['message', 'function_call', SEARCH_CALL])),
});

/** An item of an answer, whole: to be sent back as it came. */
const keptItem = v.looseObject({ type: v.string() });
export type KeptItem = v.InferOutput<typeof keptItem>;
export const keptItems = v.array(keptItem);

const usage = v.optional(
  v.fallback(
    v.object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      input_tokens_details: v.optional(
        v.fallback(
          v.object({
            cached_tokens: tokenCount,
            cache_write_tokens: tokenCount,
          }),
          {},
        ),
        {},
      ),
    }),
    { input_tokens_details: {} },
  ),
  {},
);

/** The parts that are read of an answer that cannot be used. */
export const responsesCounts = v.object({ service_tier: servedAs, usage });

export const responsesResponse = v.pipe(
  v.looseObject({ output: v.optional(v.unknown()) }),
  v.transform((body) => ({ ...body, kept: body.output })),
  v.object({
    status: v.nullish(v.string(), ''),
    incomplete_details: v.nullish(v.object({ reason: v.nullish(v.string(), '') }), {}),
    output: listOf(v.union([message, functionCall, searchCall, otherItem])),
    service_tier: servedAs,
    /** The same items again. */
    kept: listOf(keptItem),
    usage,
  }),
);

export type ResponsesResponse = v.InferOutput<typeof responsesResponse>;
