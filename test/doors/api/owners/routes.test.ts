import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashOf, toAttachment } from '../../../../src/core/attachments/to-attachment.ts';
import { ROUTES } from '../../../../src/doors/api/routes.ts';
import { png } from '../../../fixtures/images.ts';
import { call, use, type Asked } from '../../../fixtures/stage.ts';
import { aRun, keepRun } from '../../../fixtures/records.ts';
import { bearer, ISSUER, openDoors, type Caller, type Doors } from './deployed-doors.ts';

/** Runs of each caller: of an agent that answers, of its sub-agent, and of one that asks a person. */
interface Runs {
  top: string;
  kid: string;
  asker: string;
}

const chart = png(1200, 800);
const { attachment: CHART } = toAttachment(chart);

/** What a route has of runs. */
type Entry =
  /** Nothing: it answers all alike. */
  | { has: 'none'; path: string; body?: object }
  /** A run: others are told that there is none. */
  | { has: 'run'; path: (runs: Runs) => string; body?: object }
  /** A list: others miss it there. A word of it is looked for. */
  | { has: 'list'; paths: string[]; word: (runs: Runs, who: Caller) => string }
  /** It starts a run of its caller. */
  | { has: 'start' }
  /** Sign-ins of a caller to servers: sign-ins.test.ts. */
  | { has: 'signIns' }
  /** Files that a caller leaves. */
  | { has: 'uploads' };

const ofRun = (rest = '', body?: object): Entry => ({
  has: 'run',
  path: ({ top }) => `/runs/${top}${rest}`,
  ...(body !== undefined && { body }),
});

/** Every route. A new one has to say here what it has of runs. */
const TABLE: Record<keyof typeof ROUTES, Entry> = {
  listAgents: { has: 'none', path: '/agents' },
  getAgent: { has: 'none', path: '/agents/kid' },
  startRun: { has: 'start' },
  runAgUi: { has: 'start' },
  placeAttachment: { has: 'uploads' },
  putAttachment: { has: 'uploads' },
  getAttachment: ofRun(`/attachments/${CHART.hash}`),
  listRuns: {
    has: 'list',
    paths: [
      '/runs',
      '/runs?limit=100&agent=top',
      '/runs?text=plan',
      '/runs?tag=kind=secret',
      '/runs?status=succeeded',
      '/runs?since=1d',
    ],
    word: ({ top }) => top,
  },
  getCosts: {
    has: 'list',
    paths: ['/costs?by=owner', '/costs?by=day,owner', '/costs?by=agent,model,owner,version'],
    word: (_, who) => (who === 'account' ? '"agent":"x"' : `"owner":"${who === 'admin' ? 'root' : who}"`),
  },
  listEvals: { has: 'none', path: '/evals' },
  getRun: ofRun(),
  getTree: ofRun('/tree'),
  getTreeEvents: ofRun('/tree/events'),
  getMessages: ofRun('/messages'),
  getWritingEvents: ofRun('/writing/events'),
  getChanges: ofRun('/changes'),
  getResult: ofRun('/result'),
  getEvents: ofRun('/events'),
  stopRun: ofRun('/stop'),
  killRun: { has: 'run', path: ({ kid }) => `/runs/${kid}/kill` },
  forkRun: ofRun('/fork', { turn: 1 }),
  addBudget: ofRun('/budget', { max_tokens: 1000 }),
  resumeRun: ofRun('/resume', {}),
  sendMessage: ofRun('/messages', { text: 'more' }),
  listQuestions: { has: 'list', paths: ['/questions'], word: ({ asker }) => asker },
  getQuestion: { has: 'run', path: ({ asker }) => `/runs/${asker}/questions/t1c1` },
  answerQuestion: {
    has: 'run',
    path: ({ asker }) => `/runs/${asker}/questions/t1c1/answer`,
    body: { text: 'blue' },
  },
  listServers: { has: 'none', path: '/servers' },
  connectServer: { has: 'signIns' },
  disconnectServer: { has: 'signIns' },
  completeSignIn: { has: 'signIns' },
  getHealth: { has: 'none', path: '/health' },
  getOpenApi: { has: 'none', path: '/openapi.json' },
};

const ENTRIES = Object.entries(TABLE).map(([name, entry]) => {
  const route = Object.entries(ROUTES).find(([each]) => each === name)?.[1];
  if (route === undefined) throw new Error(`there is no route ${name}`);
  return { name, entry, method: route.method.toUpperCase() };
});

