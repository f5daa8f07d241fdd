import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { open } from 'lmdb';
import release from '../package.json' with { type: 'json' };
import { parseJson } from '../src/json.ts';
import { TABLE_FILE } from '../src/places/local/store/lmdb/table.ts';
import { valueEncoder } from '../src/places/local/store/lmdb/values.ts';

/**
 * Writes what this release keeps of some runs to test/fixtures/stores/<version>, as text: `npm run fixture-store`.
 * Every later release shows and resumes them in a test. A release has one such fixture, which is never written again.
 */

const root = join(import.meta.dirname, '..');
const fixture = join(root, 'test/fixtures/stores', release.version);

const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "scripted/scripts/${name}.toml"\n${more}`;
const says = (text: string, more = '') =>
  `[[conversations]]\n[[conversations.turns]]\ntext = "${text}"\n${more}`;
/** @param then the texts of its next turns */
const asks = (agents: string[], ...then: string[]) => {
  const calls = agents.map(
    (name) => `{ name = "call_agent", arguments = { agent = "${name}", task = "help" } }`,
  );
  const texts = then.map((text) => `[[conversations.turns]]\ntext = "${text}"\n`);
  return `[[conversations]]\n[[conversations.turns]]\ncalls = [${calls.join(', ')}]\n${texts.join('')}`;
};

/** As the tests find them: the second time, everything is quick and nothing fails. */
const files = {
  'agents/finished.toml': agent('finished', 'sub_agents = ["quick"]\n[memory]\nenabled = true\n'),
  'agents/halted.toml': agent(
    'halted',
    'sub_agents = ["quick", "slow"]\n[budget]\nmax_tokens = 100000\nmax_turns = 20\n',
  ),
  'agents/failed.toml': agent('failed'),
  'agents/beside.toml': agent(
    'beside',
    'sub_agents = ["slow"]\n[sub_agents_config]\nbackground = "always"\n',
  ),
  'agents/quick.toml': agent('quick'),
  'agents/slow.toml': agent('slow'),
  'scripts/finished.toml': asks(['quick'], '{{results}}'),
  'scripts/halted.toml': asks(['quick', 'slow'], '{{results}}'),
  'scripts/beside.toml': asks(['slow'], 'slow is at work', 'slow has ended'),
  'scripts/failed.toml': says('all is well'),
  'scripts/quick.toml': says('quick'),
  'scripts/slow.toml': says('slow'),
};
const firstTime = {
  'scripts/failed.toml':
    '[[conversations]]\n[[conversations.turns]]\nerror = { category = "server", message = "no" }\n',
  'scripts/slow.toml': says('slow', 'delay_ms = 3600000\n'),
};

async function write(folder: string, texts: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** Runs an agent, and kills its process when it says so on stderr. */
function run(cwd: string, name: string, prompt: string, until?: string): Promise<void> {
  const command = [join(root, 'bin/cadre.js'), 'run', name, '-p', prompt, '-v'];
  const env = { PATH: process.env['PATH'], HOME: cwd, XDG_CONFIG_HOME: cwd };
  const child = spawn(process.execPath, command, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (until !== undefined && said.includes(until)) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.once('close', () => resolve()));
}

/** Every item but those that are of processes. */
function itemsOf(folder: string): object[] {
  const database = open<string, Uint8Array>({
    path: join(folder, TABLE_FILE),
    noSubdir: true,
    encoder: valueEncoder,
    keyEncoding: 'binary',
    readOnly: true,
  });
  const items = [...database.getRange()].map(({ key, value }) => {
    const bytes = Buffer.from(key);
    const end = 2 + bytes.readUInt16BE();
    const space = value.indexOf(' ');
    return {
      partition: bytes.toString('utf8', 2, end),
      sort: bytes.toString('utf8', end),
      version: Number(value.slice(0, space)),
      value: parseJson(value.slice(space + 1)),
    };
  });
  return items.filter(({ partition }) => partition !== 'running' && partition !== 'serving');
}

async function blobsOf(folder: string): Promise<object[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => ({
      blob: path.slice(folder.length + 1),
      text: await readFile(path, 'utf8'),
    })),
  );
}

const cwd = await mkdtemp(join(tmpdir(), 'cadre-fixture-'));
try {
  await write(cwd, { ...files, ...firstTime });
  // Too long for the table, so that it is kept as a blob.
  await run(cwd, 'finished', 'words '.repeat(11_000));
  await run(cwd, 'halted', 'go', '"quick" completed');
  await run(cwd, 'failed', 'go');
  await run(cwd, 'beside', 'go', '[turn 2] Received response');
  const kept = [...itemsOf(join(cwd, '.cadre/store')), ...(await blobsOf(join(cwd, '.cadre/blobs')))];
  await write(fixture, {
    ...files,
    'store.jsonl': kept.map((item) => `${JSON.stringify(item)}\n`).join(''),
  });
} finally {
  await rm(cwd, { recursive: true });
}
