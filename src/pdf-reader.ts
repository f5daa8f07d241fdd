import { Worker } from 'node:worker_threads';
import * as v from 'valibot';

/** How far a document is read. */
export interface PdfLimits {
  pages: number;
  characters: number;
  milliseconds: number;
}

/** Nothing is looked up, drawn or written to the console. */
const QUIET = { useSystemFonts: false, disableFontFace: true, isEvalSupported: false, verbosity: 0 };

const MEMORY = { maxOldGenerationSizeMb: 512 };

/** Tells the text of each page. The library asks for a `DOMMatrix`, with which it only draws. */
const READ = `
const { parentPort, workerData: { reader, most, options } } = require('node:worker_threads');
globalThis.DOMMatrix ??= class {};
import(reader).then(async ({ getDocument }) => {
  const document = await getDocument(options).promise;
  for (let page = 1; page <= Math.min(document.numPages, most); page++) {
    const { items } = await (await document.getPage(page)).getTextContent();
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\\n' : '') : '')).join('');
    parentPort.postMessage({ text, pages: document.numPages });
  }
}).finally(() => process.exit());
`;

const Page = v.object({ text: v.string(), pages: v.number() });

/**
 * Reads the texts of a PDF's pages, on a thread of its own, which can be ended in the middle of anything: a document may
 * be made to take hours, since a few bytes of it are unpacked to thousands, and parts of it call each other.
 * @returns the texts of the first pages, as far as they could be read within the limits, and how many pages there are
 */
export async function readPdf(
  bytes: Uint8Array,
  most: PdfLimits,
): Promise<{ texts: readonly string[]; pages: number }> {
  const texts: string[] = [];
  let characters = 0;
  let pages = 0;
  const worker = new Worker(READ, {
    eval: true,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: MEMORY,
    workerData: {
      reader: import.meta.resolve('unpdf/pdfjs'),
      most: most.pages,
      options: { ...QUIET, data: Uint8Array.from(bytes) },
    },
  });
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, most.milliseconds);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    worker.on('message', (message) => {
      if (characters >= most.characters) return;
      const page = v.parse(Page, message);
      pages = page.pages;
      texts.push(page.text);
      characters += page.text.length;
      if (characters >= most.characters) end();
    });
    worker.on('error', end).on('exit', end);
  });
  await worker.terminate();
  return { texts, pages };
}