/** Who may see runs of whom. */
const MAY_SEE: Record<Caller, readonly Caller[]> = {
  ada: ['ada'],
  bob: ['bob'],
  admin: ['ada', 'bob', 'admin', 'account'],
  account: ['ada', 'bob', 'admin', 'account'],
};
const ALL = ['ada', 'bob', 'admin', 'account'] as const satisfies Caller[];

async function openWorld() {
  const doors = await openDoors(
    {
      top: ({ turn }: Asked) => (turn === 1 ? [call('kid', 'the plan')] : 'done'),
      kid: () => 'small',
      asker: ({ turn, results }: Asked) =>
        turn === 1 ? [use('ask_user', { question: 'Which one?' })] : results.join(),
    },
    { top: 'sub_agents = ["kid"]\n', asker: 'tools = ["ask_user"]\ntimeout = 60\n' },
  );
  const runs = new Map<Caller, Runs>();
  for (const who of ALL) {
    await doors.ask(who, 'PUT', `/attachments/${CHART.hash}`, chart);
    const body = { tags: { kind: 'secret' }, attachments: [CHART.hash] };
    const top = await doors.started(who, 'top', body);
    const { text } = await doors.ask(who, 'POST', '/agents/asker/runs', {});
    const asker = JSON.parse(text).run_id;
    await expect.poll(async () => (await doors.ask(who, 'GET', '/questions')).text).toContain(asker);
    runs.set(who, { top, kid: `kid-${top.slice('top-'.length)}-t1c1`, asker });
  }
  const of = (who: Caller) => {
    const own = runs.get(who);
    if (own === undefined) throw new Error(`${who} has no runs`);
    return own;
  };
  return { ...doors, of };
}

