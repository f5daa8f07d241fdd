import { millis, seconds } from '../../../src/core/records/times.ts';
import { expect, onTestFinished, test } from 'vitest';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import { endAgents } from '../../../src/core/lifecycle/end-agents.ts';
import { NOTHING_RUNS } from '../../../src/core/lifecycle/ports.ts';
import { openRun, type OpenPorts } from '../../../src/core/lifecycle/open.ts';
import { STOPPED } from '../../../src/core/records/closing-reason.ts';
import { FORMAT } from '../../../src/core/machine/format.ts';
import type { FileOwner } from '../../../src/core/agent-schema/workspace.ts';
import { ownerKey } from '../../../src/core/records/owner.ts';
import { noticed } from '../../../src/places/follow/notices.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { RunEvent } from '../../../src/core/events/event.ts';
import { DELEGATION_MODEL } from '../../../src/core/records/delegation.ts';
import type { DelegatePlan, Plan } from '../../../src/core/records/plan.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { defined } from '../../../src/defined.ts';
import { Death } from '../../fixtures/mortal.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { runsBelow, type Run } from '../../../src/core/records/run.ts';
import { writeAhead } from '../../../src/core/steps/ahead.ts';
import { aDelegation, aFork, anOpened, aRun, aTurn, keepRun } from '../../fixtures/records.ts';

const TOP = 'top-00000000000000';
const AGAIN = 'again-00000000000000';
const KID = 'kid-00000000000000-t1c1';
const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const plan: DelegatePlan = { kind: 'delegate', agent: 'kid', task: 'look  at\nthis', context: '' };
const asked = aTurn({
  answer: { calls: [{ id: 'c1', name: 'call_agent', arguments: {} }] },
  plans: [plan],
  at: '2025-12-31T23:59:59.000Z',
});
const opened = anOpened({
  delegation: aDelegation({ subAgents: ['kid'] }),
});
const top = aRun({ startedAt: '2025-12-31T23:59:50.000Z', execution: 'arn-of-top', timeout: seconds(60) });

/** A project without agents, in which a run has asked for a sub-agent. */
async function openProject(
  files: Record<string, string> = {},
  issuer?: string,
  caller: { run?: Partial<Run>; opened?: FileOwner; plan?: Plan } = {},
) {
  const cwd = await tempFolder(files);
  const { runs, memories, close } = await openLocalStore(cwd);
  onTestFinished(close);
  await keepRun(runs, { ...top, ...caller.run });
  await runs.saveOpened(TOP, { ...opened, ...caller.opened });
  await runs.saveTurn(TOP, caller.plan === undefined ? asked : { ...asked, plans: [caller.plan] });
  const events: RunEvent[] = [];
  const workspaces: (FileOwner | undefined)[] = [];
  const { store, live } = noticed(runs, (event) => void events.push(event));
  const ports = {
    cwd,
    source: openAgentFolders({ cwd, env: { XDG_CONFIG_HOME: `${cwd}/none` } }),
    openWorkspace: (workdir: string, owner?: FileOwner) => {
      workspaces.push(owner);
      return openFolderWorkspace(workdir);
    },
    issuer,
    store,
    memories,
    live,
    tools: loadOwnTools,
    now: () => NOW,
  };
  return {
    store,
    events,
    workspaces,
    /** @param other of the ports */
    open: (name: string, input: object, other: Partial<OpenPorts> = {}) =>
      openRun({ execution: `arn-of-${name}`, name, redrives: 0, input }, { ...ports, ...other }),
  };
}

