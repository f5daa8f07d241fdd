import { isShown } from './shown-file.ts';

/** A file that a prompt or a message is about. */
export interface TextFile {
  name: string;
  /** "" for an image or a PDF. */
  text: string;
  /** An image or a PDF, which is shown to the model; absent: it is a text. */
  shown?: File;
}

/** One list, so that nothing is seen to change where nothing is given. */
export const NO_FILES: readonly TextFile[] = [];

export interface ReadFiles {
  files: TextFile[];
  /** Why others were not taken, in words. */
  refusals: string[];
}

const MOST_FILES = 10;
/** For all texts together: the API takes a megabyte including everything around it. */
const MOST_BYTES = 600_000;
/** Of images and PDFs together. */
const MOST_SHOWN = 24 * 2 ** 20;

/** Reads texts. @param before existing ones; a file of the same name replaces one */
export async function readTextFiles(
  chosen: readonly File[],
  before: readonly TextFile[],
): Promise<ReadFiles> {
  const files = new Map(before.map((file) => [file.name, file]));
  const refusals: string[] = [];
  for (const file of chosen) {
    const others = [...files.values()].filter(({ name }) => name !== file.name);
    const isImage = await isShown(file);
    const sizes = others.map(({ text, shown }) => (isImage ? (shown?.size ?? 0) : new Blob([text]).size));
    const bytes = sizes.reduce((sum, size) => sum + size, file.size);
    const refusal =
      bytes > (isImage ? MOST_SHOWN : MOST_BYTES)
        ? isImage
          ? `${file.name} is too large: all images and PDFs together may have 24 MB`
          : `${file.name} is too long: all files together may have ${MOST_BYTES / 1000} KB`
        : others.length >= MOST_FILES
          ? `${file.name} is one too many: there may be ${MOST_FILES} files`
          : undefined;
    const text = refusal === undefined && !isImage ? await textOf(file) : undefined;
    if (refusal === undefined && isImage) files.set(file.name, { name: file.name, text: '', shown: file });
    else if (text !== undefined) files.set(file.name, { name: file.name, text });
    else
      refusals.push(refusal ?? `${file.name} is neither a text nor a PNG, JPEG, GIF or WebP image or a PDF`);
  }
  return { files: [...files.values()], refusals };
}

/** @returns undefined for a file that is none */
async function textOf(file: File): Promise<string | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * A text with the texts of files, as the command line takes its standard input: one file as it is, and several each below
 * its name.
 */
export function contextOf(text: string, given: readonly TextFile[]): string {
  const files = given.filter(({ shown }) => shown === undefined);
  const [first, ...others] = files;
  if (first === undefined) return text;
  if (others.length === 0 && text.trim() === '') return first.text;
  const named = files.map((file) => `## ${file.name}\n\n${file.text}`);
  return [...(text.trim() === '' ? [] : [text]), ...named].join('\n\n');
}