test('every route shows and does what is its caller’s: for two persons, an administrator and the account', async () => {
  const { ask, of, stage } = await openWorld();
  const { store } = stage.pipeline;
  expect(Object.keys(TABLE).sort()).toEqual(Object.keys(ROUTES).sort());
  const seen: string[] = [];
  for (const { name, entry, method } of ENTRIES) {
    if (entry.has === 'none') {
      const replies = await Promise.all(ALL.map((who) => ask(who, method, entry.path)));
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
    for (const who of ALL) {
      for (const whose of ALL) {
        const may = MAY_SEE[who].includes(whose);
        const at = `${name} ${who} ${whose}`;
        if (entry.has === 'list') {
          // Costs of the account have no owner to be looked for.
          if (name === 'getCosts' && whose === 'account') continue;
          const word = entry.word(of(whose), whose);
          for (const path of entry.paths) {
            const { text } = await ask(who, method, path);
            if (text.includes(word) !== may) seen.push(`${at} ${path}`);
          }
        }
        if (entry.has === 'run' && !may) {
          const path = entry.path(of(whose));
          const id = path.split('/')[2] ?? '';
          const before = await store.tree(id);
          const reply = await ask(who, method, path, entry.body);
          if (reply.status !== 404 || JSON.parse(reply.text).detail !== `no run "${id}"`) seen.push(at);
          if (JSON.stringify(await store.tree(id)) !== JSON.stringify(before)) seen.push(`${at} changed it`);
        }
      }
    }
  }
  expect(seen).toEqual([]);
  // Those who may are not told that there is no such run, whatever its state allows.
  const hidden: string[] = [];
  for (const { name, entry, method } of ENTRIES) {
    if (entry.has !== 'run') continue;
    for (const who of ALL) {
      const { status } = await ask(who, method, entry.path(of(who)), entry.body);
      const { status: others } = await ask('admin', method, entry.path(of(who)), entry.body);
      if (status === 404 || others === 404) hidden.push(`${name} ${who}`);
    }
  }
  expect(hidden).toEqual([]);
});

test('a file that a caller has left is nobody else’s, and a run keeps it', async () => {
  const { ask, started, stage } = await openDoors({ kid: () => 'small' }, {});
  const { hash } = CHART;
  const place = await ask('ada', 'POST', '/attachments', { hash, bytes: chart.length });
  expect({ ...place, text: JSON.parse(place.text) }).toEqual({
    status: 201,
    text: { hash, url: `https://api.example.org/attachments/${hash}`, headers: {} },
  });
  expect(await ask('ada', 'PUT', `/attachments/${hash}`, chart)).toEqual({ status: 204, text: '' });
  const body = { attachments: [hash] };
  const others = await Promise.all(
    (['bob', 'admin', 'account'] as const).map(async (who) => {
      const { status, text } = await ask(who, 'POST', '/agents/kid/runs', body);
      return [status, JSON.parse(text).detail];
    }),
  );
  const none = `there is no attachment ${hash}: POST /attachments says where to put it`;
  expect(others).toEqual([
    [422, none],
    [422, none],
    [422, none],
  ]);
  const run = await started('ada', 'kid', body);
  const { store } = stage.pipeline;
  expect((await store.opened(run))?.attachments).toEqual([CHART]);
  expect(await store.attachment(run, hash)).toEqual({ data: chart.toString('base64') });
});

test.each([
  ['a TIFF image', Buffer.from('II*\0'), 415, 'the file is a TIFF image: attach PNG'],
  ['another file', png(1, 1), 400, 'the body is not the file with the SHA-256'],
])('%s is not taken', async (_, bytes, status, detail) => {
  const { ask } = await openDoors({ kid: () => 'small' }, {});
  const hash = status === 415 ? hashOf(bytes) : CHART.hash;
  const reply = await ask('ada', 'PUT', `/attachments/${hash}`, bytes);
  expect([reply.status, JSON.parse(reply.text).detail]).toEqual([status, expect.stringContaining(detail)]);
});

test('what a route starts belongs to its caller, with everything below it', async () => {
  const { ask, knock, of, stage } = await openWorld();
  const { store } = stage.pipeline;
  const owners = async (id: string) => (await store.tree(id)).map(({ owner }) => owner ?? null);
  expect(await Promise.all(ALL.map((who) => owners(of(who).top)))).toEqual([
    ['ada', 'ada'],
    ['bob', 'bob'],
    ['root', 'root'],
    [null, null],
  ]);
  // A copy is of whom the run is, whoever makes it.
  const copy = await ask('admin', 'POST', `/runs/${of('ada').top}/fork`, { turn: 1 });
  expect((await store.run(JSON.parse(copy.text).run_id))?.owner).toBe('ada');
  const body = { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'go' }] };
  const [hers, his] = await Promise.all(
    (['ada', 'bob'] as const).map(async (who) => (await knock(who, '/agents/kid/ag-ui', body)).text),
  );
  const runOf = (text = '') => /kid-[0-9a-z]{14}/.exec(text)?.[0] ?? '';
  expect(await Promise.all([owners(runOf(hers)), owners(runOf(his))])).toEqual([['ada'], ['bob']]);
  expect(runOf(hers)).not.toBe(runOf(his));
  const completion = { model: 'cadre/kid', messages: [{ role: 'user', content: 'go' }] };
  const { text } = await knock('ada', '/v1/chat/completions', completion);
  expect(await owners(runOf(text))).toEqual(['ada']);
});

test('a client of AG-UI answers with the scope that this takes, and its thread is nobody else’s', async () => {
  const { knock, stage } = await openWorld();
  const { store } = stage.pipeline;
  const thread = (resume: object[] = []) => ({
    threadId: 't',
    runId: 'r',
    messages: [{ id: 'm', role: 'user', content: 'go' }],
    resume,
  });
  const path = '/agents/asker/ag-ui';
  const unscoped = bearer('ada');
  const asked = (await knock(unscoped, path, thread())).text;
  const run = /asker-[0-9a-z]{14}/.exec(asked)?.[0] ?? '';
  const interruptId = /"interrupts":\[\{"id":"([^"]+)"/.exec(asked)?.[1];
  const answer = thread([{ interruptId, status: 'resolved', payload: 'blue' }]);
  const isAnswered = async () => (await store.answer({ run, turn: 1, call: 1 })) !== undefined;
  expect([(await knock(unscoped, path, answer)).status, await isAnswered()]).toEqual([403, false]);
  // His thread of that name has not begun.
  expect([(await knock('bob', path, answer)).status, await isAnswered()]).toEqual([409, false]);
  expect([(await knock('ada', path, answer)).status, await isAnswered()]).toEqual([200, true]);
});

