import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeBlocksIn } from '../../scripts/documents/markdown.ts';

const DOCS = join(import.meta.dirname, '../../docs');
/** How a block that is a file begins: its path, in a comment. */
const PATH = /^(?:# |\/\/ |<!-- )([\w./-]+\.\w+)(?: -->)?\n+/;

/** A step of a guide. */
export type GuideStep =
  | { kind: 'file'; path: string; content: string }
  | { kind: 'command'; command: string }
  /** Lines that the command before it prints, each as it begins. */
  | { kind: 'output'; lines: string[] };

/** The steps of a page of docs/ that guides its reader: its blocks, in their order. */
export async function guideSteps(page: string): Promise<GuideStep[]> {
  const text = await readFile(join(DOCS, page), 'utf8');
  return codeBlocksIn(text).flatMap(({ language, code }): GuideStep[] => {
    if (language === 'sh') {
      return code
        .trim()
        .split('\n')
        .map((line) => ({ kind: 'command', command: line.replace(/ +#.*$/, '') }));
    }
    if (language === '') return [{ kind: 'output', lines: code.trimEnd().split('\n') }];
    const [head = '', path] = PATH.exec(code) ?? [];
    if (path === undefined) throw new Error(`a block of ${page} names no file: ${code}`);
    return [{ kind: 'file', path, content: code.slice(head.length) }];
  });
}

/** The words of a command, and the file that it reads. */
export function wordsOf(command: string): { words: string[]; input: string | undefined } {
  const [typed = '', input] = command.split(' < ');
  const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return { words, input };
}
