import { seconds } from '../../src/core/records/times.ts';
import { describe, expect, test } from 'vitest';
import { AnsweredError } from '../../src/core/lifecycle/answer-question.ts';
import { NothingLeftError } from '../../src/core/lifecycle/resume.ts';
import type { CallKey } from '../../src/core/records/call.ts';
import { newRunId } from '../../src/core/records/run-id.ts';
import type { RunRequest } from '../../src/core/records/request.ts';
import type { Run } from '../../src/core/records/run.ts';
import { resultOf } from '../../src/core/records/turn.ts';
import { fromCursor, type Positions } from '../../src/core/events/positions.ts';
import { ConfigError, StoreError } from '../../src/errors.ts';
import type { Environment } from '../../src/places/environment.ts';
import type { EndedOptions } from '../../src/places/until-rested.ts';
import { EndedError, KeyInUseError } from '../../src/places/environment-errors.ts';
import { gate, type Gate } from './contract-agents.ts';

/** Where the agents of the contract run. */
export interface ContractRig {
  /** The one in which runs are started. */
  here: Environment;
  /** Another holder of the same runs: a second process, or a second client. */
  there: Environment;
  /** Lets time go by, where it does not by itself. */
  letTimePass?(): void;
  /** Ends what carries the runs of `here` as if its process had died, which is then opened again. */
  die(): Promise<void>;
}