test('a task of Agent2Agent is its caller’s: no other gets, lists, cancels or answers it, or goes on in its context', async () => {
  const { knock, stage } = await openWorld();
  const { store } = stage.pipeline;
  const rpc = async (who: Parameters<typeof knock>[0], method: string, params: object) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    return JSON.parse((await knock(who, '/a2a/asker', body, { 'a2a-version': '1.0' })).text);
  };
  const said = (messageId: string, more = {}) => ({
    message: { messageId, role: 'ROLE_USER', parts: [{ text: 'blue' }], ...more },
  });
  const { task } = (await rpc('ada', 'SendMessage', said('one'))).result;
  expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  const isAnswered = async () => (await store.answer({ run: task.id, turn: 1, call: 1 })) !== undefined;
  const NONE = { error: { code: -32001, message: `there is no task "${task.id}" here` } };
  expect(await rpc('bob', 'GetTask', { id: task.id })).toMatchObject(NONE);
  expect(await rpc('bob', 'CancelTask', { id: task.id })).toMatchObject(NONE);
  expect(await rpc('bob', 'SubscribeToTask', { id: task.id })).toMatchObject(NONE);
  expect(await rpc('bob', 'SendMessage', said('two', { taskId: task.id }))).toMatchObject(NONE);
  expect((await rpc('bob', 'ListTasks', {})).result.tasks).toEqual([]);
  // To him, the name of her context is a new one of his own, and so is that of her message.
  const his = (await rpc('bob', 'SendMessage', said('one', { contextId: task.contextId }))).result.task;
  expect([his.id === task.id, (await store.run(his.id))?.owner, (await store.run(task.id))?.owner]).toEqual([
    false,
    'bob',
    'ada',
  ]);
  expect(await rpc(bearer('ada'), 'SendMessage', said('three', { taskId: task.id }))).toMatchObject({
    error: {
      code: -32004,
      message: expect.stringContaining('answering takes a token with one of the scopes'),
    },
  });
  expect(await isAnswered()).toBe(false);
  expect((await rpc('ada', 'SendMessage', said('four', { taskId: task.id }))).result.task.status.state).toBe(
    'TASK_STATE_COMPLETED',
  );
  expect((await rpc('ada', 'ListTasks', {})).result.tasks).toMatchObject([{ id: task.id }]);
  const { task: other } = (await rpc('ada', 'SendMessage', said('five'))).result;
  expect((await rpc('admin', 'CancelTask', { id: other.id })).result.status.state).toBe(
    'TASK_STATE_CANCELED',
  );
  expect((await store.run(other.id))?.stoppedBy).toBe('root');
});

test('two issuers may name the same subject: each run, list and key is of the person whose token it was', async () => {
  const old = await openDoors({ kid: ({ turn }: Asked) => `small ${turn}` }, {});
  const now = old.under('https://id.example.org');
  const { store } = old.stage.pipeline;
  const [hers, others] = [await old.started('ada', 'kid'), await now.started('ada', 'kid')];
  // Of an earlier release, which recorded no issuer.
  const before = 'kid-00000000000000';
  await keepRun(store, aRun({ id: before, root: before, agent: 'kid', owner: 'ada', status: 'succeeded' }));
  const records = await Promise.all([store.run(hers), store.run(others)]);
  expect(records.map((run) => [run?.owner, run?.issuer])).toEqual([
    ['ada', ISSUER],
    ['ada', 'https://id.example.org'],
  ]);
  const seenBy = async ({ ask }: Doors) => {
    const { runs } = JSON.parse((await ask('ada', 'GET', '/runs')).text);
    const each = [hers, others, before].map(async (id) => (await ask('ada', 'GET', `/runs/${id}`)).status);
    return [runs.map(({ run_id: id }: { run_id: string }) => id), await Promise.all(each)];
  };
  expect(await seenBy(old)).toEqual([
    [hers, before],
    [200, 404, 200],
  ]);
  expect(await seenBy(now)).toEqual([
    [others, before],
    [404, 200, 200],
  ]);
  const costs = async ({ ask }: Doors, who: Caller) =>
    JSON.parse((await ask(who, 'GET', '/costs?by=owner,issuer')).text).rows;
  expect(await costs(now, 'ada')).toMatchObject([
    { owner: 'ada', issuer: 'https://id.example.org', runs: 1 },
  ]);
  expect(await costs(now, 'account')).toHaveLength(2);
});

