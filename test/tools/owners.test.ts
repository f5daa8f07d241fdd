import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { FileOwner } from '../../src/core/agent-schema/workspace.ts';
import {
  MEMORY_TOOLS,
  PLANNED_NAMES,
  TOOL_GROUPS,
  TOOL_NAMES,
} from '../../src/core/agent-schema/tool-names.ts';
import { ownerKey } from '../../src/core/records/owner.ts';
import { cloudWorkspaces } from '../../src/places/aws/cloud-workspace.ts';
import type { ToolArguments } from '../../src/core/tool-contracts/tool.ts';
import { startS3Server, type S3Server } from '../fixtures/s3-server.ts';
import { openStage, use, type Asked } from '../fixtures/stage.ts';
import { workIn } from './files/workbench.ts';

const ALL = [...TOOL_NAMES, ...MEMORY_TOOLS];
type ToolName = (typeof ALL)[number];

const FILE = 'secret.txt';
const RESULT = '.cadre-results/top-00000000000000-t1c1.txt';
const SECRET = 'My salary is 98765';

/** What a tool reaches of others, and a call that tries. A new tool has to say here what it does. */
type Reach =
  /** Files: the call is about one of another owner. */
  | { files: (path: string) => ToolArguments }
  /** Agents: the call names one of another owner's tree. */
  | { agents: (id: string) => ToolArguments }
  /** A memory: the call is about an entry of another owner's, by its id. */
  | { memory: (id: string) => ToolArguments }
  /** Nothing of others: it starts agents of its own tree, asks its own people, or waits for itself. */
  | 'its own tree'
  /** What its agent's file allows, which belongs to nobody. */
  | 'the world';

const TABLE: Record<ToolName, Reach> = {
  delete_file: { files: (path) => ({ path }) },
  edit_file: { files: (path) => ({ path, old_string: 'salary', new_string: 'wage' }) },
  git_diff: { files: (path) => ({ path }) },
  git_log: { files: (path) => ({ path }) },
  glob: { files: (path) => ({ pattern: path.replace(/[^/]+$/, '*') }) },
  grep: { files: (path) => ({ pattern: 'salary', path: path.includes('/') ? path : '' }) },
  list_directory: { files: (path) => ({ path: path.includes('/') ? path.split('/')[0] : '.' }) },
  read_file: { files: (path) => ({ path }) },
  // A file of its own comes to be: the other's stays as it was.
  write_file: { files: (path) => ({ path, content: 'mine' }) },
  kill: { agents: (id) => ({ uuid: id }) },
  list_agents: 'its own tree',
  mail_check: 'its own tree',
  mail_delete: { agents: (id) => ({ id }) },
  mail_filter: { agents: (id) => ({ from: id }) },
  mail_read: { agents: (id) => ({ id }) },
  mail_send: { agents: (id) => ({ to: id, body: 'Tell me all' }) },
  memory_forget: { memory: (id) => ({ id }) },
  // An entry of its own comes to be.
  memory_save: { memory: () => ({ text: 'mine' }) },
  memory_search: { memory: () => ({ query: 'salary' }) },
  ask_user: 'its own tree',
  delegate_task: 'its own tree',
  fork: 'its own tree',
  spawn_agent: 'its own tree',
  sub_agent: 'its own tree',
  wait: 'its own tree',
  fetch_url: 'the world',
  run_command: 'the world',
  web_search: 'the world',
};

const MEMORY = '[memory]\nsearch = true\nowner = "person"\npath = "ours"\n';

const ADA: FileOwner = { owner: ownerKey('https://login.example.org', 'ada') };
const BOB: FileOwner = { owner: ownerKey('https://login.example.org', 'bob') };

let bucket: S3Server;
beforeAll(async () => {
  bucket = await startS3Server('bucket');
});
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_S3', bucket.endpoint);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => bucket.close());

test('every tool is in the table, those that are planned among them', () => {
  expect(Object.keys(TABLE).sort()).toEqual([...ALL].sort());
  // `call_agent` starts agents of its own tree, as the others do; no file names it.
  const planned = PLANNED_NAMES.filter((name) => name !== 'call_agent');
  const reaches = new Map<string, Reach>(Object.entries(TABLE));
  expect(planned.map((name) => reaches.get(name))).toEqual(planned.map(() => 'its own tree'));
});

/** Whether files are shared, whose file it is, and who tries to get it. */
const PLACES: [string, string, FileOwner, FileOwner][] = [
  ['a file of another person', FILE, ADA, BOB],
  ['a file of the account', FILE, {}, BOB],
  ['a file of a person, from a run of the account', FILE, ADA, {}],
  ['a result of another person', RESULT, ADA, BOB],
  [
    'a result of another person, where files are shared',
    RESULT,
    { ...ADA, sharesWorkspace: true },
    { ...BOB, sharesWorkspace: true },
  ],
  ['a result of a person, from a run of the account', RESULT, { ...ADA, sharesWorkspace: true }, {}],
];

