import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { exportMemory, importMemory } from '../../../src/doors/cli/commands/memory.ts';
import { assignMemory, forgetMemory } from '../../../src/doors/cli/commands/memory-owners.ts';
import { listWorkspace } from '../../../src/doors/cli/commands/workspace.ts';
import { assignWorkspace } from '../../../src/doors/cli/commands/workspace-assign.ts';
import { ownerKey } from '../../../src/core/records/owner.ts';
import { openCloudStore } from '../../../src/places/aws/store/cloud-store.ts';
import { createDynamoDbTable, startDynamoDb } from '../../fixtures/dynamodb.ts';
import { anOpened, aRun } from '../../fixtures/records.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { checksumOf, startS3Server } from '../../fixtures/s3-server.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { stubAws } from '../../fixtures/stub-aws.ts';

const ISSUER = 'https://login.example.org';
const HERS = 'x-00000000000001';
const HIS = 'x-00000000000002';
const ITS = 'x-00000000000003';
const SHOWN = 'x-00000000000004';

const settings = mockClient(SSMClient);
afterAll(() => settings.restore());

/** An environment whose API takes tokens, with runs of two persons and of the account. */
async function deploy() {
  const [dynamo, bucket] = await Promise.all([startDynamoDb(), startS3Server('bucket')]);
  await createDynamoDbTable(dynamo.endpoint, 'table');
  const deployment = {
    region: 'eu-central-1',
    stateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre-dev',
    tableName: 'table',
    bucketName: 'bucket',
    apiUrl: 'https://api.example.org',
    takesSignatures: false,
    issuer: ISSUER,
    keepDays: 30,
  };
  settings.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(deployment) } });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await Promise.all([dynamo.close(), bucket.close()]);
  });
  stubAws({
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
  });
  const store = openCloudStore({ ...deployment, bucket: 'bucket' });
  const { runs } = store;
  const begin = async (id: string, owner: string | undefined, memory: object = {}) => {
    await runs.insertRun(aRun({ id, root: id, agent: 'x', ...(owner !== undefined && { owner }) }));
    await runs.saveOpened(id, anOpened({ root: id, ...memory }));
    await runs.updateRun(id, (run) => ({ ...run, status: 'succeeded' }));
  };
  const remembers = { memory: { name: 'notes', maxEntries: 0 } };
  await begin(HERS, 'ada', remembers);
  await begin(HIS, 'bob', remembers);
  await begin(ITS, undefined, remembers);
  await begin(SHOWN, 'ada');
  const cwd = await tempFolder({
    'agents/x.toml': 'name = "x"\nmodel = "m/x"\n[memory]\nenabled = true\npath = "notes"\n',
  });
  return { ...store, bucket, cwd };
}

const entry = (hour: number) => ({ at: `2026-01-31T${hour}:00:00Z`, task: `task ${hour}`, result: 'done' });

async function exported(cwd: string, owner?: string): Promise<string[]> {
  const io = recordedIo(cwd);
  await exportMemory('x', { env: 'dev', ...(owner !== undefined && { owner }) }, io);
  return io.out.match(/task \d+/g) ?? [];
}

test('entries of before are moved to the owners whom their runs name, to one of them or to all', async () => {
  const { memories, cwd } = await deploy();
  await memories.append('notes', HERS, entry(10));
  await memories.append('notes', HIS, entry(11));
  await memories.append('notes', ITS, entry(12));
  await memories.append('notes', 'x-gone0000000000', entry(13));
  expect([await exported(cwd), await exported(cwd, 'ada')]).toEqual([
    ['task 10', 'task 11', 'task 12', 'task 13'],
    [],
  ]);
  const first = recordedIo(cwd);
  await assignMemory('x', { env: 'dev', owner: 'ada' }, first);
  expect(first.out).toBe("notes: 1 entry moved, 3 stay the account's\n");
  const second = recordedIo(cwd);
  await assignMemory(undefined, { env: 'dev' }, second);
  expect(second.out).toBe("notes: 1 entry moved, 2 stay the account's\n");
  expect(await Promise.all([undefined, 'ada', 'bob'].map((owner) => exported(cwd, owner)))).toEqual([
    ['task 12', 'task 13'],
    ['task 10'],
    ['task 11'],
  ]);
  // An agent that is opened for her finds it there.
  expect(await memories.of(ownerKey(ISSUER, 'ada')).entries('notes', 0)).toEqual([entry(10)]);
});

