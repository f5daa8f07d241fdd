import { once } from 'node:events';
import { createServer } from 'node:http';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { carryOutCall, type CallPorts } from '../../../src/core/turn/call.ts';
import { noticed } from '../../../src/places/follow/notices.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { CallKey } from '../../../src/core/records/call.ts';
import type { RunEvent } from '../../../src/core/events/event.ts';
import type { ToolCall } from '../../../src/core/records/message.ts';
import type { Plan } from '../../../src/core/records/plan.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { offerOf } from '../../../src/core/tool-contracts/offer.ts';
import { planCalls } from '../../../src/core/tool-contracts/plan-calls.ts';
import { loadTools } from '../../../src/core/tool-contracts/toolbox.ts';
import { TOOL_NAMES } from '../../../src/core/agent-schema/tool-names.ts';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';
import { createFetchUrl } from '../../../src/tools/reach/fetch-url.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { anOpened, aRun, aTurn } from '../../fixtures/records.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';

const id = 'top-00000000000000';
const run = aRun();
const at: CallKey = { run: id, turn: 1, call: 1 };
const LOST = 'Error: It is not known whether this call took place: look before you make it again.';

/** A turn with one call, that is to be carried out in a folder with a file `a`. */
async function openWith(call: Omit<ToolCall, 'id'>, toml = 'tools = ["files"]\n') {
  const cwd = await tempFolder({ a: 'one\n' });
  const { runs, close } = await openLocalStore(cwd);
  onTestFinished(close);
  const bytes = Buffer.from(`name = "top"\nmodel = "m/x"\n${toml}`);
  const { agent } = await parseAgent('top', { path: 'top', root: cwd, bytes });
  const offer = offerOf(agent, { model: 'm/x', depth: 0 }, await loadOwnTools(TOOL_NAMES));
  const opened = anOpened(offer);
  const calls = [{ id: 'c1', ...call }];
  const plans: Plan[] = await planCalls(calls, opened, await loadTools(opened, loadOwnTools));
  await runs.insertRun(run);
  await runs.saveOpened(id, opened);
  await runs.saveTurn(id, aTurn({ answer: { calls }, plans }));
  const events: RunEvent[] = [];
  const { store, live } = noticed(runs, (event) => void events.push(event));
  let invocations = 0;
  const ports: CallPorts = {
    store,
    live,
    tools: loadOwnTools,
    now: Date.now,
    invocation: () => `invocation ${(invocations += 1)}`,
    mayBeAtWork: () => true,
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
    reach: () => ({ workspace: openFolderWorkspace(cwd) }),
  };
  const event = { ...at, holder: 1, execution: 'arn', timeout: 60, deadline: Date.now() + 60_000 };
  const carryOut = (
    given: object = {},
    others: Partial<CallPorts> = {},
    signal = new AbortController().signal,
  ) => carryOutCall({ ...event, ...given }, { ...ports, ...others }, signal);
  return { cwd, store, events, ports, carryOut };
}

const write = (content: string) => ({ name: 'write_file', arguments: { path: 'new', content } });
const READ = { name: 'read_file', arguments: { path: 'a' } };

