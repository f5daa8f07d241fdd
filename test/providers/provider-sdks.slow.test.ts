import Anthropic from '@anthropic-ai/sdk';
import { readFileSync } from 'node:fs';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { ModelResponse } from '../../src/core/records/message.ts';
import { responsesOf } from '../fixtures/provider-responses.ts';

/** What an SDK reads in a response. Bedrock's is not among them: Cadre reads its streams by it. */
type Read = Pick<ModelResponse, 'text'> & { calls: { name: string; arguments: unknown }[] };
type Reader = (fetch: () => Promise<Response>, isStream: boolean) => Promise<Read>;

const common = { apiKey: 'a-key', maxRetries: 0 };
const messages = [{ role: 'user' as const, content: 'Begin.' }];
const parsed = (json: string): unknown => JSON.parse(json || '{}');

const anthropic: Reader = async (fetch, isStream) => {
  const client = new Anthropic({ ...common, fetch }).messages;
  const request = { model: 'claude-sonnet-4-5', max_tokens: 9, messages };
  const { content } = isStream ? await client.stream(request).finalMessage() : await client.create(request);
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
    ),
  };
};

const openaiChat: Reader = async (fetch, isStream) => {
  const { completions } = new OpenAI({ ...common, fetch }).chat;
  const request = { model: 'gpt-4o', messages };
  const { choices } = isStream
    ? await completions.stream(request).finalChatCompletion()
    : await completions.create(request);
  return {
    text: choices.map(({ message }) => message.content || message.refusal || '').join(''),
    calls: choices
      .flatMap(({ message }) => message.tool_calls ?? [])
      .flatMap((call) => ('function' in call ? [call.function] : []))
      .map(({ name, arguments: json }) => ({ name, arguments: parsed(json) })),
  };
};

const openaiResponses: Reader = async (fetch, isStream) => {
  const { responses } = new OpenAI({ ...common, fetch });
  const request = { model: 'gpt-5', input: 'Begin.' };
  const { output } = isStream
    ? await responses.stream(request).finalResponse()
    : await responses.create(request);
  const texts = output
    .flatMap((item) => (item.type === 'message' ? [item.content] : []))
    .map((parts) => parts.map((part) => ('text' in part ? part.text : part.refusal)).join(''));
  return {
    text: texts.filter(Boolean).join('\n\n'),
    calls: output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, arguments: parsed(item.arguments) }] : [],
    ),
  };
};

const ollama: Reader = async (fetch, isStream) => {
  const client = new Ollama({ fetch });
  const request = { model: 'qwen3', messages };
  const parts = [];
  if (isStream) for await (const part of await client.chat({ ...request, stream: true })) parts.push(part);
  else parts.push(await client.chat(request));
  return {
    text: parts.map(({ message }) => message.content).join(''),
    calls: parts.flatMap(({ message }) => message.tool_calls ?? []).map((call) => call.function),
  };
};

/**
 * Arguments that are none or were cut, answers without the list of their parts, ways of other servers, commentary ahead
 * of an answer, ones that go on after a pause, and what an SDK has to be taught first.
 */
const READ_OTHERWISE =
  /(in-a-tool|paused-in-a-server-tool|are-no-objects|broken-arguments|as-text|null-for-arguments|in-parts-.*mistral|empty-of-a-list|empty-of-content|empty-without-output|empty-of-a-message|plain-in-two-messages|gemini-without-numbers|one-number-.*|as-an-object-.*|without-items|openai-responses.*events-to-come)$/;

describe.each([
  ['anthropic', anthropic],
  ['openai chat', openaiChat],
  ['openai responses', openaiResponses],
  ['ollama', ollama],
])('the SDK of %s', (wire, read) => {
  const answered = responsesOf(wire)
    .map((response) => ({ ...response, expected: expectedOf(response.outcome) }))
    .filter(({ outcome, expected }) => expected !== undefined && !READ_OTHERWISE.test(outcome.slice(0, -5)));

  test.each(answered)('reads in $name what Cadre reads', async ({ body, headers, isStream, expected }) => {
    const respond = () => Promise.resolve(new Response(body.slice(), { headers }));
    expect(await read(respond, isStream)).toMatchObject({ ...expected });
  });
});

function expectedOf(outcome: string): Read | undefined {
  const { answer }: { answer?: ModelResponse } = JSON.parse(readFileSync(outcome, 'utf8'));
  if (answer === undefined) return undefined;
  const calls = answer.calls.map(({ name, arguments: given }) => ({ name, arguments: given }));
  return { text: answer.text, calls };
}
