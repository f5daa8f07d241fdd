/** A file of text that a run is about. */
export interface TextFile {
  name: string;
  text: string;
}

export interface ReadFiles {
  files: TextFile[];
  /** Why others were not taken, in words. */
  refusals: string[];
}

const MOST_FILES = 10;
/** Of all files together: the API takes a megabyte with everything around it. */
const MOST_BYTES = 600_000;

/** Reads texts. @param before those that are there already; a file of the same name takes its place */
export async function readTextFiles(
  chosen: readonly File[],
  before: readonly TextFile[],
): Promise<ReadFiles> {
  const files = new Map(before.map((file) => [file.name, file]));
  const refusals: string[] = [];
  for (const file of chosen) {
    const others = [...files.values()].filter(({ name }) => name !== file.name);
    const bytes = others.reduce((sum, { text }) => sum + new Blob([text]).size, file.size);
    const refusal =
      bytes > MOST_BYTES
        ? `${file.name} is too long: all files together may have ${MOST_BYTES / 1000} KB`
        : others.length >= MOST_FILES
          ? `${file.name} is one too many: there may be ${MOST_FILES} files`
          : undefined;
    const text = refusal === undefined ? await textOf(file) : undefined;
    if (text !== undefined) files.set(file.name, { name: file.name, text });
    else
      refusals.push(
        refusal ?? `${file.name} is no text: images and other files cannot be given to agents yet`,
      );
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
 * The text that a run is about, as the command line takes its standard input: one file as it is, and several each below
 * its name.
 */
export function contextOf(text: string, files: readonly TextFile[]): string {
  const [first, ...others] = files;
  if (first === undefined) return text;
  if (others.length === 0 && text.trim() === '') return first.text;
  const named = files.map((file) => `## ${file.name}\n\n${file.text}`);
  return [...(text.trim() === '' ? [] : [text]), ...named].join('\n\n');
}