describe('a call', () => {
  test('is carried out once: a repetition finds what it came to', async () => {
    const { cwd, store, carryOut, events } = await openWith(READ);
    expect(await carryOut()).toEqual({ call: 1 });
    await writeFile(join(cwd, 'a'), 'two\n');
    expect(await carryOut()).toEqual({ call: 1 });
    expect(await store.callResult(at)).toEqual({
      text: '1: one',
      isError: false,
      startedAt: expect.any(String),
      durationMs: expect.any(Number),
      filesRead: ['a'],
    });
    const told = { run: id, root: id, agent: 'top', model: 'm/x', depth: 0, turn: 1, call: 1 };
    const which = { ...told, tool: 'read_file', kind: 'invoke', subject: 'a' };
    const ended = { durationMs: expect.any(Number), characters: 6, text: '1: one', isError: false };
    expect(events).toEqual([
      { type: 'call_started', ...which, arguments: { path: 'a' } },
      { type: 'call_finished', ...which, ...ended },
    ]);
  });

  test.each([
    ['is not begun by an execution that does not carry the run any more', { holder: 0 }],
    ['is not begun by another execution of the same number', { execution: 'other' }],
  ])('%s', async (_, given) => {
    const { store, carryOut } = await openWith(write('x'));
    expect(await carryOut(given)).toEqual({ call: 1 });
    expect(await store.callResult(at)).toBeUndefined();
  });

  test('is not begun for a run that was stopped', async () => {
    const { store, carryOut } = await openWith(write('x'));
    await store.updateRun(id, (current) => ({ ...current, status: 'stopped' }));
    await carryOut();
    expect(await store.callResult(at)).toBeUndefined();
  });

  test('is begun by an execution that was redriven in the middle of the turn', async () => {
    const { store, carryOut } = await openWith(READ);
    await store.updateRun(id, (current) => ({ ...current, status: 'stopped' }));
    await carryOut({ holder: 2 });
    expect(await store.callResult(at)).toMatchObject({ text: '1: one', isError: false });
    expect(await store.run(id)).toMatchObject({ status: 'running', holder: 2 });
  });

  test('that was begun and left no result is made again where it changes nothing', async () => {
    const { store, carryOut } = await openWith(READ);
    await store.markCall(at, { by: 'somebody', until: 0 });
    await carryOut();
    expect(await store.callResult(at)).toMatchObject({ text: '1: one', isError: false });
  });

  test('that was begun and left no result is not made again where it may have changed something', async () => {
    const { cwd, store, carryOut } = await openWith({ name: 'delete_file', arguments: { path: 'a' } });
    await store.noteSeen(id, 'a', 'whatever');
    await store.markCall(at, { by: 'somebody', until: 0 });
    await carryOut();
    const kept = await store.callResult(at);
    const isRepeatable = kept?.text !== LOST;
    // A file that is deleted twice is deleted: what is repeatable is each tool's to say.
    if (!isRepeatable) expect(kept).toMatchObject({ isError: true, failure: 'outcome_unknown' });
    expect(await readFile(join(cwd, 'a'), 'utf8')).toBe('one\n');
  });

  test('whose first invocation is still at work is waited for, and not made twice', async () => {
    const { store, carryOut } = await openWith(write('x'));
    await store.markCall(at, { by: 'the first', until: Date.now() + 60_000 });
    let looks = 0;
    const sleep = async () => {
      looks += 1;
      if (looks === 3) {
        await store.saveCallResult(at, {
          text: 'from the first',
          isError: false,
          startedAt: run.startedAt,
          durationMs: 1,
        });
      }
    };
    await carryOut({}, { sleep });
    expect(await store.callResult(at)).toMatchObject({ text: 'from the first' });
    expect(looks).toBe(3);
  });

  test.each<[string, Partial<Run>]>([
    ['was stopped', { status: 'stopped' }],
    ['went to another execution', { holder: 2, execution: 'next' }],
  ])('is not begun where the run %s while an earlier invocation was waited for', async (_, change) => {
    const { store, carryOut } = await openWith(READ);
    const until = Date.now() + 60_000;
    await store.markCall(at, { by: 'the first', until });
    let now = until - 1;
    const sleep = async () => {
      await store.updateRun(id, (current) => ({ ...current, ...change }));
      now = until;
    };
    await carryOut({ deadline: until + 60_000 }, { sleep, now: () => now });
    expect(await store.callResult(at)).toBeUndefined();
    expect(await store.markCall(at, { by: 'next', until: 0 })).toMatchObject({ by: 'the first' });
  });

  test('whose result cannot be kept is not waited for', async () => {
    const { store, carryOut, ports } = await openWith(write('x'));
    const down = new StoreUnavailableError('down');
    const broken = { ...ports.store, saveCallResult: () => Promise.reject(down) };
    await expect(carryOut({}, { store: broken })).rejects.toBe(down);
    const sleep = () => Promise.reject(new Error('it was waited for'));
    await carryOut({}, { sleep });
    expect(await store.callResult(at)).toMatchObject({ isError: false, filesModified: ['new'] });
  });

  test('comes to a text that every provider takes', async () => {
    const fn = '[[functions]]\nname = "odd"\ndescription = "d"\nfunction = "odd"\n';
    const { store, carryOut, ports } = await openWith({ name: 'odd', arguments: {} }, fn);
    const callFunction = () => Promise.resolve({ value: 'half \ud83d' });
    await carryOut({}, { reach: (...given) => ({ ...ports.reach(...given), callFunction }) });
    expect(await store.callResult(at)).toMatchObject({ text: 'half \ufffd', isError: false });
  });

  test('that two invocations are given at once is carried out by one of them', async () => {
    const { cwd, store, carryOut } = await openWith(write('x'));
    await Promise.all([carryOut(), carryOut(), carryOut()]);
    expect(await store.callResult(at)).toMatchObject({ isError: false, filesModified: ['new'] });
    expect(await readFile(join(cwd, 'new'), 'utf8')).toBe('x');
  });

  test('that is stopped leaves its mark and no result', async () => {
    const { store, carryOut, ports } = await openWith(READ);
    const stop = new AbortController();
    const reach: CallPorts['reach'] = (...given) => {
      const { workspace } = ports.reach(...given);
      stop.abort(new Error('the run was stopped'));
      return { workspace: { ...workspace, realPath: () => new Promise(() => {}) } };
    };
    await expect(carryOut({}, { reach }, stop.signal)).rejects.toThrow('the run was stopped');
    expect(await store.callResult(at)).toBeUndefined();
    expect(await store.markCall(at, { by: 'next', until: 0 })).toMatchObject({ by: 'invocation 1' });
  });

  test('that takes longer than it may is told so', async () => {
    const { store, carryOut, ports } = await openWith(READ);
    const reach: CallPorts['reach'] = (...given) => ({
      workspace: { ...ports.reach(...given).workspace, realPath: () => new Promise(() => {}) },
    });
    await carryOut({ deadline: Date.now() + 5 }, { reach });
    expect(await store.callResult(at)).toMatchObject({
      text: 'Error: read_file timed out after 60s',
      isError: true,
      failure: 'timeout',
    });
  });

  test('of a tool with a fault of its own is told so, and fails no run', async () => {
    const { store, carryOut, ports } = await openWith(READ);
    const reach: CallPorts['reach'] = (...given) => ({
      workspace: {
        ...ports.reach(...given).workspace,
        realPath: () => Promise.reject(new TypeError('no such thing')),
      },
    });
    await carryOut({}, { reach });
    expect(await store.callResult(at)).toMatchObject({
      text: 'Error: read_file failed - no such thing',
      isError: true,
      failure: 'fault',
    });
  });

  test.each([
    ['open', '', 'page /open'],
    ['moved', '', '[led to {host}/private/key]\n\npage /private/key'],
    ['moved', 'ask = ["fetch_url({host}/open)"]', '[led to {host}/private/key]\n\npage /private/key'],
    [
      'moved',
      'ask = ["fetch_url({host}/private/*)"]',
      'Error: {host}/moved leads to {host}/private/key: it needs approval, so it has to be fetched by a call of its own',
    ],
    [
      'moved',
      'deny = ["fetch_url({host}/private/*)"]',
      'Error: {host}/moved leads to {host}/private/key: ' +
        'Permission denied: "fetch_url" is denied by the rule fetch_url({host}/private/*).',
    ],
  ])('that is led on elsewhere is judged there, too: %s with %s', async (path, rule, text) => {
    const server = createServer(({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { location: '/private/key' }).end();
      else response.setHeader('content-type', 'text/plain').end(`page ${url}`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const host = `http://docs.test:${typeof address === 'object' ? address?.port : ''}`;
    const filled = (written: string) => written.replaceAll('{host}', host);
    const { store, carryOut, ports } = await openWith(
      { name: 'fetch_url', arguments: { url: `${host}/${path}` } },
      `tools = ["fetch_url"]\nallowed_hosts = ["docs.test"]\n[permissions]\n${filled(rule)}\n`,
    );
    const fetchUrl = createFetchUrl({
      ranges: ['127.0.0.1/32'],
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
    });
    await carryOut({}, { reach: (...given) => ({ ...ports.reach(...given), fetchUrl }) });
    expect((await store.callResult(at))?.text).toBe(filled(text));
  });

  test('that needs approval is not begun without one, on any way', async () => {
    const { cwd, store, carryOut } = await openWith(write('x'), 'tools = ["files"]\nmode = "ask"\n');
    const refusal = `call t1c1 of run "${id}" needs an approval that it does not have`;
    await expect(carryOut()).rejects.toThrow(refusal);
    await store.saveAnswer({ ...at, root: id }, { text: 'deny', decision: 'deny', at: run.startedAt });
    await expect(carryOut()).rejects.toThrow(refusal);
    expect([await store.callMark(at), await store.callResult(at)]).toEqual([undefined, undefined]);
    await expect(readFile(join(cwd, 'new'))).rejects.toThrow('ENOENT');
  });

  test('that was approved is carried out with what the person who approved it made of it', async () => {
    const { cwd, store, carryOut } = await openWith(write('x'), 'tools = ["files"]\nmode = "ask"\n');
    const changed = { path: 'other', content: 'y'.repeat(300) };
    const answer = { text: 'approve', decision: 'approve' as const, arguments: changed, at: run.startedAt };
    await store.saveAnswer({ ...at, root: id }, answer);
    await carryOut();
    expect((await store.callResult(at))?.text).toBe(
      `[arguments changed by the user: path: "new" → "other"; content: "x" → "${'y'.repeat(199)}… (302 characters)]\n\ncreated "other" (300 bytes)`,
    );
    expect(await readFile(join(cwd, 'other'), 'utf8')).toBe(changed.content);
  });

  test('that was approved is refused where a link leads to what is denied', async () => {
    const toml = 'tools = ["files"]\npermissions = { ask = ["read_file"], deny = ["read_file(secret)"] }\n';
    const { cwd, store, carryOut } = await openWith({ name: 'read_file', arguments: { path: 'link' } }, toml);
    await writeFile(join(cwd, 'secret'), 's');
    await symlink('secret', join(cwd, 'link'));
    await store.saveAnswer({ ...at, root: id }, { text: 'always', decision: 'always', at: run.startedAt });
    await carryOut();
    expect(await store.callResult(at)).toMatchObject({
      text: 'Permission denied: "read_file" is denied by the rule read_file(secret).',
      failure: 'permission_denied',
    });
  });

  test('that was approved shows what the tool finds, but for what is read with approval only', async () => {
    const toml = 'tools = ["files"]\npermissions = { ask = ["grep", "read_file(b)"] }\n';
    const { cwd, store, carryOut } = await openWith({ name: 'grep', arguments: { pattern: 'one' } }, toml);
    await writeFile(join(cwd, 'b'), 'one\n');
    await store.saveAnswer({ ...at, root: id }, { text: 'approve', decision: 'approve', at: run.startedAt });
    await carryOut();
    expect((await store.callResult(at))?.text).toBe('a:1: one');
  });

  test('takes effect at most once if its invocation dies at any operation of the store', async () => {
    for (let fatal = 0; ; fatal++) {
      const { cwd, store, carryOut } = await openWith(write('x'));
      let operations = 0;
      const dying = dyingAt(store, () => operations++ >= fatal);
      const died = await carryOut({}, { store: dying }).then(
        () => false,
        () => true,
      );
      // The next invocation comes when the time of the first is over.
      await carryOut({}, { mayBeAtWork: () => false });
      const kept = await store.callResult(at);
      const text = await readFile(join(cwd, 'new'), 'utf8').catch(() => undefined);
      const isKnown = kept?.isError === false;
      expect({ fatal, text }).toEqual({ fatal, text: isKnown ? 'x' : text });
      if (!isKnown) expect(kept?.text).toMatch(/^Error: (It is not known|"new" exists already|.*read)/);
      if (!died) break;
    }
  });
});

/** A store at which the process of its caller dies, before an operation takes effect; nothing comes after it. */
function dyingAt(store: RunStore, dies: () => boolean): RunStore {
  const guard =
    <Given extends unknown[], T>(operation: (...given: Given) => Promise<T>) =>
    (...given: Given) =>
      dies() ? Promise.reject(new Error('dead')) : operation(...given);
  return {
    ...store,
    run: guard(store.run),
    opened: guard(store.opened),
    turn: guard(store.turn),
    callResult: guard(store.callResult),
    saveCallResult: guard(store.saveCallResult),
    markCall: guard(store.markCall),
    seenVersion: guard(store.seenVersion),
    noteSeen: guard(store.noteSeen),
  };
}
