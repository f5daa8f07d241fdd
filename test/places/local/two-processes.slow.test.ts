import { access } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { leaveMessage } from '../../../src/core/lifecycle/leave-message.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import { nameOf, type Run } from '../../../src/core/records/run.ts';
import { startCommand } from '../../fixtures/command.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { call, latch, openStage, openStageIn, use, type Latch, type Role } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { nightlyTest } from '../../fixtures/nightly.ts';

// Actions of one process on agents of a tree that another one carries.

const Request = v.object({ messages: v.array(v.object({ role: v.string(), content: v.string() })) });

interface Said {
  /** The asked agent: `top`, or the name of a fork. */
  who: string;
  /** Its newest message. */
  told: string;
  /** How often it has answered. */
  turn: number;
}

type Part = (said: Said) => Promise<string | [string, object][]> | string | [string, object][];

/** A project with one agent, `top`, whose model is played by a server, and `cadre` in processes of their own. */
async function project(part: Part, toml = 'tools = ["ask_user", "fork"]\n') {
  const said: Said[] = [];
  const server = await startModelServer(async ({ body }) => {
    const { messages } = v.parse(Request, body);
    const texts = messages.map(({ content }) => content);
    const [, who = 'top'] = [...texts.join('\n').matchAll(/\[You are agent \S+ "(\w+)"/g)].at(-1) ?? [];
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const asked = { who, told: texts.at(-1) ?? '', turn };
    said.push(asked);
    const line = await part(asked);
    if (typeof line === 'string') return { body: { message: { content: line }, done_reason: 'stop' } };
    const calls = line.map(([name, args]) => ({ function: { name, arguments: args } }));
    return { body: { message: { content: '', tool_calls: calls }, done_reason: 'stop' } };
  });
  onTestFinished(() => server.close());
  const cwd = await tempFolder({
    'agents/top.toml': `name = "top"\nmodel = "ollama/top"\ntimeout = 600\n${toml}`,
  });
  const { runs, close } = await openLocalStore(cwd);
  onTestFinished(close);
  return {
    cwd,
    said,
    store: runs,
    cadre: (...args: string[]) => startCommand(args, cwd, { CADRE_OLLAMA_BASE_URL: server.url }),
    tree: () => newestTree(runs),
  };
}

async function newestTree(store: RunStore): Promise<Run[]> {
  for await (const { id } of store.roots(1)) return store.tree(id);
  return [];
}

const statuses = (tree: Run[]) => tree.map((run) => `${nameOf(run)} ${run.status}`);

/** Waits for what is about to happen in another process. */
const soon = (look: () => Promise<unknown>) => expect.poll(look);

/** Reads what it is told of, and answers with it. */
function reads({ told }: Said): ReturnType<Part> {
  if (told.startsWith('[Notification')) return [['mail_check', {}]];
  if (!told.startsWith('{"messages"')) return told.startsWith('{') ? 'read' : `heard ${told}`;
  const { messages }: { messages: { id: string; unread: boolean }[] } = JSON.parse(told);
  const unread = messages.filter((mail) => mail.unread);
  return unread.length === 0 ? 'nothing' : unread.map(({ id }) => ['mail_read', { id }]);
}

describe('another process', () => {
  test('writes to an idle fork, and answers a question, of a tree that rests', async () => {
    const part: Part = (said) => {
      if (said.who === 'top' && said.turn === 0)
        return ['a', 'b'].map((name) => ['fork', { prompt: 'go', name }]);
      if (said.who === 'b' && said.told.includes('[You are')) return [['ask_user', { question: 'which?' }]];
      return said.told.includes('[You are') ? 'ready' : reads(said);
    };
    const { cadre, said, tree } = await project(part);
    const run = cadre('run', 'top', '-p', 'go');
    await run.says('asks');
    await soon(async () => statuses(await tree())).toEqual(['top idle', 'a idle', 'b running']);
    const [top, a] = await tree();
    expect(await cadre('send', a?.id ?? '', 'p1').ended()).toEqual({
      code: 0,
      out: '',
      err: `sent to run ${a?.id}, which is being carried out; follow it with: cadre watch ${top?.id}\n`,
    });
    await soon(async () => said.filter(({ told }) => told === 'p1')).toEqual([
      { who: 'a', told: 'p1', turn: 1 },
    ]);
    expect(await cadre('answer', top?.id ?? '', 'blue').ended()).toEqual({ code: 0, out: '', err: '' });
    expect(await run.ended()).toMatchObject({ code: 0, out: 'read' });
    expect(said.filter(({ who, told }) => who === 'b' && told === 'blue')).toHaveLength(1);
    expect(statuses(await tree())).toEqual(['top succeeded', 'a idle', 'b idle']);
  });

  nightlyTest('writes to the same idle agent at the same moment', async () => {
    const { cadre, said, tree, store } = await project((asked) =>
      asked.turn === 0 ? 'ready' : `heard ${asked.told}`,
    );
    await cadre('run', 'top', '-p', 'go').ended();
    const [top] = await tree();
    const texts = ['p1', 'p2', 'p3'];
    const ends = await Promise.all(texts.map((text) => cadre('send', top?.id ?? '', text).ended()));
    expect(ends.map(({ code, err }) => (code === 0 ? 'succeeded' : err))).toEqual(
      texts.map(() => 'succeeded'),
    );
    const mails = await store.mails(top?.id ?? '');
    expect(
      mails
        .map(({ body, isRead }) => ({ body, isRead }))
        .sort((one, other) => (one.body < other.body ? -1 : 1)),
    ).toEqual(texts.map((body) => ({ body, isRead: true })));
    const turns = await store.turns(top?.id ?? '');
    const told = turns.flatMap(({ received }) =>
      received.flatMap((one) => (one.role === 'user' ? [one.text] : [])),
    );
    expect(told.sort()).toEqual(texts);
    expect(statuses(await tree())).toEqual(['top succeeded']);
    expect(said.length).toBe(turns.length);
  });

  nightlyTest('died before it had an agent go on that it had written to: resume does', async () => {
    const part: Part = (asked) => {
      if (asked.who === 'top' && asked.turn === 0) return [['fork', { prompt: 'go', name: 'a' }]];
      return asked.told.includes('[You are') ? 'ready' : reads(asked);
    };
    const { cadre, said, tree, store } = await project(part);
    await cadre('run', 'top', '-p', 'go').ended();
    const [top, a] = await tree();
    const before = said.length;
    expect(await cadre('resume', top?.id ?? '').ended()).toMatchObject({ code: 0, out: 'read' });
    expect(said).toHaveLength(before);
    await leaveMessage({ run: a?.id ?? '', text: 'p1' }, { store, now: Date.now });
    expect(await cadre('resume', a?.id ?? '').ended()).toMatchObject({
      code: 2,
      err: `Error: "${a?.id}" is a sub-agent's run; resume the whole tree: "${top?.id}"\n`,
    });
    expect(await cadre('resume', top?.id ?? '').ended()).toMatchObject({ code: 0 });
    expect(said.filter(({ who, told }) => who === 'a' && told === 'p1')).toHaveLength(1);
    expect(statuses(await tree())).toEqual(['top succeeded', 'a idle']);
  });
});

test('a process that is killed while a call needs approval: the same is asked again, and answered once', async () => {
  const part: Part = ({ turn, told }) =>
    turn === 0 ? [['write_file', { path: 'a', content: 'one' }]] : told;
  const { cadre, cwd, said, tree } = await project(part, 'tools = ["files"]\nmode = "ask"\n');
  const run = cadre('run', 'top', '-p', 'go');
  await run.says('top needs approval');
  run.process.kill('SIGKILL');
  await run.ended();
  const [top] = await tree();
  const id = top?.id ?? '';
  const resumed = cadre('resume', id);
  await resumed.says(`cadre answer ${id} t1c1 approve`);
  await expect(access(join(cwd, 'a'))).rejects.toThrow('ENOENT');
  const answers = ['approve', 'deny'].map((word) => cadre('answer', id, 't1c1', word).ended());
  const codes = (await Promise.all(answers)).map(({ code }) => code);
  expect(new Set(codes)).toEqual(new Set([0, 2]));
  const isApproved = codes[0] === 0;
  expect(await resumed.ended()).toMatchObject({
    code: 0,
    out: isApproved ? 'created "a" (3 bytes)' : 'Permission denied: "write_file" was denied by the user.',
  });
  expect(said.map(({ turn }) => turn)).toEqual([0, 1]);
});

/** A stage and another one in the same folder, which knows of the first only what is in the store. */
async function twoStages(roles: Record<string, Role>, extra: Record<string, string>) {
  const one = await openStage(roles, extra);
  return { one, other: await openStageIn(one.cwd, roles) };
}

async function leave(
  text: string,
  run: string,
  { pipeline }: Awaited<ReturnType<typeof openStage>>,
): Promise<void> {
  await leaveMessage({ run, text }, { store: pipeline.store, now: Date.now });
}

describe('a process that carries out a tree', () => {
  test('has agents go on for others while nothing of the tree waits', async () => {
    const [isAsked, goesOn]: Latch[] = [latch(), latch()];
    const top: Role = async ({ turn }) => {
      if (turn === 1) return [call('kid', 'go')];
      isAsked?.open();
      await goesOn?.opened;
      return 'done';
    };
    const kid: Role = ({ told }) => {
      if (told === 'p1') goesOn?.open();
      return 'heard';
    };
    const { one, other } = await twoStages({ top, kid }, { top: 'sub_agents = ["kid"]\n' });
    const ended = one.run();
    await isAsked?.opened;
    const [, child] = await newestTree(other.pipeline.store);
    await leave('p1', child?.id ?? '', other);
    expect(statuses((await ended).tree)).toEqual(['top succeeded', 'kid succeeded']);
  });

  test('finds what was written in the moment in which it lets go of it', async () => {
    const { one, other } = await twoStages({ top: ({ turn }) => `${turn}` }, {});
    const { store, local } = other.pipeline;
    const { locks } = local;
    const watching = one.pipeline.local.locks.release.bind(one.pipeline.local.locks);
    one.pipeline.local.locks.release = async (root) => {
      if ((await store.turns(root)).length === 1) await leave('p1', root, other);
      await watching(root);
    };
    const { run } = await one.run();
    expect(await store.turns(run.id)).toHaveLength(2);
    expect(await locks.isTaken(run.id)).toBe(false);
  });

  test('stops agents that others have killed', async () => {
    const isAsked = latch();
    const aborted = latch();
    const top: Role = async ({ turn, signal, request }) => {
      if (!request.messages.some((m) => m.role === 'user' && m.text.startsWith('[You are agent'))) {
        return turn === 1 ? [use('fork', { prompt: 'go', name: 'a' })] : 'done';
      }
      isAsked.open();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted.open();
      throw signal.reason;
    };
    const { one, other } = await twoStages({ top }, { top: 'tools = ["fork"]\ntimeout = 600\n' });
    const ended = one.run();
    await isAsked.opened;
    const [, fork] = await newestTree(other.pipeline.store);
    if (fork !== undefined) await other.environment.kill(fork);
    await aborted.opened;
    expect(statuses((await ended).tree)).toEqual(['top succeeded', 'a stopped']);
  });

  test('has those go on who are told of what others have killed', async () => {
    const isAsked = latch();
    const top: Role = async ({ turn, signal, request }) => {
      const name = request.messages.findLast((m) => m.role === 'user' && m.text.startsWith('[You are agent'));
      const who = name?.role === 'user' ? /"(\w)"/.exec(name.text)?.[1] : 'top';
      if (who === 'b') {
        isAsked.open();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        throw signal.reason;
      }
      // A fork's conversation begins as the one that it was made from.
      if (turn > 1) return 'done';
      return [use('fork', { prompt: 'go', name: who === 'top' ? 'a' : 'b' })];
    };
    const { one, other } = await twoStages({ top }, { top: 'tools = ["fork"]\ntimeout = 600\n' });
    const ended = one.run();
    await isAsked.opened;
    const { store } = other.pipeline;
    const named = async (wanted: string) => (await newestTree(store)).find((run) => nameOf(run) === wanted);
    await soon(async () => (await named('a'))?.status).toBe('idle');
    const b = await named('b');
    if (b !== undefined) await other.environment.kill(b);
    expect(statuses((await ended).tree)).toEqual(['top succeeded', 'a idle', 'b stopped']);
    expect(other.asked).toEqual([]);
    expect(one.asked.filter(({ told }) => told.includes('[Notification'))).toHaveLength(2);
  });
});