test('a run that could not be opened leaves a whole record of what was asked for', async () => {
  const { store, events, open } = await openProject();
  const id = 'gone-00000000000001';
  await expect(open(id, { agent: 'gone', prompt: ' find\n it ' })).rejects.toThrow(
    'agent config not found: gone',
  );
  expect(await store.run(id)).toEqual({
    id,
    v: FORMAT,
    root: id,
    path: '',
    agent: 'gone',
    model: '',
    depth: 0,
    status: 'running',
    startedAt: '2026-01-01T00:00:00.000Z',
    task: 'find it',
    holder: 1,
    execution: `arn-of-${id}`,
    timeout: 0,
    usage: { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
  });
  expect(events).toEqual([
    { type: 'run_opened', run: id, root: id, agent: 'gone', model: '', depth: 0, task: 'find it' },
  ]);
});

test('nobody writes to an agent that no model carries on, even if it cannot be opened', async () => {
  const derived = { tools: ['spawn_agent'], model: DELEGATION_MODEL, isComputed: true as const };
  const { store, open } = await openProject({}, undefined, { plan: { ...plan, derived } });
  const parent = { run: TOP, turn: 1, call: 1 };
  const tools = () => Promise.reject(new StoreUnavailableError('too many requests'));
  const opening = open(KID, { agent: 'kid', depth: 1, deadline: NOW + 9_000, parent }, { tools });
  await expect(opening).rejects.toThrow('too many requests');
  await expect(leaveMessage({ run: KID, text: 'hi' }, { store, now: () => NOW })).rejects.toThrow(
    `run "${KID}" carries out delegate_task, and no model reads its messages; write to ${TOP}`,
  );
});

test('a top that is opened again leaves the tree its clock: its forks may have asked a person by then', async () => {
  const { store, open } = await openProject();
  const clock = { patience: millis(60_000), paused: millis(0), since: NOW - 1_000, open: ['fork t1c1'] };
  await store.saveOpened(AGAIN, { ...opened, patience: seconds(60) });
  await store.insertRun({ ...top, id: AGAIN, root: AGAIN });
  await store.changeClock(AGAIN, () => clock);
  const input = { agent: 'top', run: AGAIN, holder: 2, depth: 0, timeout: 10 };
  const { deadline } = await open(`${AGAIN}-r2`, input);
  expect({ deadline, clock: await store.clock(AGAIN) }).toEqual({ deadline: NOW + 9_000, clock });
});

test('a context that is an object, as an event of EventBridge has it, is read as JSON', async () => {
  const { store, open } = await openProject({
    'agents/a.toml': 'name = "a"\nmodel = "offline/extractive"\n',
  });
  const context = { source: 'shop', detail: { order: 7 } };
  const { run } = await open('6d2c-event', { agent: 'a', prompt: 'Check this', context });
  const made = await store.opened(run);
  expect(made?.message).toBe('Check this\n\nContext:\n{"source":"shop","detail":{"order":7}}');
});

test('a sub-agent that could not be opened leaves one in its place in the tree', async () => {
  const { store, events, open } = await openProject();
  const parent = { run: TOP, turn: 1, call: 1 };
  await expect(open(KID, { agent: 'kid', depth: 1, deadline: NOW + 9_000, parent })).rejects.toThrow(
    'failed to load agent "kid": agent config not found: kid',
  );
  expect(await store.run(KID)).toEqual({
    id: KID,
    v: FORMAT,
    root: TOP,
    parent,
    path: 't1c1',
    agent: 'kid',
    model: '',
    depth: 1,
    status: 'running',
    startedAt: '2026-01-01T00:00:00.000Z',
    task: 'look at this',
    holder: 1,
    execution: `arn-of-${KID}`,
    timeout: 0,
    usage: { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
  });
  expect(events).toEqual([
    {
      type: 'run_opened',
      run: KID,
      root: TOP,
      agent: 'kid',
      model: '',
      depth: 1,
      parent,
      task: 'look at this',
    },
  ]);
});

test.each([{ nanoUsd: 0 }, { nanoUsd: 0.4 }, { tokens: 0 }, { tokens: -1 }])(
  'a limit below the smallest unit is refused, and not taken as none: %j',
  async (budget) => {
    const { store, open } = await openProject();
    const id = 'top-00000000000001';
    await expect(open(id, { agent: 'top', budget })).rejects.toThrow(/^Invalid (type|value|integer): /);
    expect(await store.run(id)).toBeUndefined();
  },
);

test('a sub-agent that is opened late has the time that it was given, less the delay, and is told what it was given', async () => {
  const { store, open } = await openProject({ 'agents/kid.toml': 'name = "kid"\nmodel = "anthropic/x"\n' });
  const deadline = NOW + 2_500;
  const input = { agent: 'kid', run: KID, depth: 1, parent: { run: TOP, turn: 1, call: 1 }, deadline };
  expect(await open(KID, { ...input, timeout: 4 })).toMatchObject({ deadline, timeout: 4 });
  expect(await store.run(KID)).toMatchObject({ timeout: 4 });
});

test.each<[string, string, { stream?: false }]>([
  ['whole', 'stream = false\n', { stream: false }],
  ['as a stream', 'stream = true\n', {}],
])(
  'a run is opened with what its agent’s file says about its model, which answers %s',
  async (_, more, stream) => {
    const params = `[params]\ntemperature = 0.2\nmax_tokens = 100\nreasoning_effort = "low"\napi = "chat"\n${more}`;
    const limits = '[retry]\nmax_retries = 2\n[budget]\nmax_tokens = 9000\n[limits]\nusd_per_day = 2\n';
    const { store, open } = await openProject({
      'agents/a.toml': `name = "a"\nmodel = "openai/gpt-5.1"\nsystem_prompt = "You help."\ntimeout = 30\n${params}${limits}`,
    });
    const id = 'a-00000000000001';
    await store.saveRequest(id, { agent: 'a', prompt: 'go' });
    await open(id, { agent: 'a', run: id });
    const own = {
      root: id,
      agent: 'a',
      version: expect.any(String),
      model: 'openai/gpt-5.1',
      system: 'You help.',
      maxTokens: 100,
      sampling: { temperature: 0.2 },
      reasoningEffort: 'low' as const,
      api: 'chat' as const,
      retry: { maxRetries: 2, backoff: 'exponential' as const, initialDelayMs: 500, maxDelayMs: 30_000 },
      budget: { tokens: 9_000, perDay: { nanoUsd: 2_000_000_000 } },
      timeout: seconds(30),
    };
    expect(await store.opened(id)).toEqual(anOpened({ ...own, ...stream }));
  },
);

const ISSUER = 'https://login.example.org';
const KEPT = '[memory]\nenabled = true\n';
const ADA = ownerKey(ISSUER, 'ada');
const OWN: FileOwner = {};
const SHARED: FileOwner = { sharesWorkspace: true };

test.each([
  ['tells nobody apart', undefined, '', {}, SHARED],
  ['takes tokens', ISSUER, '', { owner: ADA }, OWN],
  ['takes tokens and says "agent"', ISSUER, 'owner = "agent"\n[workspace]\nowner = "agent"\n', {}, SHARED],
  [
    'takes tokens and says "person"',
    ISSUER,
    'owner = "person"\n[workspace]\nowner = "person"\n',
    { owner: ADA },
    OWN,
  ],
])(
  'a person’s run has the memory and the files that its agent’s file says: %s',
  async (_, issuer, more, memory, workspace) => {
    const agentFile = `name = "a"\nmodel = "offline/extractive"\nfiles = ["*.md"]\n${KEPT}${more}`;
    const { store, workspaces, open } = await openProject({ 'agents/a.toml': agentFile }, issuer);
    const [hers, its] = ['a-00000000000001', 'a-00000000000002'];
    await store.saveRequest(hers, { agent: 'a', prompt: 'go', owner: 'ada' });
    await store.saveRequest(its, { agent: 'a', prompt: 'go' });
    for (const run of [hers, its]) await open(run, { agent: 'a', run });
    const key = ownerKey(issuer ?? '', 'ada');
    const own = await store.opened(hers);
    expect([own?.memory, own?.owner, own?.sharesWorkspace]).toEqual([
      { name: 'a', maxEntries: 0, ...memory },
      key,
      workspace.sharesWorkspace,
    ]);
    const opened = await store.opened(its);
    expect([opened?.memory, opened?.owner, opened?.sharesWorkspace]).toEqual([
      { name: 'a', maxEntries: 0 },
      undefined,
      undefined,
    ]);
    expect(workspaces).toEqual([{ owner: key, ...workspace }, {}]);
  },
);

const HERS: FileOwner = { owner: ADA };
const SHARING: FileOwner = { owner: ADA, sharesWorkspace: true };

test.each<[string, FileOwner, string, FileOwner]>([
  ['as an earlier release opened it, without owners', {}, '', {}],
  ['as an earlier release opened it, whatever the file of the sub-agent says', {}, 'person', {}],
  ['with files of its own', HERS, '', HERS],
  ['with files that are shared', SHARING, '', SHARING],
  ['with files of its own, and the sub-agent shares its files', HERS, 'agent', SHARING],
  ['with files that are shared, and the sub-agent has its own', SHARING, 'person', HERS],
])('a sub-agent works on the files of its caller, opened %s', async (_, files, written, expected) => {
  const owner = written === '' ? '' : `[workspace]\nowner = "${written}"\n`;
  const kid = `name = "kid"\nmodel = "m/x"\n${KEPT}${owner}`;
  // The issuer may have been exchanged since.
  const { store, open } = await openProject({ 'agents/kid.toml': kid }, 'https://other.example.org', {
    run: { owner: 'ada' },
    opened: files,
  });
  await open(KID, called(1));
  const { owner: found, sharesWorkspace, memory } = (await store.opened(KID)) ?? {};
  expect(defined({ owner: found, sharesWorkspace })).toEqual(expected);
  // What it is told is hers, and not remembered for all.
  expect(memory?.owner).toBe(ownerKey('https://other.example.org', 'ada'));
});

test.each<[string, Plan]>([
  ['a fork', { kind: 'start', agent: 'kid', task: 'go', name: 'two' }],
  ['a derived sub-agent', { ...plan, derived: { message: 'go', tools: [], system: 'You help.' } }],
])('%s works on the files that its caller was opened with', async (_, made) => {
  for (const files of [{}, HERS, SHARING]) {
    const { store, open } = await openProject({}, ISSUER, {
      run: { owner: 'ada' },
      opened: files,
      plan: made,
    });
    await open(KID, called(1));
    const { owner, sharesWorkspace } = (await store.opened(KID)) ?? {};
    expect([defined({ owner, sharesWorkspace }), (await store.run(KID))?.owner]).toEqual([files, 'ada']);
  }
});

/** The input of a sub-agent that the first execution of its caller, or another one, has started. */
const called = (parentHolder: number) => ({
  agent: 'kid',
  run: KID,
  depth: 1,
  deadline: NOW + 9_000,
  parent: { run: TOP, turn: 1, call: 1 },
  parentHolder,
});
const STOP = { status: 'stopped' as const, failure: { error: 'Stopped', message: 'enough' } };

test('a sub-agent that was started, but not opened, when its caller was stopped asks no model', async () => {
  const { store, open } = await openProject({ 'agents/kid.toml': 'name = "kid"\nmodel = "m/x"\n' });
  await store.updateRun(TOP, (run) => ({ ...run, ...STOP }));
  const refusal = `its caller, run "${TOP}", has ended: its status is stopped`;
  await expect(open(KID, called(1))).rejects.toThrow(refusal);
  // Not as failed: it begins once its caller is resumed.
  expect(await store.run(KID)).toMatchObject({ status: 'stopped', failure: { message: STOPPED } });
  await expect(open(KID, called(1))).rejects.toThrow(refusal);
});

test('a sub-agent of a caller that was redriven is opened, although the record of that is not open yet', async () => {
  const { store, open } = await openProject({ 'agents/kid.toml': 'name = "kid"\nmodel = "m/x"\n' });
  await store.updateRun(TOP, (run) => ({ ...run, ...STOP }));
  expect(await open(KID, called(2))).toMatchObject({ run: KID });
  expect(await store.run(KID)).toMatchObject({ status: 'running', parentHolder: 2 });
  // And once more.
  expect(await open(KID, { ...called(3), holder: 2 })).toMatchObject({ run: KID });
  expect(await store.run(KID)).toMatchObject({ status: 'running', holder: 2, parentHolder: 3 });
});

/** A tree that has ended, but for a sub-agent that is still to be opened. */
async function openEnded() {
  const { store, open } = await openProject({ 'agents/kid.toml': 'name = "kid"\nmodel = "m/x"\n' });
  const listed = async () => {
    const trees: string[][] = [];
    for await (const tree of await store.openTrees()) trees.push(tree.map(({ id }) => id));
    return trees;
  };
  await store.updateRun(TOP, (run) => ({ ...run, status: 'succeeded' }));
  expect(await listed()).toEqual([]);
  return { store, open, listed };
}

test('a fork that is woken as its caller is stopped is stopped with that, to go on with it', async () => {
  const { store, open } = await openProject();
  await keepRun(store, aFork(top, { id: KID, status: 'idle' }));
  await store.saveOpened(KID, opened);
  await store.updateRun(TOP, (run) => ({ ...run, ...STOP }));
  const woken = { ...called(1), parentHolder: undefined, holder: 2, isWoken: true };
  await expect(open(KID, woken)).rejects.toThrow(
    `its caller, run "${TOP}", has ended: its status is stopped`,
  );
  expect(await store.run(KID)).toMatchObject({ status: 'stopped', holder: 2, failure: { message: STOPPED } });
});

const background: Plan = { kind: 'start', agent: 'kid', name: 'kid', task: 'look', context: '' };
const LIMITED = { status: 'budget_exceeded', exceeded: 'budget exceeded' } as const;

test.each<[string, Plan]>([
  ['a sub-agent', plan],
  ['an agent in the background', background],
  ['a fork', { kind: 'start', agent: 'kid', name: 'kid', task: 'look' }],
])('%s that is opened after the answer of the execution that began it asks no model', async (_, made) => {
  for (const end of [{ status: 'succeeded' }, LIMITED] as const) {
    const kid = { 'agents/kid.toml': 'name = "kid"\nmodel = "m/x"\n' };
    const { store, open } = await openProject(kid, undefined, { plan: made });
    await store.updateRun(TOP, (run) => ({ ...run, ...end }));
    const refusal = `its caller, run "${TOP}", has ended: its status is ${end.status}`;
    await expect(open(KID, called(1))).rejects.toThrow(refusal);
    expect(await store.run(KID)).toMatchObject({ status: 'stopped', failure: { message: STOPPED } });
    expect(await open(KID, { ...called(2), holder: 2 })).toMatchObject({ run: KID });
  }
});

test('nor does one that ended with its caller before it was opened', async () => {
  const kid = { 'agents/kid.toml': 'name = "kid"\nmodel = "m/x"\n' };
  const { store, open } = await openProject(kid, undefined, { plan: background });
  await writeAhead(background, { run: top, turn: 1, call: 1, limits: opened.delegation, store }, NOW);
  await store.updateRun(TOP, (run) => ({ ...run, ...LIMITED }));
  const ports = { ...NOTHING_RUNS, store, now: () => NOW };
  await endAgents(TOP, (tree) => runsBelow(top, tree), { error: 'Stopped', message: 'no more' }, ports);
  await expect(open(KID, called(1))).rejects.toThrow('has ended');
  expect(await store.run(KID)).toMatchObject({ status: 'stopped' });
});

test('a sub-agent that is opened after its whole tree has ended has the next sweep look at that if its function dies', async () => {
  const { store, open, listed } = await openEnded();
  const insertRun: typeof store.insertRun = async (run) => {
    await store.insertRun(run);
    throw new Death();
  };
  await expect(open(KID, called(1), { store: { ...store, insertRun } })).rejects.toThrow(Death);
  expect(await listed()).toEqual([[TOP, KID]]);
});

test('a record says from its beginning that hooks are asked about the texts of its run', async () => {
  const hook =
    '[[functions]]\nname = "check"\nfunction = "f"\noffer = false\n\n[[hooks]]\non = "before_answer"\nfunction = "check"\n';
  const { store, open } = await openProject({
    'agents/kid.toml': `name = "kid"\nmodel = "offline/extractive"\n${hook}`,
  });
  const input = { agent: 'kid', run: KID, depth: 1, parent: { run: TOP, turn: 1, call: 1 } };
  await open(KID, { ...input, deadline: NOW + 9_000, timeout: 9 });
  expect(await store.run(KID)).toMatchObject({ status: 'running', withholds: true });
});
