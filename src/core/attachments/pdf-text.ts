import { getDocumentProxy } from 'unpdf';
import { MAX_DOCUMENT_CHARACTERS } from './tokens.ts';

/** In place of a text that a document does not have, or does not give. */
const NO_TEXT = '[no text could be read from the document]';

/**
 * The text of a PDF, page by page, as much as a model is sent. It is empty if the PDF consists of pictures, or is
 * encrypted or damaged.
 */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  try {
    // The library keeps the bytes.
    const document = await getDocumentProxy(Uint8Array.from(bytes), QUIET);
    try {
      return await textOf(document);
    } finally {
      await document.loadingTask.destroy();
    }
  } catch {
    return NO_TEXT;
  }
}

/** Nothing is looked up, drawn or written to the console. */
const QUIET = { useSystemFonts: false, disableFontFace: true, isEvalSupported: false, verbosity: 0 };

/** Pages of pictures have no text that would end it. */
const MOST_PAGES = 500;

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

async function textOf(document: PdfDocument): Promise<string> {
  const pages: string[] = [];
  let characters = 0;
  let page = 0;
  while (page < Math.min(document.numPages, MOST_PAGES) && characters < MAX_DOCUMENT_CHARACTERS) {
    page += 1;
    const { items } = await (await document.getPage(page)).getTextContent();
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
    pages.push(text.trim());
    characters += text.length;
  }
  const whole = pages.join('\n\n').trim().toWellFormed();
  if (whole === '') return NO_TEXT;
  if (whole.length <= MAX_DOCUMENT_CHARACTERS && page === document.numPages) return whole;
  const shown = whole.slice(0, MAX_DOCUMENT_CHARACTERS).toWellFormed();
  return `${shown}\n\n[the text up to page ${page} of ${document.numPages}; the rest is left out]`;
}