/** The behaviour of every environment. @param rig opened before the tests begin */
export function environmentContract(rig: () => ContractRig): void {
  const here = () => rig().here;
  const there = () => rig().there;
  const idOf = (agent: string) => newRunId(agent, Date.now());

  const start = (agent: string, prompt = 'go', more: Partial<RunRequest> = {}): Promise<Run> =>
    here().start({ id: idOf(agent), request: { agent, prompt, ...more } });
  const ended = (run: Pick<Run, 'id'>, options?: EndedOptions) => here().ended(run.id, options);
  const answerOf = async (run: Run) => resultOf(run, await here().records.turns(run.id));
  const said = async (run: Pick<Run, 'id'>, options?: EndedOptions) => answerOf(await ended(run, options));
  const afresh = async (run: Run) => (await here().records.run(run.id)) ?? run;
  const below = async (run: Run) => {
    const kid = (await here().records.tree(run.id)).find(({ parent }) => parent !== undefined);
    if (kid === undefined) throw new Error(`nothing is below ${run.id}`);
    return kid;
  };

  /** A run that waits at a gate until it is let on. */
  async function atWork(agent = 'worker', more: Partial<RunRequest> = {}): Promise<{ run: Run; at: Gate }> {
    const at = gate();
    const run = await start(agent, `go ${at.word}`, more);
    await at.reached;
    return { run: await afresh(run), at };
  }
  async function stopped(agent?: string): Promise<{ run: Run; at: Gate }> {
    const { run, at } = await atWork(agent);
    const stopping = await here().stop(run, 'enough');
    return { run: await ended(run, { after: stopping, wholeTree: true }), at };
  }
  async function answered(prompt = 'go'): Promise<Run> {
    return ended(await start('echo', prompt), { wholeTree: true });
  }

  /** The question of a run, once an agent waits for its answer. */
  async function questionOf({ id }: Pick<Run, 'id'>, turn = 1): Promise<CallKey> {
    let found: CallKey | undefined;
    await expect
      .poll(async () => {
        for await (const { question, wait } of here().records.openQuestions(id)) {
          if (wait !== undefined && question.turn === turn) found = question;
        }
        return found;
      })
      .toBeDefined();
    return found ?? { run: id, turn, call: 1 };
  }
  async function asked(agent = 'asker', prompt = 'go'): Promise<{ run: Run; question: CallKey }> {
    const run = await start(agent, prompt);
    return { run, question: await questionOf(run) };
  }
  async function resultsOf({ id }: Run): Promise<string[]> {
    const turns = await here().records.turns(id);
    return turns.flatMap(({ received }) =>
      received.flatMap((message) => (message.role === 'tool' ? message.results.map(({ text }) => text) : [])),
    );
  }

  describe('starting', () => {
    test('leaves a record, whose execution carries the run', async () => {
      const id = idOf('echo');
      const run = await here().start({ id, request: { agent: 'echo', prompt: 'go' } });
      expect(run).toMatchObject({ id, root: id, path: '', agent: 'echo', depth: 0, holder: 1, task: 'go' });
      expect(run.execution).toContain(id);
    });
    test('keeps what was asked for', async () => {
      const { id } = await start('echo', 'go', { context: 'a text' });
      expect(await here().records.request(id)).toEqual({ agent: 'echo', prompt: 'go', context: 'a text' });
    });
    test('lists the run among the newest', async () => {
      const { id } = await start('echo');
      const roots: string[] = [];
      for await (const run of here().records.roots(20)) roots.push(run.id);
      expect(roots).toContain(id);
    });
    test('a run that is there gives its record', async () => {
      const { id } = await answered();
      const again = await here().start({ id, request: { agent: 'echo', prompt: 'go' } });
      expect(again).toMatchObject({ id, status: 'succeeded', holder: 1 });
    });
    test('twice at once gives one run', async () => {
      const run = { id: idOf('echo'), request: { agent: 'echo', prompt: 'go' } };
      const both = await Promise.all([here().start(run), here().start(run)]);
      expect(both.map(({ execution }) => execution)).toEqual([both[0].execution, both[0].execution]);
      expect(await said(run)).toBe('echo: go');
    });
    test('with a key again finds the first run', async () => {
      const request = { agent: 'echo', prompt: 'go' };
      const once = idOf('key');
      const first = await here().start({ id: idOf('echo'), request, once });
      expect((await here().start({ id: idOf('echo'), request, once })).id).toBe(first.id);
    });
    test('with a key twice at once gives one run', async () => {
      const request = { agent: 'echo', prompt: 'go' };
      const once = idOf('key');
      const both = await Promise.all([1, 2].map(() => here().start({ id: idOf('echo'), request, once })));
      expect(new Set(both.map(({ id }) => id)).size).toBe(1);
    });
    test('something else with a key that is taken is refused', async () => {
      const once = idOf('key');
      const { id } = await here().start({ id: idOf('echo'), request: { agent: 'echo', prompt: 'go' }, once });
      const other = here().start({ id: idOf('echo'), request: { agent: 'echo', prompt: 'stay' }, once });
      await expect(other).rejects.toThrow(new KeyInUseError(id));
    });
    test('keys of different owners are different keys', async () => {
      const once = idOf('key');
      const request = { agent: 'echo', prompt: 'go' };
      const one = await here().start({ id: idOf('echo'), request: { ...request, owner: 'ann' }, once });
      const two = await here().start({ id: idOf('echo'), request: { ...request, owner: 'bob' }, once });
      expect([one.owner, two.owner, one.id === two.id]).toEqual(['ann', 'bob', false]);
    });
    test('a name that no agent can have is refused', async () => {
      await expect(start('No Name')).rejects.toThrow(ConfigError);
    });
    test('a model that has no provider is refused', async () => {
      await expect(start('echo', 'go', { overrides: { model: 'nothing' } })).rejects.toThrow(Error);
    });
    test('a run that is out of time fails', async () => {
      const run = await start('late', 'go', { overrides: { timeout: seconds(1) } });
      rig().letTimePass?.();
      expect(await ended(run)).toMatchObject({ status: 'timed_out' });
    });
  });

  describe('waiting for the end', () => {
    test('gives the record with its answer', async () => {
      const run = await ended(await start('echo'));
      expect([run.status, await answerOf(run)]).toEqual(['succeeded', 'echo: go']);
    });
    test('of a run that ended before gives it at once', async () => {
      const run = await answered();
      expect(await ended(run, { signal: AbortSignal.abort() })).toEqual(run);
    });
    test('is ended by its signal, and the run goes on', async () => {
      const { run, at } = await atWork();
      expect(await ended(run, { signal: AbortSignal.abort() })).toMatchObject({ status: 'running' });
      at.open();
      expect(await said(run)).toBe(`worked: go ${at.word}`);
    });
    test('of a run that fails tells why', async () => {
      expect(await ended(await start('broken'))).toMatchObject({
        status: 'failed',
        failure: { error: 'ModelError', message: expect.stringMatching(/^bad_request: /) },
      });
    });
    test('of a whole tree comes when all of it is closed', async () => {
      const { run, at } = await atWork('boss');
      at.open();
      await ended(run, { wholeTree: true });
      const tree = await here().records.tree(run.id);
      expect(tree.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    });
    test('of a run that nobody has started is refused', async () => {
      await expect(here().ended(idOf('echo'))).rejects.toThrow(StoreError);
    });
    test('takes several who wait, in several places', async () => {
      const { run, at } = await atWork();
      const all = [ended(run), ended(run), there().ended(run.id)];
      at.open();
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 'succeeded'));
    });
    test('of a limit that was reached gives what there was', async () => {
      const run = await ended(await start('echo', 'go', { overrides: { budget: { tokens: 1 } } }));
      expect(run).toMatchObject({ status: 'budget_exceeded', exceeded: expect.stringContaining('token') });
    });
  });

  describe('a message', () => {
    test('to an agent at work is read with its next turn', async () => {
      const { run, at } = await atWork();
      await here().send({ run: run.id, text: 'and this' });
      at.open();
      expect(await said(run, { wholeTree: true })).toBe('worked: and this');
    });
    test('to one that has answered has it go on', async () => {
      const run = await answered();
      await here().send({ run: run.id, text: 'and now?' });
      const again = await ended(run, { after: { holder: 2 } });
      expect([again.status, again.holder, await answerOf(again)]).toEqual(['succeeded', 2, 'echo: and now?']);
    });
    test('to one that has failed has it try again', async () => {
      const run = await ended(await start('broken'));
      await here().send({ run: run.id, text: 'again' });
      expect(await ended(run, { after: { holder: 2 } })).toMatchObject({ status: 'failed', holder: 2 });
    });
    test('to one that was stopped has it go on', async () => {
      const { run, at } = await stopped();
      at.open();
      await here().send({ run: run.id, text: 'go on' });
      expect(await ended(run, { after: { holder: run.holder + 1 } })).toMatchObject({ status: 'succeeded' });
      expect(await said(run)).toBe('worked: go on');
    });
    test('to one at its limit has it go on once there is more', async () => {
      const run = await ended(await start('echo', 'go', { overrides: { budget: { tokens: 1 } } }));
      await here().addBudget(run.id, { tokens: 100_000 });
      await here().send({ run: run.id, text: 'go on' });
      expect(await ended(run, { after: { holder: 2 } })).toMatchObject({ status: 'succeeded' });
    });
    test('to a sub-agent that has answered has it go on', async () => {
      const { run, at } = await atWork('boss');
      at.open();
      await ended(run, { wholeTree: true });
      const kid = await below(run);
      await here().send({ run: kid.id, text: 'more' });
      const again = await ended(kid, { after: { holder: kid.holder + 1 } });
      expect(await answerOf(again)).toBe('worked: more');
    });
    test('to one that waits for a person waits with it', async () => {
      const { run, question } = await asked();
      await here().send({ run: run.id, text: 'hurry' });
      expect(await here().records.answer(question)).toBe(undefined);
      await here().answer(question, { text: 'red' });
      expect(await ended(run)).toMatchObject({ status: 'succeeded' });
    });
    test('is in the mailbox, with its writer', async () => {
      const { run, at } = await atWork();
      const { mail } = await here().send({ run: run.id, text: ' hello ', by: 'ann' });
      const [kept] = await here().mailbox(run.id).list();
      expect(kept).toMatchObject({ id: mail, body: 'hello', by: 'ann' });
      at.open();
      await ended(run);
    });
    test('of two at once neither is lost', async () => {
      const { run, at } = await atWork();
      await Promise.all(['one', 'two'].map((text) => here().send({ run: run.id, text })));
      at.open();
      await ended(run, { wholeTree: true });
      const unread = (await here().mailbox(run.id).list()).filter(({ isRead }) => !isRead);
      expect(unread).toEqual([]);
    });
    test('from another place reaches an agent at work', async () => {
      const { run, at } = await atWork();
      await there().send({ run: run.id, text: 'from afar' });
      at.open();
      await expect.poll(() => said(run)).toBe('worked: from afar');
    });
    test('to nobody is refused', async () => {
      await expect(here().send({ run: idOf('echo'), text: 'hello' })).rejects.toThrow(ConfigError);
    });
    test('without words is refused', async () => {
      const { id } = await answered();
      await expect(here().send({ run: id, text: ' \n' })).rejects.toThrow('the message is empty');
    });
    test('that is too long is refused', async () => {
      const { id } = await answered();
      const text = 'x'.repeat(100_001);
      await expect(here().send({ run: id, text })).rejects.toThrow('100001 characters');
    });
  });

  describe('an answer', () => {
    test('goes to the agent that asked', async () => {
      const { run, question } = await asked();
      const kept = await here().answer(question, { text: ' red ' }, 'ann');
      expect(kept).toMatchObject({ text: 'red', by: 'ann' });
      expect(await said(run)).toBe('you said red');
    });
    test('may come from another place', async () => {
      const { run, question } = await asked();
      await there().answer(question, { text: 'blue' });
      expect(await said(run)).toBe('you said blue');
    });
    test('is given once', async () => {
      const { run, question } = await asked();
      await here().answer(question, { text: 'red' }, 'ann');
      await expect(here().answer(question, { text: 'blue' }, 'bob')).rejects.toThrow(AnsweredError);
      expect(await said(run)).toBe('you said red');
    });
    test('of two at once is one', async () => {
      const { run, question } = await asked();
      const both = await Promise.allSettled(
        ['red', 'blue'].map((text) => here().answer(question, { text }, text)),
      );
      const given = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value.text] : []));
      expect(given).toHaveLength(1);
      expect(await said(run)).toBe(`you said ${given[0]}`);
    });
    test.each(['', ' ', 'x'.repeat(100_001)])('that cannot be one is refused (%#)', async (text) => {
      const { run, question } = await asked();
      await expect(here().answer(question, { text })).rejects.toThrow(ConfigError);
      await here().decline(question);
      await ended(run);
    });
    test('to no question is refused', async () => {
      const { id } = await answered();
      const nothing = here().answer({ run: id, turn: 1, call: 1 }, { text: 'red' });
      await expect(nothing).rejects.toThrow(`run "${id}" has no question t1c1`);
    });
    test('of nobody lets the agent go on without one', async () => {
      const { run, question } = await asked();
      await here().decline(question);
      expect(await said(run)).toBe('you said (question could not be answered)');
    });
    test('approves a call', async () => {
      const { run, question } = await asked('editor', '1');
      await here().answer(question, { text: 'approve' });
      expect(await said(run)).toContain('note1.txt');
    });
    test('denies a call, for a reason', async () => {
      const { run, question } = await asked('editor', '1');
      await here().answer(question, { text: 'deny too early' });
      expect(await said(run)).toContain('too early');
    });
    test('approves all later calls, too', async () => {
      const { run, question } = await asked('editor', '2');
      await here().answer(question, { text: 'always' });
      expect(await said(run)).toContain('note2.txt');
      expect(await resultsOf(run)).toHaveLength(2);
    });
    test('approves a call with other arguments', async () => {
      const { run, question } = await asked('editor', '1');
      const changed = { path: 'other.txt', content: 'a note' };
      await here().answer(question, { text: 'approve', arguments: changed });
      expect(await said(run)).toContain('other.txt');
      expect(await here().records.answer(question)).toMatchObject({ arguments: changed });
    });
    test.each([
      ['arguments that do not fit', { text: 'approve', arguments: { path: 7 } }],
      ['arguments of a call that is denied', { text: 'deny', arguments: { path: 'x', content: 'y' } }],
      ['what is no decision', { text: 'perhaps' }],
    ])('with %s is refused, and the question stays open', async (_, given) => {
      const { run, question } = await asked('editor', '1');
      await expect(here().answer(question, given)).rejects.toThrow(ConfigError);
      await here().answer(question, { text: 'deny' });
      await ended(run);
    });
    test('with arguments to a plain question is refused', async () => {
      const { run, question } = await asked();
      await expect(here().answer(question, { text: 'red', arguments: {} })).rejects.toThrow(ConfigError);
      await here().decline(question);
      await ended(run);
    });
  });

  describe('a fork', () => {
    test('is an idle copy below the agent', async () => {
      const run = await answered();
      const fork = await here().fork(run);
      expect(fork).toMatchObject({
        root: run.id,
        parent: { run: run.id, turn: 1 },
        agent: 'echo',
        name: 'echo-fork',
        derivedBy: 'fork',
        beside: true,
        status: 'idle',
        execution: '',
      });
      expect(await here().records.tree(run.id)).toHaveLength(2);
    });
    test('knows what was said, and goes on with a message', async () => {
      const run = await answered('the first words');
      const fork = await here().fork(run);
      await here().send({ run: fork.id, text: 'and you?' });
      const idle = await ended(fork, { after: { holder: 1 } });
      expect([idle.status, await answerOf(idle)]).toEqual(['idle', 'echo: and you?']);
      expect((await here().records.opened(fork.id))?.history).toMatchObject([{ run: run.id }]);
    });
    test('has a name of its own', async () => {
      const run = await answered();
      const names = [(await here().fork(run)).name, (await here().fork(run)).name];
      expect(names).toEqual(['echo-fork', 'echo-fork-2']);
    });
    test('of an agent that has not answered is refused', async () => {
      const { run, at } = await atWork();
      await expect(here().fork(run)).rejects.toThrow('has not answered yet');
      at.open();
      await ended(run);
    });
    test('from a turn is a tree of its own, which is told other words', async () => {
      const run = await answered('the first words');
      const fork = await here().fork(run, { id: idOf('echo'), turn: 1, text: 'other words' });
      const from = { root: run.id, run: run.id, turn: 1 };
      expect(fork).toMatchObject({ root: fork.id, path: '', forkedFrom: from, task: 'other words' });
      expect(await said(fork)).toBe('echo: other words');
      expect(await here().records.tree(run.id)).toHaveLength(1);
    });
    test('from a turn starts once for a key', async () => {
      const run = await answered();
      const ask = () => here().fork(run, { id: idOf('echo'), text: 'more', once: run.id });
      const [one, other] = [await ask(), await ask()];
      expect(other.id).toBe(one.id);
      expect(await said(one)).toBe('echo: more');
    });
    test('that is idle has nothing to stop', async () => {
      const fork = await here().fork(await answered());
      await expect(here().stop(fork, 'enough')).rejects.toThrow('there is nothing to stop');
    });
    test('that was killed is not reached any more', async () => {
      const fork = await here().fork(await answered());
      expect(await here().kill(fork, 'ada')).toEqual([fork.id]);
      await expect.poll(async () => (await afresh(fork)).status).toBe('stopped');
      expect((await afresh(fork)).stoppedBy).toBe('ada');
      await expect(here().send({ run: fork.id, text: 'hello' })).rejects.toThrow('was killed');
    });
  });

  describe('stopping', () => {
    test('ends a run, for a cause', async () => {
      const { run } = await stopped();
      expect(run).toMatchObject({ status: 'stopped', failure: { message: 'enough' } });
    });
    test('ends everything below it', async () => {
      const { run } = await stopped('boss');
      const tree = await here().records.tree(run.id);
      expect(tree.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    });
    test('a sub-agent leaves its caller to go on', async () => {
      const { run } = await atWork('boss');
      const kid = await below(run);
      await here().stop(kid, 'enough');
      expect(await said(run)).toMatch(/^heard: Error: sub-agent "worker" /);
    });
    test('may be done from another place', async () => {
      const { run } = await atWork('boss');
      await there().stop(run, 'from afar', 'ada');
      expect(await ended(run, { wholeTree: true })).toMatchObject({
        status: 'stopped',
        failure: { message: 'from afar' },
        stoppedBy: 'ada',
      });
    });
    test('closes what is asked', async () => {
      const { run } = await asked();
      await here().stop(await afresh(run), 'enough');
      await ended(run);
      const open = [];
      for await (const each of here().records.openQuestions(run.id)) open.push(each);
      expect(open).toEqual([]);
    });
    test('a run that has only just been started ends it', async () => {
      const run = await start('worker', gate().word);
      await here().stop(run, 'enough', 'ada');
      expect(await ended(run)).toMatchObject({ status: 'stopped', stoppedBy: 'ada' });
    });
    test('what has ended is refused', async () => {
      const run = await answered();
      await expect(here().stop(run, 'enough')).rejects.toThrow(new EndedError(run));
    });
    test('what was stopped is refused', async () => {
      const { run } = await stopped();
      await expect(here().stop(run, 'enough')).rejects.toThrow(EndedError);
    });
  });

  describe('killing', () => {
    test('ends a sub-agent for good, and its caller goes on', async () => {
      const { run } = await atWork('boss');
      const kid = await below(run);
      expect(await here().kill(kid)).toEqual([kid.id]);
      expect(await said(run, { wholeTree: true })).toMatch(
        /^heard: Error: sub-agent "worker" failed - killed/,
      );
      expect(await afresh(kid)).toMatchObject({ status: 'stopped', failure: { error: 'Killed' } });
    });
    test('may be done from another place', async () => {
      const { run } = await atWork('boss');
      await there().kill(await below(run));
      expect(await said(run)).toMatch(/killed/);
    });
    test('after what carried the tree has died has the others go on', async () => {
      const { run } = await atWork('boss');
      const kid = await below(run);
      await rig().die();
      await here().kill(kid);
      expect(await said(run, { wholeTree: true })).toMatch(/killed/);
    });
    test('the top of a tree is refused', async () => {
      const { run, at } = await atWork();
      await expect(here().kill(run)).rejects.toThrow('at the top of its tree');
      at.open();
      await ended(run);
    });
    test('what has answered is refused', async () => {
      const { run, at } = await atWork('boss');
      at.open();
      await ended(run, { wholeTree: true });
      await expect(here().kill(await below(run))).rejects.toThrow(ConfigError);
    });
  });

  describe('a budget', () => {
    test('is added to, and who did it is kept', async () => {
      const run = await ended(await start('echo', 'go', { overrides: { budget: { tokens: 5_000 } } }));
      await here().addBudget(run.id, { tokens: 1_000 }, 'ann');
      expect((await here().records.ledger(run.id))?.received).toMatchObject({ tokens: 6_000 });
      expect((await afresh(run)).added).toMatchObject([{ amounts: { tokens: 1_000 }, by: 'ann' }]);
    });
    test('that there is not is not added to', async () => {
      const { id } = await answered();
      await expect(here().addBudget(id, { tokens: 1 })).rejects.toThrow('has no limit of tokens');
    });
  });

  describe('resuming', () => {
    test('goes on with a run that was stopped, in a new execution', async () => {
      const { run, at } = await stopped();
      at.open();
      const again = await here().resume(run);
      expect(again).toMatchObject({ id: run.id, status: 'running', holder: run.holder + 1 });
      expect(await said(again)).toBe(`worked: go ${at.word}`);
    });
    test('goes on with a whole tree, and repeats no turn', async () => {
      const { run, at } = await stopped('boss');
      at.open();
      await here().resume(run);
      expect(await said(run, { wholeTree: true })).toMatch(/^heard: worked: /);
      expect(await here().records.turns(run.id)).toHaveLength(2);
    });
    test('adds to the budget first', async () => {
      const { run } = await atWork('worker', { overrides: { budget: { tokens: 50_000 } } });
      const stopping = await here().stop(run, 'enough');
      const ended1 = await ended(run, { after: stopping, wholeTree: true });
      await here().resume(ended1, { add: { tokens: 10 }, by: 'ann', timeout: seconds(600) });
      expect((await afresh(run)).added).toMatchObject([{ amounts: { tokens: 10 }, by: 'ann' }]);
      await ended(run, { after: await here().stop(await afresh(run), 'enough') });
    });
    test('tries again what has failed', async () => {
      const run = await ended(await start('broken'));
      await here().resume(run);
      expect(await ended(run, { after: { holder: 2 } })).toMatchObject({ status: 'failed', holder: 2 });
    });
    test('may be done from another place', async () => {
      const { run, at } = await stopped();
      at.open();
      await there().resume(run);
      expect(await ended(run, { wholeTree: true })).toMatchObject({ status: 'succeeded' });
    });
    test('what has its answer is refused', async () => {
      await expect(here().resume(await answered())).rejects.toThrow(NothingLeftError);
    });
    test('what is at work is refused', async () => {
      const { run, at } = await atWork();
      await expect(here().resume(run)).rejects.toThrow(ConfigError);
      at.open();
      expect(await ended(run)).toMatchObject({ status: 'succeeded', holder: 1 });
    });
    test('a sub-agent is refused', async () => {
      const { run } = await stopped('boss');
      await expect(here().resume(await below(run))).rejects.toThrow('resume the whole tree');
    });
    test('after what carried the run has died ends it', async () => {
      const { run, at } = await atWork();
      await rig().die();
      at.open();
      // Where something else carries it on by itself, there is nothing to resume.
      await here()
        .resume(run)
        .catch((thrown: unknown) => expect(thrown).toBeInstanceOf(ConfigError));
      expect(await said(run, { wholeTree: true })).toBe(`worked: go ${at.word}`);
    });
  });

  describe('following', () => {
    const typesOf = (told: readonly { type: string }[]) => told.map(({ type }) => type);
    async function followed(environment: Environment, run: string, from?: Positions) {
      const told: { type: string; cursor: string }[] = [];
      const { signal } = new AbortController();
      for await (const { event, cursor } of environment.follow(run, { from, signal, until: 'rest' })) {
        if (event.type !== 'message_delta') told.push({ type: event.type, cursor: cursor() });
      }
      return told;
    }
    const LIFE = ['run_opened', 'turn_started', 'turn_finished', 'run_closed'];

    test('tells all of a run, from its beginning to its end', async () => {
      const { id } = await start('echo');
      expect(typesOf(await followed(here(), id))).toEqual(LIFE);
    });
    test('tells the same afterwards, and in another place', async () => {
      const { run, at } = await atWork('boss');
      const live = followed(here(), run.id);
      at.open();
      const told = typesOf(await live);
      expect(typesOf(await followed(here(), run.id))).toEqual(told);
      expect(typesOf(await followed(there(), run.id))).toEqual(told);
      expect(told.filter((type) => type === 'run_opened')).toHaveLength(2);
    });
    test('begins before there is a record', async () => {
      const id = idOf('echo');
      const over = new AbortController();
      const types: string[] = [];
      const following = (async () => {
        for await (const { event } of here().follow(id, { signal: over.signal })) {
          if (event.type !== 'message_delta') types.push(event.type);
          if (event.type === 'run_closed') over.abort();
        }
      })();
      await here().start({ id, request: { agent: 'echo', prompt: 'go' } });
      await following;
      expect(types).toEqual(LIFE);
    });
    test('from a position tells the rest', async () => {
      const { id } = await answered();
      const told = await followed(here(), id);
      const from = fromCursor(id, told[1]?.cursor ?? '');
      expect(typesOf(await followed(here(), id, from))).toEqual(LIFE.slice(2));
    });
    test('from what there is by now tells what comes', async () => {
      const run = await answered();
      const from = await here().told(run.id);
      await here().send({ run: run.id, text: 'and now?' });
      expect(typesOf(await followed(here(), run.id, from))).toEqual(LIFE);
    });
    test('tells what is asked and answered', async () => {
      const { run, question } = await asked();
      await here().answer(question, { text: 'red' });
      await ended(run);
      const types = typesOf(await followed(here(), run.id));
      expect(types.filter((type) => type.startsWith('question_'))).toEqual([
        'question_asked',
        'question_answered',
      ]);
    });
    test('ends with its signal, and the run goes on', async () => {
      const { run, at } = await atWork();
      const over = new AbortController();
      for await (const { event } of here().follow(run.id, { signal: over.signal })) {
        if (event.type === 'turn_started' || event.type === 'run_opened') over.abort();
      }
      at.open();
      expect(await ended(run)).toMatchObject({ status: 'succeeded' });
    });
  });

  describe('what else there is', () => {
    test('a mailbox keeps what a person captures out of the sight of the agent', async () => {
      const run = await answered();
      await here().mailbox(run.id).capture('for later');
      expect(await here().mailbox(run.id).list()).toMatchObject([
        { body: 'for later', kind: 'capture', isRead: true },
      ]);
      expect(await ended(run)).toMatchObject({ status: 'succeeded', holder: 1 });
    });
    test('messages are read and deleted', async () => {
      const run = await answered();
      const box = here().mailbox(run.id);
      await box.capture('a');
      const [{ id } = { id: '' }] = await box.list();
      expect(await box.markRead(id)).toMatchObject({ body: 'a', isRead: true });
      expect([await box.delete(id), await box.delete('none'), await box.list()]).toEqual([true, false, []]);
      expect(await box.markRead(id)).toBe(undefined);
    });
    test('a key is bound once', async () => {
      const key = idOf('key');
      const both = [
        await here().once(key, { run: '', digest: 'one' }),
        await there().once(key, { run: '', digest: 'two' }),
      ];
      expect(both).toEqual([
        { run: '', digest: 'one' },
        { run: '', digest: 'one' },
      ]);
    });
    test('a text is published for a while', async () => {
      const { url, expiresAt } = await here().publish(`answers/${idOf('text')}`, 'a long text');
      expect([url.length > 0, expiresAt > Date.now()]).toEqual([true, true]);
    });
    test('whether a tree is carried out is known', async () => {
      const { run, at } = await atWork();
      expect(await there().records.isCarriedOut(run.root)).toBe(true);
      at.open();
      await ended(run);
    });
  });
}
