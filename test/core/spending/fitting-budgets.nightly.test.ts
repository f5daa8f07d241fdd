import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { EXIT } from '../../../src/doors/cli/terminal/exit-code.ts';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import { startModelServer, type ModelServer } from '../../fixtures/model-server.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import type { Message, ToolCall } from '../../../src/core/records/message.ts';
import { call, openStage, type Line } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { KNOWN, OTHERS, type Encode } from '../../fixtures/tokenizers.ts';
import { startCountingProvider } from './counting-provider.ts';
import { hardTexts, ordinaryTexts } from './texts.ts';
import { anyText } from '../../fixtures/random-texts.ts';

const ANSWER = ordinaryTexts(400)[0]?.text ?? '';

interface Project {
  provider: 'openai' | 'anthropic';
  server: ModelServer;
  /** The agents' files, less their names and models. */
  agents: Record<string, string>;
  model: string;
}

/** `cadre run top` on a text, with a budget. @returns its exit code, and what it says with `--json` */
async function run({ provider, server, agents, model }: Project, prompt: string, maxTokens: number) {
  const cwd = await tempFolder({
    ...Object.fromEntries(
      Object.entries(agents).map(([name, text]) => [
        `agents/${name}.toml`,
        `name = "${name}"\nmodel = "${provider}/${model}"\n${text}`,
      ]),
    ),
    'config/cadre/config.toml': `[providers.${provider}]\napi_key = "a-key"\nbase_url = "${server.url}"\n`,
  });
  const io = recordedIo(cwd, { stdin: prompt, env: { XDG_CONFIG_HOME: `${cwd}/config` } });
  const code = await runAgent('top', { prompt: 'What does this say?', json: true, maxTokens }, io);
  return { code, err: io.err, ...v.parse(Said, JSON.parse(io.out)) };
}

const Said = v.object({
  status: v.string(),
  content: v.string(),
  input_tokens: v.number(),
  output_tokens: v.number(),
  tree: v.optional(v.object({ input_tokens: v.number(), output_tokens: v.number() })),
});

const AMPLE = 10_000_000;

async function needOf(project: Project, prompt: string): Promise<number> {
  const { input_tokens, output_tokens, tree } = await run(project, prompt, AMPLE);
  return (tree?.input_tokens ?? input_tokens) + (tree?.output_tokens ?? output_tokens);
}

const alone = { top: 'system_prompt = "You read texts and say what they say."\n' };
const withKid = {
  top: `${alone.top}sub_agents = ["kid"]\n`,
  kid: 'system_prompt = "You look into things."\n',
};

async function openai(encode: Encode, model: string, agents: Project['agents'] = alone): Promise<Project> {
  return { provider: 'openai', server: await startCountingProvider(encode, ANSWER), agents, model };
}

describe('a budget of 1.5 times what a run needs', () => {
  const prompts = [
    ...ordinaryTexts(8_000),
    ...ordinaryTexts(1_000).filter(({ kind }) => kind === 'English' || kind === 'TypeScript'),
    ...ordinaryTexts(50_000).filter(({ kind }) => kind === 'English' || kind === 'Python'),
  ].map(({ kind, text }): [string, number, string] => [kind, text.length, text]);

  test.each(prompts)('suffices for %s of %i characters', async (_, __, text) => {
    const project = await openai(KNOWN.o200k, 'gpt-4o');
    const need = await needOf(project, text);
    const fitted = await run(project, text, Math.ceil(need * 1.5));
    expect(fitted).toMatchObject({ code: EXIT.success, status: 'succeeded', content: ANSWER });
    expect(fitted.input_tokens + fitted.output_tokens).toBe(need);
  });

  test('suffices for a run that delegates', async () => {
    const project = await openai(KNOWN.llama3, 'llama-3.3-70b', withKid);
    const text = ordinaryTexts(6_000)[0]?.text ?? '';
    const need = await needOf(project, text);
    expect(await run(project, text, Math.ceil(need * 1.5))).toMatchObject({ code: EXIT.success });
  });

  test('suffices for a model whose tokenizer is not known, by what its provider counts', async () => {
    const encode = (text: string) => ({
      length: Math.ceil(OTHERS.claude2(text).length * 1.4),
    });
    const server = await startModelServer(({ body, path }) => {
      const { messages, system, max_tokens } = v.parse(AnthropicRequest, body);
      const input_tokens = encode(JSON.stringify([system, messages])).length;
      if (path === '/v1/messages/count_tokens') return { body: { input_tokens } };
      const output_tokens = Math.min(max_tokens ?? 0, encode(ANSWER).length);
      return { body: { content: [{ type: 'text', text: ANSWER }], usage: { input_tokens, output_tokens } } };
    });
    onTestFinished(() => server.close());
    const project: Project = { provider: 'anthropic', server, agents: alone, model: 'claude-sonnet-4-5' };
    const text = ordinaryTexts(8_000)[0]?.text ?? '';
    const need = await needOf(project, text);
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/messages']);
    const fitted = await run(project, text, Math.ceil(need * 1.5));
    expect(fitted).toMatchObject({ code: EXIT.success });
    expect(fitted.input_tokens + fitted.output_tokens).toBe(need);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/messages',
      '/v1/messages/count_tokens',
      '/v1/messages',
    ]);
  });
});

