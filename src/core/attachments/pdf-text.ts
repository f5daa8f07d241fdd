import { readPdf } from '../../pdf-reader.ts';
import { MAX_DOCUMENT_CHARACTERS } from './tokens.ts';

/** In place of a text that a document does not have, or does not give. */
const NO_TEXT = '[no text could be read from the document]';

/** Pages of pictures have no text that would end it. */
const LIMITS = { pages: 500, characters: MAX_DOCUMENT_CHARACTERS, milliseconds: 15_000 };

/**
 * The text of a PDF, page by page, as much as a model is sent of it, or as could be read in time. It has none if it
 * consists of pictures, is encrypted or damaged.
 */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const { texts, pages } = await readPdf(bytes, LIMITS);
  const whole = texts
    .map((text) => text.trim())
    .join('\n\n')
    .trim()
    .toWellFormed();
  if (whole === '') return NO_TEXT;
  if (whole.length <= MAX_DOCUMENT_CHARACTERS && texts.length === pages) return whole;
  const shown = whole.slice(0, MAX_DOCUMENT_CHARACTERS).toWellFormed();
  return `${shown}\n\n[the text up to page ${texts.length} of ${pages}; the rest is left out]`;
}
