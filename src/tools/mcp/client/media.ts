import { isJsonObject, isShallow, parseJson, type Json, type JsonObject } from '../../../json.ts';

/** Shorter texts cost a model little. A picture of this size is an icon. */
const LEAST_CHARACTERS = 256;

/** Base64 of which nothing else is known is taken for media from here on: cursors and signed addresses are shorter. */
const SURELY_MEDIA_CHARACTERS = 4_096;

const DATA_URI =
  /data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w=.+-]{1,60}){0,4};base64,([A-Za-z0-9+/_-]{192,}={0,2})/g;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** How files begin in base64: PNG, JPEG, GIF, WebP and WAV, PDF, ZIP, OGG, MP3, TIFF. */
const BEGINNINGS = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0|UEsDB|T2dnUw|SUQz|SUkqA|TU0AK)/;

/** The keys under which an object says what kind of data lies beside them. */
const MIME_KEYS = ['mimeType', 'mime_type', 'mediaType', 'media_type', 'contentType', 'content_type'];

/** What stands in a text for data that no model can read. */
export function leftOut(what: string, base64: string): string {
  const bytes = Buffer.byteLength(base64, 'base64');
  return `[${what}, ${bytes < 1000 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`}, left out]`;
}

/**
 * A text without pictures and other files in base64, which would cost thousands of tokens and tell a model nothing:
 * data URIs anywhere, and in a text that is JSON also values that are nothing but such data.
 */
export function withoutMedia(text: string): string {
  if (text.length < LEAST_CHARACTERS) return text;
  const value = jsonIn(text);
  const lean = withoutMediaIn(value);
  return lean === value ? withoutDataUris(text) : JSON.stringify(lean);
}

/** The object or array that a text is; null for any other text. */
function jsonIn(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** @returns the value itself where it holds no media */
export function withoutMediaIn(value: Json): Json {
  return isShallow(value) ? leanValue(value, undefined) : value;
}

function leanValue(value: Json, mime: string | undefined): Json {
  if (typeof value === 'string') return leanText(value, mime);
  if (Array.isArray(value)) {
    const items = value.map((item) => leanValue(item, mime));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonObject(value)) return value;
  const own = mimeOf(value);
  const entries = Object.entries(value).map(([key, item]): [string, Json] => [key, leanValue(item, own)]);
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
}

function leanText(text: string, mime: string | undefined): string {
  if (text.length < LEAST_CHARACTERS) return text;
  const isMedia =
    BASE64.test(text) &&
    (mime !== undefined || BEGINNINGS.test(text) || text.length >= SURELY_MEDIA_CHARACTERS) &&
    // Sequences of one case, such as hexadecimal digits or bases of DNA, are texts.
    /[a-z]/.test(text) &&
    /[A-Z]/.test(text);
  return isMedia ? leftOut(mime ?? 'base64', text) : withoutDataUris(text);
}

function withoutDataUris(text: string): string {
  return text.replace(DATA_URI, (_, mime: string, data: string) => leftOut(mime, data));
}

/** What an object says of its data, unless that is a text. */
function mimeOf(object: JsonObject): string | undefined {
  const said = MIME_KEYS.map((key) => object[key]).find((each) => typeof each === 'string');
  return typeof said !== 'string' || said.startsWith('text/') ? undefined : said.slice(0, 60);
}
