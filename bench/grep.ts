import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { grepTool } from '../src/tools/files/grep.ts';
import { openFolderWorkspace } from '../src/places/local/workspace/folder-workspace.ts';
import type { Row } from './row.ts';

const FOLDERS = 1_250;
const FILES_PER_FOLDER = 40;
const LINES_PER_FILE = 60;
const ATTEMPTS = 5;

/** Begins with letters that are in every line, and is in one file of 5,000. */
const NEEDLE = 'value of the needle';

/** The tool `grep` on a tree as large as a large repository, by itself and with ripgrep where that is installed. */
export async function measureGrep(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-bench-'));
  try {
    fill(folder);
    const what = `grep over ${FOLDERS * FILES_PER_FOLDER} files`;
    const time = { unit: ' ms', digits: 0, counts: 'least' } as const;
    const alone = await fastest(() => grep(folder, ''));
    const rows: Row[] = [{ ...time, what: `${what}, without ripgrep`, value: alone, atMost: 3_000 }];
    const searchPath = process.env['PATH'] ?? '';
    if (!searchPath.split(delimiter).some((each) => existsSync(join(each, 'rg')))) return rows;
    const ripgrep = await fastest(async () => {
      execFileSync('rg', ['--line-number', '--', NEEDLE, '.'], { cwd: folder });
    });
    const both = await fastest(() => grep(folder, searchPath));
    return [
      ...rows,
      { ...time, what: `${what}, with ripgrep`, value: both },
      {
        ...time,
        what: `${what}: with ripgrep / rg`,
        value: both / ripgrep,
        unit: '',
        digits: 2,
        atMost: 1.5,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(folder: string): void {
  writeFileSync(join(folder, '.gitignore'), 'dist/\nnode_modules/\n*.log\n');
  for (let index = 0; index < FOLDERS; index++) {
    const path = join(folder, `package-${index % 50}`, `module-${index}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_PER_FOLDER; file++) {
      const line = `  const value${file} = await read(index + ${index}); // the value of it\n`;
      const isFound = file === 0 && index % (5_000 / FILES_PER_FOLDER) === 0;
      writeFileSync(join(path, `file-${file}.ts`), line.repeat(LINES_PER_FILE) + (isFound ? NEEDLE : ''));
    }
  }
}

async function grep(folder: string, searchPath: string): Promise<void> {
  const { text } = await grepTool.run(
    { pattern: NEEDLE },
    {
      workspace: openFolderWorkspace(folder, { searchPath }),
      seen: { version: async () => undefined, note: async () => {} },
      mayShow: () => true,
      mayChange: () => Promise.resolve(true),
      refusalToFollow: () => undefined,
      allowedHosts: [],
      owner: undefined,
      resultPath: '',
      signal: new AbortController().signal,
      tell: () => {},
    },
  );
  if (text.split('\n').length !== 10) throw new Error(`not found in 10 files: ${text}`);
}

/** In milliseconds. */
async function fastest(work: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const start = performance.now();
    await work();
    least = Math.min(least, performance.now() - start);
  }
  return least;
}
