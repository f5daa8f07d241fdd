import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Model } from '../src/models/model.ts';
import type { ToolCall } from '../src/runs/message.ts';
import { grepTool } from '../src/tools/files/grep.ts';
import { openFolderWorkspace } from '../src/workspace/folder-workspace.ts';
import { answer, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import { inProject } from './project.ts';
import { median, type Row } from './row.ts';

const CONVERSATIONS = 8;
const TURNS = 30;
const FOLDERS = 500;
const FILES_OF_FOLDER = 100;
const SEARCHES = 3;

/** What a call of a tool adds to a turn, and what a search through many files takes. */
export async function measureTools(): Promise<Row[]> {
  return [...(await measureCall()), ...(await measureSearch())];
}

/** Conversations of turns with a call of a file each, beside the same with a call that is refused at once. */
async function measureCall(): Promise<Row[]> {
  const times = { read_file: Infinity, no_such_tool: Infinity };
  let name: keyof typeof times = 'read_file';
  const model: Model = {
    async send(request) {
      const turn = turnsSoFar(request) + 1;
      if (turn > TURNS) return answer();
      const call: ToolCall = { id: 'a', name, arguments: { path: 'agents/lead.toml' } };
      return { ...answer(), text: 'Reading.', calls: [call] };
    },
  };
  await withPipeline(model, async (pipeline) => {
    // In turns, so that whatever else the machine does meets both.
    for (let index = 0; index < 2 * CONVERSATIONS; index++) {
      name = index % 2 === 0 ? 'read_file' : 'no_such_tool';
      const start = performance.now();
      await runLead(pipeline);
      times[name] = Math.min(times[name], performance.now() - start);
    }
  });
  return [
    {
      what: 'a turn with a call of read_file: more than without',
      value: (times.read_file - times.no_such_tool) / TURNS,
      unit: ' ms',
      digits: 2,
      atMost: 1,
      counts: 'least',
    },
  ];
}

async function measureSearch(): Promise<Row[]> {
  return inProject({}, async (folder) => {
    for (let each = 0; each < FOLDERS; each++) {
      const below = join(folder, `folder-${each}`);
      await mkdir(below);
      const texts = Array.from({ length: FILES_OF_FOLDER }, (_, file) =>
        writeFile(
          join(below, `file-${file}.txt`),
          `${'A line of ordinary text.\n'.repeat(20)}part ${each}\n`,
        ),
      );
      await Promise.all(texts);
    }
    const ours = median(await times(() => search(folder)));
    const isThere = spawnSync('rg', ['--version']).status === 0;
    const files = `${FOLDERS * FILES_OF_FOLDER} files`;
    const row = { what: `grep over ${files}`, unit: ' s', digits: 2, counts: 'least' } as const;
    if (!isThere) return [{ ...row, value: ours / 1_000, atMost: 3 }];
    const theirs = median(
      await times(
        async () => void spawnSync('rg', ['--no-config', '-n', 'part 250$', folder], { stdio: 'pipe' }),
      ),
    );
    return [
      { ...row, value: ours / 1_000 },
      {
        what: `grep over ${files} / ripgrep`,
        value: ours / theirs,
        unit: '',
        digits: 2,
        atMost: 1.5,
        counts: 'least',
      },
    ];
  });
}

async function search(folder: string): Promise<void> {
  const { text } = await grepTool.run(
    { pattern: 'part 250$' },
    {
      workspace: openFolderWorkspace(folder),
      seen: { version: async () => undefined, note: async () => {} },
      allowedHosts: [],
      resultPath: '',
      signal: new AbortController().signal,
      tell: () => {},
    },
  );
  if (text.split('\n').length < FILES_OF_FOLDER) throw new Error(`the search found too little: ${text}`);
}

async function times(work: () => Promise<void>): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < SEARCHES; index++) {
    const start = performance.now();
    await work();
    taken.push(performance.now() - start);
  }
  return taken;
}
