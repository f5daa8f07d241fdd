import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import type { Message } from '../../src/core/records/message.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { callAgent, running } from './requests.ts';

/**
 * What a provider can read from its cache is a beginning of the prompt that it has seen before. A prompt here is the list
 * of its parts as JSON texts, in the order in which a provider puts them before its model: each tool, the system prompt,
 * then each block of each message with the role it has. Breakpoints are no part of it: neither `cache_control` fields
 * nor `cachePoint` blocks. A part with a breakpoint after it is the end of a beginning that is kept.
 */
interface Prompt {
  parts: string[];
  /** How many parts there are before each breakpoint. */
  breakpoints: number[];
}

const TURNS = 20;

/**
 * An agent with 25 KB of instructions and files that calls another one, or three, at every turn, and gets texts of about
 * 600 bytes for results, at every second turn with mail after them.
 */
function conversationAt(turn: number, model: string): ModelRequest {
  const messages: Message[] = [
    { role: 'user', text: 'Review the proposal in your files, chapter by chapter.' },
  ];
  for (let number = 1; number < turn; number++) {
    const calls = Array.from({ length: number % 4 === 0 ? 3 : 1 }, (_, index) => ({
      id: `call_${number}_${index}`,
      name: 'call_agent',
      arguments: { agent: 'ada', task: `Read chapter ${number}, part ${index}.` },
    }));
    messages.push({ role: 'assistant', text: `On to chapter ${number}.`, calls });
    const results = calls.map(({ id, name }) => ({
      callId: id,
      name,
      text: `Chapter ${number} says: ${'risk and cost '.repeat(40)}`,
      isError: number % 7 === 0,
    }));
    messages.push({ role: 'tool', results });
    if (number % 2 === 0) messages.push({ role: 'user', text: `You have mail: chapter ${number} is new.` });
  }
  const system = `You are a reviewer.\n${'A line of the proposal, with its numbers.\n'.repeat(600)}`;
  return { model, system, messages, tools: [callAgent], temperature: 0.2, maxTokens: 1000 };
}

beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDTEST');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret-of-the-test');
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK'])
    vi.stubEnv(name, undefined);
});
afterEach(() => void vi.unstubAllEnvs());

/** Sends every request of the conversation to a server on loopback and takes apart what arrives there. */
async function replay(model: string, answer: unknown, strictRoles = false): Promise<Prompt[]> {
  const server = await startModelServer(() => ({ body: answer }));
  try {
    const sources = {
      apiKey: () => 'key-of-test',
      baseUrl: () => server.url,
      settings: () => ({ strictRoles }),
      fetch,
      scripted: createOfflineModel,
    };
    const { model: opened, name } = await modelFor(model, sources);
    for (let turn = 1; turn <= TURNS; turn++) await opened.send(conversationAt(turn, name), running);
    return server.requests.map(({ body }) => toPrompt(body));
  } finally {
    await server.close();
  }
}

const part = v.record(v.string(), v.unknown());
const parts = v.optional(
  v.union([
    v.array(part),
    v.pipe(
      v.string(),
      v.transform((text): Record<string, unknown>[] => [{ text }]),
    ),
  ]),
  [],
);
const body = v.object({
  tools: parts,
  toolConfig: v.optional(v.object({ tools: parts }), { tools: [] }),
  system: parts,
  instructions: parts,
  messages: parts,
  input: parts,
});

function toPrompt(sent: unknown): Prompt {
  const { tools, toolConfig, system, instructions, messages, input } = v.parse(body, sent);
  const prompt: Prompt = { parts: [], breakpoints: [] };
  const add = ({ cache_control, cachePoint, ...block }: Record<string, unknown>, role?: unknown) => {
    if (cachePoint === undefined) prompt.parts.push(JSON.stringify({ role, ...block }));
    if (cachePoint !== undefined || cache_control !== undefined) prompt.breakpoints.push(prompt.parts.length);
  };
  for (const block of [...tools, ...toolConfig.tools, ...system, ...instructions]) add(block);
  for (const message of [...messages, ...input]) {
    const content = v.safeParse(v.array(part), message['content']);
    if (content.success) content.output.forEach((block) => add(block, message['role']));
    else add(message);
  }
  return prompt;
}

function bytes(some: readonly string[]): number {
  return some.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** The longest beginning that an earlier request ended with a breakpoint of its own: what is there to be read. */
function readFromCache(prompt: Prompt, earlier: readonly Prompt[]): number {
  const ends = prompt.breakpoints.filter((end) =>
    earlier.some(
      (other) =>
        other.breakpoints.includes(end) &&
        other.parts.slice(0, end).every((text, index) => text === prompt.parts[index]),
    ),
  );
  return bytes(prompt.parts.slice(0, Math.max(0, ...ends)));
}

describe('from the third turn of a conversation on, nine tenths of the prompt and more are the same as before', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5', { content: [{ type: 'text', text: 'Done.' }] }],
    [
      'bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
      { output: { message: { role: 'assistant', content: [{ text: 'Done.' }] } } },
    ],
  ])('and stand before a breakpoint that the request before has left: %s', async (model, answer) => {
    const prompts = await replay(model, answer);
    const shares = prompts.map(
      (prompt, index) => readFromCache(prompt, prompts.slice(0, index)) / bytes(prompt.parts),
    );
    expect(shares).toHaveLength(TURNS);
    expect(Math.min(...shares.slice(2))).toBeGreaterThanOrEqual(0.9);
    expect(Math.max(...prompts.map(({ breakpoints }) => breakpoints.length))).toBeLessThanOrEqual(4);
    // The newest breakpoint is the very end, where the next request will read.
    expect(prompts.map((prompt) => prompt.breakpoints.at(-1))).toEqual(
      prompts.map((prompt) => prompt.parts.length),
    );
  });

  it.each([
    ['openai/gpt-5.1', { choices: [{ message: { content: 'Done.' } }] }, 'usual'],
    ['openai/mistral-small', { choices: [{ message: { content: 'Done.' } }] }, 'strict'],
    ['openai/gpt-5.6-sol', { status: 'completed', output: [{ type: 'message', content: [] }] }, 'usual'],
    ['ollama/llama3.2', { message: { content: 'Done.' } }, 'usual'],
    ['ollama/mistral', { message: { content: 'Done.' } }, 'strict'],
  ])('as everything that was sent before is sent again unchanged: %s', async (model, answer, roles) => {
    const prompts = await replay(model, answer, roles === 'strict');
    const saidByUsers = (prompt: Prompt) => prompt.parts.filter((text) => text.includes('"role":"user"'));
    expect(saidByUsers(prompts.at(-1) ?? { parts: [], breakpoints: [] })).toHaveLength(
      roles === 'strict' ? 1 : 1 + Math.floor((TURNS - 1) / 2),
    );
    const shares = prompts.slice(1).map((prompt, index) => {
      const before = prompts[index]?.parts ?? [];
      expect(prompt.parts.slice(0, before.length)).toEqual(before);
      return bytes(before) / bytes(prompt.parts);
    });
    expect(shares).toHaveLength(TURNS - 1);
    expect(Math.min(...shares.slice(1))).toBeGreaterThanOrEqual(0.9);
  });
});
