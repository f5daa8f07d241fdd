import { memoize } from '../../memoize.ts';
import { pricedNames } from './model-names.ts';

/**
 * The tokens that a prompt may have with its answer or, where a model has a limit for prompts alone, that a prompt may
 * have. Brought together on 2026-11-22. Models of other servers have the window that the server gave them: theirs is
 * set in the agent's file, or learned when the server refuses a prompt.
 *
 * - Anthropic: https://platform.claude.com/docs/en/about-claude/models/overview, which Bedrock follows
 * - OpenAI: the page of each model below https://developers.openai.com/api/docs/models
 * - Nova: https://docs.aws.amazon.com/nova/latest/userguide/what-is-nova.html
 */
const WINDOWS: readonly (readonly [tokens: number, models: readonly string[]])[] = [
  [
    1_000_000,
    [
      'claude-fable-5-1',
      'claude-fable-5',
      'claude-mythos-5-1',
      'claude-mythos-5',
      'claude-opus-5-5',
      'claude-opus-5',
      'claude-opus-4-8',
      'claude-opus-4-7',
      'claude-opus-4-6',
      'claude-sonnet-5-5',
      'claude-sonnet-5',
      'claude-sonnet-4-6',
      'claude-haiku-5-5',
    ],
  ],
  [
    200_000,
    [
      'claude-opus-4-5',
      'claude-opus-4-1',
      'claude-opus-4-0',
      'claude-opus-4',
      'claude-sonnet-4-5',
      'claude-sonnet-4-0',
      'claude-sonnet-4',
      'claude-3-7-sonnet',
      'claude-haiku-4-5',
      'claude-3-5-haiku',
      'o4-mini',
      'o3',
      'o3-mini',
      'o1',
    ],
  ],
  // Of 1,050,000 in all.
  [
    922_000,
    [
      'gpt-6.1-sol',
      'gpt-6.1-terra',
      'gpt-6-astra',
      'gpt-6-sol',
      'gpt-5.6',
      'gpt-5.6-sol',
      'gpt-5.6-terra',
      'gpt-5.5',
      'gpt-5.5-pro',
      'gpt-5.4',
    ],
  ],
  // Of 400,000 in all.
  [
    272_000,
    [
      'gpt-6-luna',
      'gpt-5.6-luna',
      'gpt-5.4-mini',
      'gpt-5.4-nano',
      'gpt-5.2',
      'gpt-5.1',
      'gpt-5',
      'gpt-5-mini',
      'gpt-5-nano',
    ],
  ],
  [1_047_576, ['gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano']],
  [128_000, ['gpt-4o', 'gpt-4o-2024-05-13', 'gpt-4o-mini', 'amazon.nova-micro']],
  [300_000, ['amazon.nova-lite', 'amazon.nova-pro']],
];

const BY_MODEL: ReadonlyMap<string, number> = new Map(
  WINDOWS.flatMap(([tokens, models]) => models.map((model) => [model, tokens] as const)),
);

/**
 * The window of a model in tokens; undefined if it is not known.
 * @param model `provider/model-name`, with or without a release
 */
export const windowOf = memoize((model): number | undefined =>
  pricedNames(model)
    .map((name) => BY_MODEL.get(name.replace(PROVIDER, '')))
    .find((tokens) => tokens !== undefined),
);

/** With the place and the maker that Bedrock puts in front of a model's name. */
const PROVIDER = /^(anthropic|openai|bedrock)\/((apac|au|ca|eu|global|jp|us)\.)?(anthropic\.)?/;
