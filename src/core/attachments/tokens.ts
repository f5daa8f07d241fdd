import type { Attachment } from '../records/attachment.ts';
import { refusalOf, type Takes } from './takes.ts';

/** Words that stand for an attachment, with the brackets around them. */
const DESCRIPTION = 40;

/** The most characters of a document's text that a model is sent. */
export const MAX_DOCUMENT_CHARACTERS = 50_000;

/** Of a page's text; models that are shown a page get its picture, too. */
const PAGE_OF_TEXT = 1_000;
const PAGE_SHOWN = 3_000;

/** Pages of a document that could not be counted. */
const UNKNOWN_PAGES = 20;

/**
 * The most tokens that an attachment comes to, by what its model's provider says about it (2026-11-26):
 *
 * - Claude: https://platform.claude.com/docs/en/build-with-claude/vision and .../pdf-support
 * - OpenAI: https://developers.openai.com/api/docs/guides/images-vision#calculating-costs
 * - Gemini: https://ai.google.dev/gemini-api/docs/tokens
 *
 * Others say nothing, or that it depends on the model: they are taken to need one token for each 28 by 28 pixels, as
 * many open models do.
 */
export function tokensOf(attachment: Attachment, model: string, takes: Takes): number {
  const { type, pages = UNKNOWN_PAGES } = attachment;
  const isShown = refusalOf(attachment, takes) === undefined;
  if (type !== 'application/pdf') {
    // One whose model may turn out to see it counts as seen.
    return isShown || takes.images === undefined ? imageTokens(attachment, model) : DESCRIPTION;
  }
  if (isShown) return DESCRIPTION + pages * PAGE_SHOWN;
  return DESCRIPTION + Math.min(pages * PAGE_OF_TEXT, MAX_DOCUMENT_CHARACTERS);
}

function imageTokens({ width = 8_000, height = 8_000 }: Attachment, model: string): number {
  const rule = RULES.find(([models]) => models.test(model))?.[1] ?? patches(28, 16_384, 1);
  return DESCRIPTION + Math.ceil(rule(width, height));
}

type Rule = (width: number, height: number) => number;

const RULES: readonly [models: RegExp, rule: Rule][] = [
  [/claude-(fable|mythos|opus-(4-[7-9]|[5-9])|(sonnet|haiku)-[5-9])/, scaledDown(2_576, 4_784)],
  [/claude-/, scaledDown(1_568, 1_600)],
  [/gpt-4o-mini/, tiles(2_833, 5_667)],
  [/gpt-(4\.1|5|5\.[1-9])-nano/, patches(32, 2_500, 2.46)],
  [/gpt-(4\.1|5|5\.[1-9])-mini|o4-mini/, patches(32, 2_500, 1.72)],
  [/gpt-(5\.[4-9]|[6-9])/, patches(32, 2_500, 1.2)],
  [/gpt-5/, tiles(70, 140)],
  [/\bo[13]/, tiles(75, 150)],
  [/gpt-4/, tiles(85, 170)],
  [/gemini-/, (width, height) => Math.max(1_120, 258 * Math.ceil(width / 768) * Math.ceil(height / 768))],
];

/** Scaled to a longest side, then a token for 750 pixels, up to so many. */
function scaledDown(longest: number, most: number): Rule {
  return (width, height) => {
    const scale = Math.min(1, longest / Math.max(width, height));
    return Math.min(most, (width * scale * height * scale) / 750);
  };
}

/**
 * Scaled into 2,048 by 2,048, and to a shorter side of 768; then a number of tokens for each tile of 512, and for the
 * image.
 */
function tiles(image: number, tile: number): Rule {
  return (width, height) => {
    const inside = Math.min(1, 2_048 / Math.max(width, height));
    const scale = inside * Math.min(1, 768 / (Math.min(width, height) * inside));
    return image + tile * Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512);
  };
}

/** A token, or a little more, for each square; larger images are scaled down to as many. */
function patches(side: number, most: number, times: number): Rule {
  return (width, height) => Math.min(most, Math.ceil(width / side) * Math.ceil(height / side)) * times;
}