test('an Idempotency-Key is its caller’s alone, and finds what a request before the upgrade began', async () => {
  const old = await openDoors({ kid: () => 'small' }, {});
  const now = old.under('https://id.example.org');
  const { store } = old.stage.pipeline;
  const start = async ({ ask }: Doors, who: Caller, key: string) => {
    const path = '/agents/kid/runs?wait=25';
    const { status, text } = await ask(who, 'POST', path, {}, { 'idempotency-key': key });
    return status === 200 ? JSON.parse(text).run_id : status;
  };
  const ids = [
    // This is how an earlier release wrote the key of the next one.
    await start(old, 'account', '["ada","one"]'),
    await start(old, 'ada', 'one'),
    await start(now, 'ada', 'one'),
    await start(old, 'bob', 'one'),
    await start(old, 'admin', 'one'),
    await start(old, 'account', 'one'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(await start(old, 'ada', 'one')).toBe(ids[1]);
  expect(await start(now, 'ada', 'one')).toBe(ids[2]);
  expect(await start(old, 'account', 'one')).toBe(ids[5]);
  const digest = (request: object) => createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const asked = { ...(await store.request(ids[5])) };
  await store.bind('["ada","two"]', { run: ids[1], digest: digest({ ...asked, owner: 'ada' }) });
  await store.bind('two', { run: ids[5], digest: digest(asked) });
  expect([await start(old, 'ada', 'two'), await start(old, 'account', 'two')]).toEqual([ids[1], ids[5]]);
  expect(await start(old, 'bob', 'two')).not.toBe(ids[1]);
});

test('an Idempotency-Key of a copy is of whoever copies, whosever the copy is', async () => {
  const { ask, started, stage } = await openDoors({ kid: () => 'small' }, {});
  const run = await started('ada', 'kid');
  const copy = async (who: Caller) => {
    const reply = await ask(who, 'POST', `/runs/${run}/fork`, { turn: 1 }, { 'idempotency-key': 'one' });
    return JSON.parse(reply.text).run_id;
  };
  const ids = [await copy('ada'), await copy('admin'), await copy('account')];
  expect(new Set(ids).size).toBe(3);
  expect([await copy('ada'), await copy('admin'), await copy('account')]).toEqual(ids);
  const owners = ids.map(async (id) => (await stage.pipeline.store.run(id))?.owner);
  expect(await Promise.all(owners)).toEqual(['ada', 'ada', 'ada']);
});

test('administrators are named by a scope, however an issuer writes it, and by no other claim', async () => {
  const { ask, of } = await openWorld();
  const who = (claims: object) => ({ jwt: { claims: { sub: 'eve', ...claims } } });
  const path = `/runs/${of('ada').top}`;
  const statuses = await Promise.all(
    [
      { scope: 'openid cadre/admin' },
      { scp: '[openid cadre/admin]' },
      { scope: 'cadre/administrator' },
      { scope: 'openid', roles: 'cadre/admin' },
      {},
    ].map(async (claims) => (await ask(who(claims), 'GET', path)).status),
  );
  expect(statuses).toEqual([200, 200, 404, 404, 404]);
  const [file, none] = await Promise.all(
    (['admin', 'ada'] as const).map(async (each) => JSON.parse((await ask(each, 'GET', '/agents/top')).text)),
  );
  expect([file.file, none.file]).toEqual([expect.stringContaining('sub_agents = ["kid"]'), undefined]);
});

test('what an agent remembers of a person is shown to that person alone', async () => {
  const doors = await openDoors(
    { notes: ({ turn }: Asked) => `answer ${turn}`, all: () => 'shared' },
    {
      notes: '[memory]\nenabled = true\nowner = "person"\n',
      all: '[memory]\nenabled = true\nowner = "agent"\n',
    },
  );
  for (const who of ALL) await doors.started(who, 'notes', { prompt: `My name is ${who}` });
  const shown = async (agent: string, who: Caller) => {
    await doors.started(who, agent, { prompt: 'Who am I?' });
    const { system = '' } = doors.stage.asked.at(-1)?.request ?? {};
    return ALL.filter((each) => system.includes(`My name is ${each}`));
  };
  for (const who of ALL) expect(await shown('notes', who)).toEqual([who]);
  for (const who of ALL) await doors.started(who, 'all', { prompt: `My name is ${who}` });
  expect(await shown('all', 'bob')).toEqual(ALL);
  expect(await memoryShownTo('ada', doors)).not.toContain('My name');
});

/** The prompt that a run would begin with, as the API shows it. */
async function memoryShownTo(who: Caller, { ask }: Doors): Promise<string> {
  return (await ask(who, 'GET', '/agents/notes')).text;
}