const AnthropicRequest = v.object({
  messages: v.unknown(),
  system: v.unknown(),
  max_tokens: v.optional(v.number()),
});

test('a budget that is too small is refused before anything is sent, and says what the call could have cost', async () => {
  const project = await openai(KNOWN.o200k, 'gpt-4o');
  const text = ordinaryTexts(8_000)[0]?.text ?? '';
  const refused = await run(project, text, 1_000);
  expect(refused).toMatchObject({ code: EXIT.budget, status: 'budget_exceeded' });
  expect(refused.err).toMatch(
    /^budget exceeded: used 0 of 1000 tokens, 1000 left; the next call could cost up to [67]\d{3}\n/,
  );
  expect(project.server.requests).toEqual([]);
});

test.each([
  ['fails', { status: 429, body: { error: { message: 'slow down' } } }],
  ['makes no sense', { body: { tokens: 'many' } }],
])('where the count %s the estimate decides', async (_, reply) => {
  const server = await startModelServer(({ path }) =>
    path.endsWith('/count_tokens')
      ? reply
      : {
          body: { content: [{ type: 'text', text: 'short' }], usage: { input_tokens: 9, output_tokens: 1 } },
        },
  );
  onTestFinished(() => server.close());
  const project: Project = { provider: 'anthropic', server, agents: alone, model: 'claude-sonnet-4-5' };
  expect(await run(project, 'Read this.', 300)).toMatchObject({ code: EXIT.success });
  expect(await run(project, 'Read this. '.repeat(200), 300)).toMatchObject({ code: EXIT.budget });
});

const hard = hardTexts();
const ordinary = ordinaryTexts(1_000);

test('holds for any text, any budget and any tokenizer: a tree is never over', async () => {
  const material = fc.oneof(
    fc.constantFrom(...hard, ...ordinary).map(({ text }) => text.slice(0, 1_500)),
    anyText({ maxLength: 300 }).map((text) => text.toWellFormed()),
  );
  const tokenizers = [
    ...Object.values(KNOWN).map((encode) => ({ model: 'gpt-4o', encode })),
    ...Object.values(OTHERS).map((encode) => ({ model: 'other', encode })),
  ];
  const shape = fc.record({
    limit: fc.integer({ min: 300, max: 9_000 }),
    texts: fc.array(material, { minLength: 1, maxLength: 3 }),
    tokenizer: fc.constantFrom(...tokenizers),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ limit, texts, tokenizer: { model, encode }, share }) => {
      /** An answer as far as it may go: what does not fit is not written. */
      const answer = (request: ModelRequest, text: string, calls: ToolCall[]): Line => {
        const all = tokensOf([{ role: 'assistant', text, calls }], encode);
        const written =
          all > request.maxTokens ? { text: '', calls: [], tokens: 0 } : { text, calls, tokens: all };
        const outputTokens = Math.max(written.tokens, Math.floor(request.maxTokens * share));
        return { ...written, usage: { inputTokens: promptTokens(request, encode), outputTokens } };
      };
      const stage = await openStage(
        {
          [model]: ({ request, turn }) =>
            answer(request, texts.join(' '), turn < 3 ? texts.map((text) => call('kid', text)) : []),
          kid: ({ request, message }) => answer(request, message, []),
        },
        { [model]: `sub_agents = ["kid"]\n[budget]\nmax_tokens = ${limit}\n`, kid: '' },
      );
      const { tree } = await stage.run({ agent: model, prompt: texts.join('\n') });
      const spent = tree.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
      expect(spent).toBeLessThanOrEqual(limit);
    }),
    { numRuns: 25 },
  );
});

/** As Chat Completions counts. */
function promptTokens({ system, messages, tools }: ModelRequest, encode: Encode): number {
  const fixed = [system, ...tools.map((tool) => JSON.stringify(tool))];
  return fixed.reduce((sum, text) => sum + encode(text).length + 4, 3) + tokensOf(messages, encode);
}

function tokensOf(messages: readonly Message[], encode: Encode): number {
  const texts = messages.flatMap((message) => {
    if (message.role === 'user') return [message.text];
    if (message.role === 'tool') return message.results.map(({ text }) => text);
    return [message.text, ...message.calls.map(({ name, arguments: args }) => name + JSON.stringify(args))];
  });
  return texts.reduce((sum, text) => sum + encode(text).length + 4, 0);
}