test('an owner is forgotten in every memory, and what remains is told', async () => {
  const { memories, lasting: table, cwd } = await deploy();
  const ada = memories.of(ownerKey(ISSUER, 'ada'));
  await memories.append('notes', HERS, entry(10));
  await memories.append('notes', ITS, entry(11));
  await ada.append('notes', HERS, entry(12));
  await ada.append('of an agent that is gone', HERS, entry(13));
  await memories.of(ownerKey(ISSUER, 'bob')).append('notes', HIS, entry(14));
  const signedIn = (name: string) => ({
    partition: `login@${ownerKey(ISSUER, name)}`,
    sort: 'server#of docs',
  });
  for (const name of ['ada', 'bob']) await table.putIfAbsent(signedIn(name), { sealed: 'tokens' });
  const io = recordedIo(cwd);
  await forgetMemory({ env: 'dev', owner: 'ada' }, io);
  expect(io.out).toBe(`notes: 2 entries removed
of an agent that is gone: 1 entry removed
Forgotten: 3 entries of "ada".
Sign-ins to 1 server removed; tokens stay valid there until they end.

Runs that still hold entries:
  ${HERS}

What remains:
  runs, for 30 days after they were last at work
  points in time to which the table can be restored, for 35 days
  the names of memories, under a hash of the owner
  earlier versions of objects in the bucket, for 30 days, where the environment retains its data
`);
  expect(await Promise.all([undefined, 'ada', 'bob'].map((owner) => exported(cwd, owner)))).toEqual([
    ['task 11'],
    [],
    ['task 14'],
  ]);
  expect(await ada.entries('of an agent that is gone', 0)).toEqual([]);
  expect([await table.get(signedIn('ada')), (await table.get(signedIn('bob')))?.value]).toEqual([
    undefined,
    { sealed: 'tokens' },
  ]);
});

test('persons of two issuers who have the same subject are told apart', async () => {
  const { memories, runs, cwd } = await deploy();
  const earlier = 'https://id.example.org';
  const others = 'x-00000000000005';
  await runs.insertRun(aRun({ id: others, root: others, agent: 'x', owner: 'ada', issuer: earlier }));
  await memories.append('notes', HERS, entry(10));
  await memories.append('notes', others, entry(11));
  const io = recordedIo(cwd);
  await assignMemory('x', { env: 'dev', owner: 'ada' }, io);
  expect(io.out).toBe("notes: 1 entry moved, 1 stay the account's\n");
  await assignMemory('x', { env: 'dev' }, io);
  const keptBy = (issuer: string) => memories.of(ownerKey(issuer, 'ada')).entries('notes', 0);
  const kept = () => Promise.all([ISSUER, earlier].map(keptBy));
  expect(await kept()).toEqual([[entry(10)], [entry(11)]]);
  await memories.append('notes', others, entry(12));
  await forgetMemory({ env: 'dev', owner: 'ada' }, recordedIo(cwd));
  expect(await kept()).toEqual([[], [entry(11)]]);
  const shown = recordedIo(cwd);
  await exportMemory('x', { env: 'dev', owner: 'ada', issuer: earlier }, shown);
  expect(shown.out).toContain('task 11');
  await forgetMemory({ env: 'dev', owner: 'ada', issuer: earlier }, recordedIo(cwd));
  expect([await kept(), await exported(cwd)]).toEqual([[[], []], []]);
});

test('an exported memory is imported for an owner', async () => {
  const { cwd } = await deploy();
  const stdin = '## 2026-01-31T10:00:00Z\n**Task:** task 10\n**Result:** done\n\n';
  await importMemory('x', { env: 'dev', owner: 'ada' }, recordedIo(cwd, { stdin }));
  expect([await exported(cwd), await exported(cwd, 'ada')]).toEqual([[], ['task 10']]);
});

test('files are moved to an owner: those that are named, and the results of the owner’s runs', async () => {
  const { bucket, cwd } = await deploy();
  const put = (path: string, text: string) => {
    const bytes = Buffer.from(text);
    bucket.objects.set(path, { bytes, contentType: '', checksum: checksumOf(bytes), modified: new Date(0) });
  };
  const own = `workspace@${ownerKey(ISSUER, 'ada')}/`;
  put('workspace/letters/a.md', 'one');
  put('workspace/letters/deep/b.md', 'two');
  put('workspace/lettersc.md', 'three');
  put(`workspace/.cadre-results/${HERS}-t1c1.txt`, 'hers');
  put(`workspace/.cadre-results/${HIS}-t1c1.txt`, 'his');
  const move = (paths: string[], force = false) =>
    assignWorkspace(paths, { env: 'dev', owner: 'ada', force }, recordedIo(cwd));
  await expect(move(['nothing.md'])).rejects.toThrow('the account has no file "nothing.md"');
  put(`${own}letters/a.md`, 'another');
  await expect(move(['letters/'])).rejects.toThrow(
    'nothing was moved: other content is there of "letters/a.md"',
  );
  expect(bucket.objects.size).toBe(6);
  expect(await move(['./letters'], true)).toBe(0);
  expect([...bucket.objects].map(([key, { bytes }]) => `${key} ${String(bytes)}`).sort()).toEqual([
    `workspace/.cadre-results/${HIS}-t1c1.txt his`,
    'workspace/lettersc.md three',
    `${own}.cadre-results/${HERS}-t1c1.txt hers`,
    `${own}letters/a.md one`,
    `${own}letters/deep/b.md two`,
  ]);
  const io = recordedIo(cwd);
  await listWorkspace({ env: 'dev', owner: 'ada', workdir: 'letters' }, io);
  expect(io.out).toBe('a.md\t3\ndeep/b.md\t3\n');
});