test.each(PLACES)('no tool for files reaches %s', async (_, path, whose, who) => {
  const open = cloudWorkspaces('bucket', 'eu-west-1');
  for (const name of TOOL_GROUPS.files) {
    const reach = TABLE[name];
    if (typeof reach === 'string' || !('files' in reach)) throw new Error(`${name} has no call`);
    bucket.objects.clear();
    await open('docs', whose).write(path, Buffer.from(SECRET), undefined);
    const [key = ''] = bucket.objects.keys();
    const { call } = workIn(open('docs', who));
    const { text } = await call(name, reach.files(path));
    expect(text).not.toContain('98765');
    if (name === 'glob' || name === 'list_directory') expect(text).not.toContain(path.split('/').at(-1));
    expect(String(bucket.objects.get(key)?.bytes)).toBe(SECRET);
  }
});

test('those who share files share them, and each finds the own results', async () => {
  const open = cloudWorkspaces('bucket', 'eu-west-1');
  bucket.objects.clear();
  const [ada, bob] = [ADA, BOB].map((owner) => workIn(open('', { ...owner, sharesWorkspace: true })));
  await ada?.call('write_file', { path: 'plan.md', content: 'ours' });
  expect(await bob?.say('read_file', { path: 'plan.md' })).toContain('ours');
  await ada?.workspace.write(RESULT, Buffer.from('long'), undefined);
  expect(await ada?.say('read_file', { path: RESULT })).toContain('long');
  expect(await ada?.say('glob', { pattern: '.cadre-results/*' })).toBe(RESULT);
  expect(await ada?.say('list_directory', {})).toBe('plan.md (4 bytes)');
  expect([...bucket.objects.keys()].sort()).toEqual([
    'workspace/plan.md',
    `workspace@${ADA.owner}/${RESULT}`,
  ]);
});

test('no tool for agents reaches those of another owner’s tree', async () => {
  const reaching = Object.entries(TABLE).flatMap(([name, reach]) =>
    typeof reach === 'object' && 'agents' in reach ? [[name, reach.agents] as const] : [],
  );
  let hers = '';
  const stage = await openStage(
    {
      top: () => 'hers',
      spy: ({ turn, results }: Asked) =>
        turn === 1 ? reaching.map(([name, args]) => use(name, args(hers))) : results.join('\n'),
    },
    { spy: 'tools = ["agents"]\n' },
  );
  const { store } = stage.pipeline;
  hers = (await stage.run({ owner: 'ada' })).run.id;
  const before = [await store.tree(hers), await store.mails(hers)];
  const { run } = await stage.run({ agent: 'spy', owner: 'bob' });
  expect([await store.tree(hers), await store.mails(hers)]).toEqual(before);
  const results = (await store.turns(run.id)).at(-1)?.answer.text ?? '';
  expect(results.split('\n')).toHaveLength(reaching.length);
  expect(results).not.toContain('hers');
});

test.each([
  ['another person', 'ada', 'bob'],
  ['the account', undefined, 'bob'],
  ['a person, from a run of the account', 'ada', undefined],
])('no tool for memories reaches an entry of %s', async (_, whose, who) => {
  const stage = await openStage(
    {
      top: ({ turn, results }: Asked) =>
        turn === 1 ? [use('memory_save', { text: SECRET })] : results.join('\n'),
      spy: ({ turn, results }: Asked) =>
        turn === 1 ? reaching.map(([name, args]) => use(name, args(id))) : results.join('\n'),
    },
    { top: MEMORY, spy: MEMORY },
  );
  const reaching = Object.entries(TABLE).flatMap(([name, reach]) =>
    typeof reach === 'object' && 'memory' in reach ? [[name, reach.memory] as const] : [],
  );
  const run = async (agent: string, owner: string | undefined) => {
    const ended = await stage.run({ agent, ...(owner !== undefined && { owner }) });
    return ended.out;
  };
  const [, id = ''] = /^Saved: (\w+)/.exec(await run('top', whose)) ?? [];
  expect((await run('spy', who)).trimEnd().split('\n')).toEqual([
    `There is no entry ${id}.`,
    expect.stringMatching(/^Saved: \w+$/),
    '(nothing found)',
  ]);
  const { memories } = stage.pipeline.local;
  const key = whose && ownerKey('', whose);
  expect((await memories.of(key).entries('ours', 0)).map(({ result }) => result)).toEqual([SECRET]);
});
