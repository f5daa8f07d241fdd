import type { Attachment } from '../records/attachment.ts';
import { MAX_ATTACHED_BYTES } from '../records/attachment.ts';

/** What a model takes beside text. */
export interface Takes {
  /** Whether it sees images. Undefined: its name does not say, and only its server may know. */
  images: boolean | undefined;
  /** Whether it is sent PDFs as they are; else their text stands for them. */
  documents: boolean;
  limits: Limits;
}

/** The limits of an API for attachments of a request. */
export interface Limits {
  /** Of all that is attached. */
  bytes: number;
  images: number;
  imageBytes: number;
  /** Of an image's longer side. */
  pixels: number;
  /** The same for requests with many images. */
  crowd?: { above: number; pixels: number };
  documents: number;
  documentBytes: number;
  /** Of all documents. */
  pages: number;
}

/**
 * Brought together on 2026-11-26:
 *
 * - Anthropic: https://platform.claude.com/docs/en/build-with-claude/vision, where 5 MB of base64 are the most for an
 *   image, and .../pdf-support; models with windows of more than 200,000 tokens take 600 images
 * - Bedrock: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 * - OpenAI: https://developers.openai.com/api/docs/guides/images-vision and .../file-inputs
 * - Groq: https://console.groq.com/docs/vision, where 4 MB of base64 are the most for a request
 * - Mistral: https://docs.mistral.ai/capabilities/vision
 *
 * Other servers publish none that hold for all of their models.
 */
const CLAUDE: Limits = {
  bytes: MAX_ATTACHED_BYTES,
  images: 100,
  imageBytes: 3.75 * 2 ** 20,
  pixels: 8_000,
  crowd: { above: 20, pixels: 2_000 },
  documents: Infinity,
  documentBytes: MAX_ATTACHED_BYTES,
  pages: 100,
};
const BEDROCK: Limits = {
  ...CLAUDE,
  images: 20,
  documents: 5,
  documentBytes: 4.5 * 2 ** 20,
};
const OTHERS: Limits = {
  bytes: MAX_ATTACHED_BYTES,
  images: 500,
  imageBytes: MAX_ATTACHED_BYTES,
  pixels: Infinity,
  documents: Infinity,
  documentBytes: MAX_ATTACHED_BYTES,
  pages: Infinity,
};

const OF_PROVIDERS: Readonly<Record<string, Limits>> = {
  bedrock: BEDROCK,
  groq: { ...OTHERS, bytes: 2.8 * 2 ** 20, images: 5, imageBytes: 2.8 * 2 ** 20 },
  mistral: { ...OTHERS, images: 8, imageBytes: 10 * 2 ** 20 },
};

/** Models that see, by parts of their names, whoever serves them. Brought together on 2026-11-26. */
const SEEING =
  /claude-|gpt-(4o|4\.1|4\.5|4-turbo|[5-9])|\bo1(?!-mini)|\bo3(?!-mini)|\bo4|nova-(lite|pro|premier|2)|gemini-|pixtral|mistral-(small|medium|large)-(latest|2[5-9])|llama3-2-(11b|90b)|llama-?4|grok-[4-9]|-vl\b|vision|gemma-?3/i;

/** Models that do not, although their names have such a part. */
const BLIND = /gpt-oss|gpt-4o(-mini)?-(audio|transcribe|tts)|gemma-?3-?1b|embedding/i;

/** The same of models that are sent PDFs, of the providers whose APIs take them. */
const READING: Readonly<Record<string, RegExp>> = {
  anthropic: /claude-/,
  bedrock: /anthropic\.claude-|amazon\.nova-(lite|pro|premier|2)/,
  openai: SEEING,
};

/** A server that tells what its models take when it is asked. */
const TELLING = 'ollama';

/**
 * What a model takes beside text.
 * @param model `provider/model-name`
 * @param images the agent's own word for it (`[params] images`)
 */
export function takesOf(model: string, images?: boolean): Takes {
  const provider = model.slice(0, model.indexOf('/'));
  const name = model.slice(provider.length + 1);
  const sees = SEEING.test(name) && !BLIND.test(name);
  const isKnown = provider !== TELLING;
  return {
    images: images ?? (isKnown ? sees : undefined),
    documents: images !== false && !BLIND.test(name) && READING[provider]?.test(name) === true,
    limits: limitsOf(provider, name),
  };
}

function limitsOf(provider: string, name: string): Limits {
  const known = OF_PROVIDERS[provider];
  if (known !== undefined) return known;
  if (!name.includes('claude-')) return OTHERS;
  // Those with windows of a million tokens.
  const isWide =
    /claude-(fable|mythos|(opus|sonnet|haiku)-(4-[6-9]|[5-9]))/.test(name) && !/haiku-4/.test(name);
  return isWide ? { ...CLAUDE, images: 600 } : CLAUDE;
}

/**
 * Whether a model is sent an attachment as it is, or why not: in words that end its description, or `""` if there is
 * nothing to say.
 */
export function refusalOf(attachment: Attachment, { images, documents, limits }: Takes): string | undefined {
  const { type, bytes, width = 0, height = 0, pages = 0 } = attachment;
  if (type === 'application/pdf') {
    if (!documents) return '';
    return bytes > limits.documentBytes || pages > limits.pages ? 'too large for this model' : undefined;
  }
  if (images !== true) return '';
  const isTooLarge = bytes > limits.imageBytes || Math.max(width, height) > limits.pixels;
  return isTooLarge ? 'too large for this model' : undefined;
}
