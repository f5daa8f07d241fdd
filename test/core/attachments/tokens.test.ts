import { describe, expect, test } from 'vitest';
import { refusalOf, takesOf } from '../../../src/core/attachments/takes.ts';
import { tokensOf } from '../../../src/core/attachments/tokens.ts';
import type { Attachment } from '../../../src/core/records/attachment.ts';

const image = (width: number, height: number, bytes = 1000): Attachment => ({
  hash: '',
  type: 'image/png',
  bytes,
  width,
  height,
});
const document = (pages: number): Attachment => ({ hash: '', type: 'application/pdf', bytes: 1000, pages });

/** The words that stand around an attachment, in tokens. */
const AROUND = 40;
const tokens = (model: string, attachment: Attachment) =>
  tokensOf(attachment, model, takesOf(model)) - AROUND;

describe('the tokens of an attachment', () => {
  // The examples of the providers' own documentation.
  test.each([
    ['anthropic/claude-sonnet-4-5', 200, 200, 54],
    ['anthropic/claude-sonnet-4-5', 1000, 1000, 1334],
    ['anthropic/claude-sonnet-4-5', 4000, 4000, 1600],
    ['openai/gpt-4o', 1024, 1024, 765],
    ['openai/gpt-4o', 2048, 4096, 1105],
    ['openai/gpt-4o-mini', 1024, 1024, 25_501],
    ['openai/o1', 1024, 1024, 675],
    ['anthropic/claude-opus-4-7', 3000, 3000, 4784],
    ['anthropic/claude-opus-5', 1000, 1500, 2000],
    ['anthropic/claude-sonnet-5', 5152, 750, 1288],
    ['openai/gpt-4.1-nano', 320, 320, 246],
    ['openai/gpt-5-mini', 320, 330, 190],
    ['openai/o4-mini', 4000, 4000, 4300],
    ['openai/gpt-5.4', 320, 320, 120],
    ['openai/gpt-5', 1024, 1024, 630],
    ['openai/o3', 512, 512, 225],
    ['gemini/gemini-3-pro', 768, 768, 1120],
    ['gemini/gemini-3-pro', 3000, 2305, 4128],
    ['openrouter/x/vision', 56, 57, 6],
    ['openrouter/x/vision', 8000, 8000, 16_384],
  ])('are counted as its provider does: %s, %i x %i', (model, width, height, expected) => {
    expect(tokens(model, image(width, height))).toBe(expected);
  });

  test('are those of words where the model is not shown it', () => {
    expect(tokens('groq/llama-3.3-70b', image(4000, 4000))).toBe(0);
    expect([tokens('groq/llama-3.3-70b', document(3)), tokens('groq/llama-3.3-70b', document(900))]).toEqual([
      3_000, 50_000,
    ]);
    expect(tokens('anthropic/claude-sonnet-4-5', document(3))).toBe(9_000);
  });
});

test('an image or a document whose size is not known counts as a large one', () => {
  const image: Attachment = { hash: '', type: 'image/png', bytes: 1 };
  const document: Attachment = { hash: '', type: 'application/pdf', bytes: 1 };
  expect([
    tokens('gemini/gemini-3-pro', image),
    tokens('ollama/llava', image),
    tokens('anthropic/claude-sonnet-4-5', document),
    tokens('groq/llama-3.3-70b', document),
  ]).toEqual([31_218, 16_384, 60_000, 20_000]);
});

describe('what a model takes', () => {
  test.each([
    ['anthropic/claude-haiku-4-5', true, true],
    ['bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', true, true],
    ['bedrock/amazon.nova-micro-v1:0', false, false],
    ['openai/gpt-5.1', true, true],
    ['openai/o3-mini', false, false],
    ['gemini/gemini-3-pro', true, false],
    ['groq/openai/gpt-oss-120b', false, false],
    ['openrouter/anthropic/claude-sonnet-4-5', true, false],
    ['ollama/llava', undefined, false],
  ])('follows from its name: %s', (model, images, documents) => {
    expect(takesOf(model)).toMatchObject({ images, documents });
  });

  test('is what its agent says of images', () => {
    expect([takesOf('vllm/mine', true).images, takesOf('openai/gpt-5.1', false)]).toMatchObject([
      true,
      { images: false, documents: false },
    ]);
  });

  test.each([
    ['anthropic/claude-sonnet-4-5', image(8000, 8000), undefined],
    ['anthropic/claude-sonnet-4-5', image(8001, 10), 'too large for this model'],
    ['anthropic/claude-sonnet-4-5', image(10, 10, 4 * 2 ** 20), 'too large for this model'],
    ['anthropic/claude-sonnet-4-5', image(10, 8001), 'too large for this model'],
    ['anthropic/claude-sonnet-4-5', image(10, 10, 3_932_160), undefined],
    ['anthropic/claude-sonnet-4-5', image(10, 10, 3_932_161), 'too large for this model'],
    ['anthropic/claude-sonnet-4-5', document(100), undefined],
    ['bedrock/amazon.nova-pro-v1:0', { ...document(1), bytes: 4_718_592 }, undefined],
    ['bedrock/amazon.nova-pro-v1:0', { ...document(1), bytes: 4_718_593 }, 'too large for this model'],
    ['groq/llama-3.3-70b', document(1), ''],
    ['anthropic/claude-sonnet-4-5', document(101), 'too large for this model'],
    ['openai/gpt-5.1', image(9000, 10), undefined],
    ['groq/llama-3.3-70b', image(10, 10), ''],
  ])('is within its limits: %s', (model, attachment, refusal) => {
    expect(refusalOf(attachment, takesOf(model))).toBe(refusal);
  });
});
