import { execFileSync } from 'node:child_process';
import { chmod, cp, link, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { seconds } from '../../../src/core/records/times.ts';
import { runCommandLine } from '../../../src/doors/cli/command-line.ts';
import { openLocalStore, STORE_FOLDER } from '../../../src/places/local/local-store.ts';
import { TABLE_FILE } from '../../../src/places/local/store/lmdb/table.ts';
import { contentOf } from '../../fixtures/folder-content.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { anOpened, aRun, aTurn, keepRun } from '../../fixtures/records.ts';
import { makeFolder, tempFolder } from '../../fixtures/temp-folder.ts';

// Every command is played in a folder that somebody has cloned, with all that may be started there: by an agent, by a
// record of a run, because it has the name of a program that we start, or because a file of the project says so.

/**
 * What a command does there: `asks` ends with 2 and the command by which the folder is trusted; `asks if stored` does
 * so where there are runs; `reads` leaves the store as it is, to the byte; `writes` may change it. None starts anything.
 */
type Does = 'asks' | 'asks if stored' | 'reads' | 'writes';

const MODEL = 'offline/extractive';
const LAST = 'last';
const ENDED = 'kid-00000000000001';
const ASKING = 'kid-00000000000002';

const PLAYED: readonly [line: string, does: Does][] = [
  ['init newer', 'writes'],
  ['run kid -p go', 'asks'],
  ['run top -p go', 'asks'],
  ['run kid -p go --dry-run', 'reads'],
  ['chat kid', 'asks'],
  [`chat kid ${LAST}`, 'asks'],
  ['plan', 'reads'],
  ['plan kid --json', 'reads'],
  ['runs', 'reads'],
  ['runs --text go --status failed --json', 'reads'],
  // What was added up of a day is kept.
  ['costs', 'writes'],
  ['costs --by tag:customer --csv', 'reads'],
  [`traces ${LAST} --json`, 'reads'],
  ['eval evals/kid.toml', 'asks'],
  ['eval evals/kid.toml --list', 'reads'],
  [`eval add ${ENDED} evals/new.toml`, 'reads'],
  [`show ${LAST} --messages`, 'reads'],
  [`show ${ASKING} --json`, 'reads'],
  [`watch ${LAST}`, 'reads'],
  [`watch ${LAST} --events`, 'reads'],
  [`stop ${ASKING}`, 'writes'],
  [`kill ${ASKING}`, 'writes'],
  [`resume ${LAST}`, 'asks if stored'],
  [`resume ${ASKING}`, 'asks if stored'],
  [`fork ${ENDED} go on`, 'asks if stored'],
  [`send ${LAST} go on`, 'asks if stored'],
  ['questions', 'reads'],
  ['questions --json', 'reads'],
  [`answer ${ASKING} yes`, 'writes'],
  [`replay ${LAST}`, 'reads'],
  [`record ${LAST} new.json`, 'reads'],
  ['test recorded.json', 'reads'],
  ['agents list', 'reads'],
  ['agents show kid', 'reads'],
  [`agents diff ${LAST}`, 'reads'],
  ['agents init another', 'reads'],
  ['agents edit kid', 'reads'],
  ['agents check', 'reads'],
  ['import .', 'reads'],
  ['skills list', 'reads'],
  ['skills show brief', 'reads'],
  ['skills check', 'reads'],
  ['skills add skills/brief', 'reads'],
  ['memory show plain', 'reads'],
  ['memory export plain', 'reads'],
  ['memory import plain', 'writes'],
  ['memory assign', 'writes'],
  ['memory forget --owner ada', 'writes'],
  ['workspace list --env dev', 'reads'],
  ['workspace pull --env dev', 'reads'],
  ['workspace push --env dev', 'reads'],
  ['workspace assign --env dev --owner ada', 'reads'],
  ['gc --all', 'writes'],
  ['gc --all --dry-run', 'reads'],
  ['verify --env dev', 'reads'],
  ['doctor', 'reads'],
  ['rollout --env dev', 'reads'],
  ['pause --env dev', 'reads'],
  ['unpause --env dev', 'reads'],
  ['dead-letters --env dev', 'reads'],
  ['config path', 'reads'],
  ['config init', 'reads'],
  ['trust --list', 'reads'],
  ['serve --port 0', 'asks'],
  ['mcp', 'asks'],
  ['mcp tools kid', 'asks'],
  ['mcp login kid', 'reads'],
  ['mcp logout kid', 'reads'],
  ['states --port 0', 'reads'],
  ['states replay recorded.json', 'reads'],
  ['completion bash', 'reads'],
  ['complete show kid', 'reads'],
  ['complete run -', 'reads'],
  ['version', 'reads'],
];

const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "${MODEL}"\nskill = "brief"\n[memory]\nenabled = true\n${more}`;
/** Says with a file that it was started. */
const PROGRAM = '#!/bin/sh\n: > "$0.started"\n';
/** Those that commands start of their own accord, or might. */
const PROGRAMS = ['bwrap', 'chmod', 'esbuild', 'git', 'node', 'npm', 'rg', 'sh'].map(
  (name) => `node_modules/.bin/${name}`,
);

const CLONE = {
  'agents/top.toml': agent('top', 'sub_agents = ["kid"]\n').replace(/\[memory\]\n.*\n/, ''),
  'agents/plain.toml': agent('plain'),
  'agents/kid.toml': agent(
    'kid',
    `[schedule]
rate = "1 minute"
[[mcp_servers]]
name = "docs"
command = "sh"
args = ["-c", ": > docs.started"]
[[functions]]
name = "look_up"
description = "x"
file = "tools/look-up.ts"
`,
  ),
  'evals/kid.toml': 'agent = "kid"\n[[cases]]\nname = "one"\nprompt = "go"\nexpect = [{ contains = "x" }]\n',
  'skills/brief/SKILL.md': 'Be brief.\n',
  // What is bundled is read, and nobody ever writes to this pipe.
  'tools/look-up.ts': "import './pipe.ts'; export const handler = () => 1;",
  '.env': 'CADRE_TRUST=1\nEDITOR=": > edit.started; true"\nXDG_CONFIG_HOME=config\n',
  'config/cadre/config.toml': '[trust]\nfolders = ["/"]\n',
  'config.toml': '[trust]\nfolders = ["/"]\n',
  '.claude/agents/helper.md': '---\nname: helper\ndescription: Helps.\n---\nHelp.\n',
  '.git/config': '[core]\n\tfsmonitor = ": > fsmonitor.started"\n',
  'package.json': '{"name":"cadre","scripts":{"prepare":": > prepare.started"}}',
  ...Object.fromEntries(PROGRAMS.map((path) => [path, PROGRAM])),
};

/** The folder as it was cloned, and the same with runs. */
let clone: string;
let stored: string;
/** What bundling waits for without end. */
let pipe: string;

/** Types a command as a user who has trusted nothing, with nobody at a terminal. Commands that serve are interrupted. */
async function typed(words: string[], cwd: string, env: Record<string, string> = {}) {
  const io = recordedIo(cwd, {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: join(cwd, '../home'),
      XDG_CONFIG_HOME: join(cwd, '../home/config'),
      CADRE_TRUST: '',
      EDITOR: 'chmod 600',
      ...env,
    },
  });
  process.exitCode = 0;
  const failed = await runCommandLine(words, {
    ...io,
    stderr(text) {
      io.stderr(text);
      if (text.endsWith('stop with Ctrl-C\n')) setImmediate(io.interrupt);
    },
  });
  const code = failed ?? process.exitCode;
  process.exitCode = 0;
  return { code, out: io.out, err: io.err };
}

beforeAll(async () => {
  pipe = join(await makeFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  clone = await makeFolder(CLONE);
  stored = await makeFolder(CLONE);
  for (const folder of [clone, stored]) {
    for (const path of PROGRAMS) await chmod(join(folder, path), 0o755);
  }
  // A run of somebody who trusts it: it fails, since its server ends at once, and leaves this file behind.
  await typed(['run', 'kid', '-p', 'go'], stored, { CADRE_TRUST: '1' });
  await rm(join(stored, 'docs.started'));
  await typed(['record', LAST, 'recorded.json'], stored);
  const local = await openLocalStore(stored);
  const asking = aRun({ id: ASKING, agent: 'kid', execution: 'gone' });
  const ended = aRun({
    id: ENDED,
    agent: 'kid',
    status: 'succeeded',
    endedAt: asking.startedAt,
  });
  for (const run of [ended, asking]) {
    await local.runs.saveRequest(run.id, { agent: 'kid', prompt: 'go' });
    const opened = anOpened({ root: run.id, agent: 'kid', model: MODEL, patience: seconds(3_600) });
    await local.runs.saveOpened(run.id, opened);
    await keepRun(local.runs, run);
    await local.runs.saveTurn(run.id, aTurn());
  }
  const at = { run: asking.id, turn: 1, call: 1 };
  const question = { ...at, root: asking.id, agent: 'kid', question: 'Which?', askedAt: asking.startedAt };
  await local.runs.saveQuestion(question);
  await local.runs.saveAnswerWait(at, { token: 'token', until: Date.now() + 60_000 });
  await local.memories.append('plain', 'r', { at: asking.startedAt, task: 'old', result: 'remembered' });
  await local.close();
});

afterAll(async () => {
  for (const folder of [clone, stored, dirname(pipe)]) await rm(folder, { recursive: true, force: true });
});

/** The bytes of a store, but for the files in which LMDB notes who reads, and we which file it was that is whole. */
async function storeIn(cwd: string) {
  const content = Object.entries(await contentOf(join(cwd, STORE_FOLDER)).catch(() => ({})));
  return content.filter(([path]) => !path.startsWith('store/') || path === `store/${TABLE_FILE}`);
}

const played = PLAYED.flatMap(([line, does]) => [
  { line, does, where: 'with runs' },
  { line, does, where: 'without runs' },
]);

test.each(played)('$line $where: $does, and starts nothing', async ({ line, does, where }) => {
  const hasRuns = where === 'with runs';
  const cwd = join(await tempFolder(), 'clone');
  await cp(hasRuns ? stored : clone, cwd, { recursive: true });
  await link(pipe, join(cwd, 'tools/pipe.ts'));
  // As under npx.
  vi.stubEnv('PATH', `${join(cwd, 'node_modules/.bin')}:${process.env['PATH']}`);
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'x');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'x');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const before = await storeIn(cwd);
  const { code, err } = await typed(line.split(' '), cwd);
  const files = await readdir(cwd, { recursive: true });
  expect(files.filter((path) => path.endsWith('.started'))).toEqual([]);
  // Those that follow a run note that somebody watches, before they are refused.
  if (does === 'reads') expect(await storeIn(cwd)).toEqual(before);
  const asks = does === 'asks' || (does === 'asks if stored' && hasRuns);
  if (asks) expect([code, err]).toEqual([2, expect.stringContaining(`then run: cadre trust ${cwd}\n`)]);
  else expect(err).not.toMatch(/^error: |then run: cadre trust/);
});

test('every command is played', async () => {
  const commands = ['complete', ...(await commandsBelow([]))];
  const forgotten = commands.filter((name) => !PLAYED.some(([line]) => `${line} `.startsWith(`${name} `)));
  expect(forgotten).toEqual([]);
});

/** All commands, as help lists them. */
async function commandsBelow(words: string[]): Promise<string[]> {
  const { out } = await typed([...words, '--help'], clone);
  const [, list = ''] = out.split('\nCommands:\n');
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name = '']) =>
    name === 'help' ? [] : [name],
  );
  const below = await Promise.all(names.map((name) => commandsBelow([...words, name])));
  return names.flatMap((name, index) => [[...words, name].join(' '), ...(below[index] ?? [])]);
}
