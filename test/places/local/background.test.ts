import { expect, test } from 'vitest';
import type { Message } from '../../../src/core/records/message.ts';
import { nameOf, type Run } from '../../../src/core/records/run.ts';
import { inHeldTime, until } from '../../fixtures/held-time.ts';
import { call, latch, openStage, silence, use, type Role, type Stage } from '../../fixtures/stage.ts';

const background = (value: string) =>
  `sub_agents = ["kid", "other"]\ntools = ["kill", "mail", "wait"]\n[sub_agents_config]\nbackground = ${value}\n`;

const beside = (agent: string, task = 'look') => use('call_agent', { agent, task, background: true });

const found: Role = () => 'found';

interface Parts {
  kid?: Role;
  other?: Role;
  /** Of the top's file. */
  extra?: string;
  /** Of the kids' files. */
  kids?: string;
}

const play = (top: Role, { kid = found, other = found, extra = '', kids = '' }: Parts = {}): Promise<Stage> =>
  openStage({ top, kid, other }, { top: extra + background('true'), kid: kids, other: kids });

const endOf = (run: Run | undefined, status = 'succeeded', result = 'found') =>
  `[Agent "${run && nameOf(run)}" (${run?.id}) has finished: ${status}]\n\n${result}`;

/** What the top was told besides its task, turn by turn. */
async function toldTo(stage: Stage, run: Run): Promise<string[][]> {
  const turns = await stage.environment.records.turns(run.id);
  return turns.map(({ received }) =>
    received.flatMap((message: Message) =>
      message.role === 'tool'
        ? message.results.map(({ text }) => text)
        : 'text' in message
          ? [message.text]
          : [],
    ),
  );
}

test('an agent in the background starts at once, and its end is told once, after its caller has answered', async () => {
  const stage = await play(({ turn, told }) => (turn === 1 ? [beside('kid')] : told || 'working on it'));
  const { code, out, run, tree } = await stage.run();
  const [, kid] = tree;
  expect({ code, out, status: run.status }).toEqual({ code: 0, out: endOf(kid), status: 'succeeded' });
  expect(await toldTo(stage, run)).toEqual([
    [],
    [JSON.stringify({ agent_id: kid?.id, name: 'kid' })],
    [endOf(kid)],
  ]);
  expect(kid).toMatchObject({ agent: 'kid', name: 'kid', beside: true, depth: 1, status: 'idle', holder: 1 });
});

test('ends that come while an agent works are told with the results of its calls, all in one turn', async () => {
  const stage = await play(({ turn }) => {
    if (turn === 1) return [beside('kid'), beside('other'), beside('kid')];
    return turn === 2 ? [use('wait', { timeout: 60, from_agents: ['kid', 'kid-2', 'other'] })] : 'done';
  });
  const { code, run, tree } = await stage.run();
  const told = await toldTo(stage, run);
  const [, ...others] = tree;
  expect({ code, turns: told.length }).toEqual({ code: 0, turns: 3 });
  // A call of `wait` takes them, and none is told again.
  const ends = others.map((one) => endOf(one));
  const [result = ''] = told[2] ?? [];
  expect(told[2]).toHaveLength(1);
  expect(
    JSON.parse(result)
      .results.map((one: { message: { body: string } }) => one.message.body)
      .toSorted(),
  ).toEqual(ends.toSorted());
});

test('an end that no call waits for is told with the results', async () => {
  const hasEnded = latch();
  const stage = await play(async ({ turn }) => {
    if (turn === 1) return [beside('kid')];
    if (turn > 2) return 'done';
    await hasEnded.opened;
    return [use('mail_check', {})];
  });
  stage.onEvent((event) => {
    if (event.type === 'run_closed' && event.agent === 'kid') hasEnded.open();
  });
  const { code, run, tree } = await stage.run();
  expect(code).toBe(0);
  // It is no message to look for.
  expect((await toldTo(stage, run))[2]).toEqual(['{"messages":[]}', endOf(tree[1])]);
});

test.each([
  ['fails', 'failed', '[broken]', { kid: () => Promise.reject(new Error('broken')) }],
  ['cannot be opened', 'failed', /^\[failed to load agent "kid": /, { kids: 'nonsense =\n' }],
  ['runs out of time', 'timed_out', '[timeout after 1s]', { kid: silence, kids: 'timeout = 1\n' }],
] satisfies [string, string, string | RegExp, Parts][])(
  'the end of an agent that %s is told as "%s"',
  async (_, status, result, parts) => {
    const stage = await play(({ turn, told }) => (turn === 1 ? [beside('kid')] : told || 'waiting'), parts);
    const { code, out, run, tree } = await inHeldTime(() => stage.run(), 1);
    const [head, said] = [out.slice(0, out.indexOf('\n')), out.slice(out.indexOf('\n') + 2)];
    expect({ code, status: run.status, head }).toEqual({
      code: 0,
      status: 'succeeded',
      head: endOf(tree[1], status).split('\n')[0],
    });
    expect(said).toMatch(result);
  },
);

test('a long result is cut, and says where the rest is', async () => {
  const stage = await play(({ turn, told }) => (turn === 1 ? [beside('kid')] : told || 'waiting'), {
    kid: () => 'x'.repeat(50_001),
  });
  const { out, tree } = await stage.run();
  const rest = `[1 of 50001 characters left out; the whole is the answer of run ${tree[1]?.id}]`;
  expect(out).toBe(endOf(tree[1], 'succeeded', `${'x'.repeat(50_000)}\n\n${rest}`));
});

test('one that its caller kills is not told of', async () => {
  const stage = await play(
    ({ turn, results }) => {
      if (turn === 1) return [beside('kid')];
      return turn === 2 ? [use('kill', { uuid: 'kid' })] : results.join();
    },
    { kid: silence },
  );
  const { out, run, tree } = await stage.run();
  expect(out).toBe(JSON.stringify({ killed: [tree[1]?.id] }));
  expect(await toldTo(stage, run)).toHaveLength(3);
});

test('one that a person kills is told of as stopped', async () => {
  const stage = await play(({ turn, told }) => (turn === 1 ? [beside('kid')] : told || 'waiting'), {
    kid: silence,
  });
  const running = stage.run();
  await until(() => stage.asked.length === 3);
  for await (const { id } of stage.pipeline.store.roots(1)) {
    for (const run of await stage.pipeline.store.tree(id)) {
      if (run.agent === 'kid') await stage.environment.kill(run);
    }
  }
  const { out, tree } = await running;
  expect(out).toBe(endOf(tree[1], 'stopped', `[killed by a person (${tree[1]?.id})]`));
});

test('each end reaches the agent that made the call, whatever others are called', async () => {
  const stage = await openStage(
    {
      top: ({ turn }) => {
        if (turn === 1) return [beside('kid'), beside('other', 'of top')];
        return turn === 2 ? [use('wait', { timeout: 60, from_agents: ['kid'] })] : 'done';
      },
      kid: ({ turn, told }) => (turn === 1 ? [beside('other', 'of kid')] : told || 'waiting'),
      other: ({ message }) => message.replace('Task: ', '').trim(),
    },
    { top: background('true'), kid: background('true') },
  );
  const { run, tree } = await stage.run();
  const [kid, ofTop, ofKid] = ['t1c1', 't1c2', 't1c1_t1c1'].map((at) => tree.find(({ path }) => path === at));
  const endsIn = async (id = '') =>
    (await stage.pipeline.store.mails(id)).map(({ from, body }) => `${from} ${body.split('\n').at(-1)}`);
  expect(new Set(await endsIn(run.id))).toEqual(new Set([`${kid?.id} of kid`, `${ofTop?.id} of top`]));
  expect(await endsIn(kid?.id)).toEqual([`${ofKid?.id} of kid`]);
});

test('nothing is left of those whose caller has failed, and none of them goes on', async () => {
  const stage = await play(
    ({ turn }) => (turn === 1 ? [beside('kid'), beside('other')] : Promise.reject(new Error('broken'))),
    { kid: silence, other: silence },
  );
  const { code, tree } = await stage.run();
  expect({ code, statuses: tree.map(({ status }) => status) }).toEqual({
    code: 1,
    statuses: ['failed', 'stopped', 'stopped'],
  });
});

test('list_agents shows those that were started, and no others', async () => {
  const stage = await play(({ turn, results }) => {
    if (turn === 1) return [beside('kid'), call('other', 'wait for me')];
    if (turn === 2) return [use('wait', { timeout: 60, from_agents: ['kid'] })];
    return turn === 3 ? [use('list_agents', {})] : results.join();
  });
  const { out, tree } = await stage.run();
  const kid = tree.find(({ agent }) => agent === 'kid');
  expect(JSON.parse(out)).toEqual([
    { id: kid?.id, name: 'kid', agent: 'kid', phase: 'idle', task: 'look', tokens: 11 },
  ]);
});

test('where every call is one in the background, there is no choice, and nothing waits', async () => {
  const stage = await openStage(
    {
      top: ({ turn, told }) => (turn === 1 ? [call('kid', 'look')] : told || 'waiting'),
      kid: found,
      other: found,
    },
    { top: background('"always"') },
  );
  const { out, tree } = await stage.run();
  expect(out).toBe(endOf(tree[1]));
  const offered = stage.asked[0]?.request.tools?.find(({ name }) => name === 'call_agent');
  expect(Object.keys(offered?.parameters['properties'] ?? {})).toEqual(['agent', 'task', 'context']);
});

test('an agent that was not asked to go on beside its caller is waited for', async () => {
  const stage = await play(({ turn, results }) => (turn === 1 ? [call('kid', 'look')] : results.join()));
  const { out, tree } = await stage.run();
  expect({ out, beside: tree[1]?.beside, status: tree[1]?.status }).toEqual({
    out: 'found',
    beside: undefined,
    // Its caller could wait for it, and write to it.
    status: 'succeeded',
  });
});

test('an agent that has finished goes on with what it knows when it is written to, and finishes once more', async () => {
  const stage = await play(
    ({ turn, told }) => {
      if (turn === 1) return [beside('kid')];
      if (turn === 2) return 'waiting';
      if (turn === 3) return [use('mail_send', { to: 'kid', body: 'and then?' })];
      return told || 'waiting again';
    },
    {
      kid: ({ turn, request }) => (turn === 1 ? 'found' : `more, after ${request.messages.length} messages`),
    },
  );
  const { out, tree } = await stage.run();
  expect(out).toBe(endOf(tree[1], 'succeeded', 'more, after 3 messages'));
});

test('the end of one that has answered beside others at work is told once these have ended without a word to it', async () => {
  const [isAsked, mayAnswer] = [latch(), latch()];
  let [other, ends] = ['', 0];
  const stage = await openStage(
    {
      top: async ({ turn, told }) => {
        if (turn === 1) return [beside('kid')];
        if (turn !== 3) return told || 'waiting';
        await stage.environment.send({ run: other, text: 'and for me?' });
        await isAsked.opened;
        return [use('mail_send', { to: 'kid', body: 'and then?' })];
      },
      kid: ({ turn, told }) => (turn === 1 ? [beside('other')] : told === '' ? 'waiting' : `answer ${turn}`),
      other: async ({ turn }) => {
        if (turn === 1) return 'found';
        isAsked.open();
        await mayAnswer.opened;
        return 'for you';
      },
    },
    { top: background('true'), kid: background('true') },
  );
  stage.onEvent((event) => {
    if (event.agent === 'other') other = event.run;
    if (event.type === 'run_closed' && event.agent === 'kid' && ++ends === 3) mayAnswer.open();
  });
  const { code, out, tree } = await inHeldTime(() => stage.run(), 1);
  const kid = tree.find(({ agent }) => agent === 'kid');
  expect({ code, out, ends }).toEqual({ code: 0, out: endOf(kid, 'succeeded', 'answer 4'), ends: 3 });
});

test('a person who writes to one reads its answer alone', async () => {
  const stage = await play(({ turn, told }) => (turn === 1 ? [beside('kid')] : told || 'waiting'), {
    kid: ({ turn }) => (turn === 1 ? 'found' : 'for you'),
  });
  const { run, tree } = await stage.run();
  const kid = tree[1]?.id ?? '';
  await stage.environment.send({ run: kid, text: 'and for me?' });
  await until(async () => (await stage.pipeline.store.turns(kid)).length === 2);
  await until(async () => (await stage.pipeline.store.run(kid))?.status === 'idle');
  expect(await stage.pipeline.store.mails(run.id)).toHaveLength(1);
});

test('a sub-agent that is waited for returns once those that it has started have finished', async () => {
  const stage = await openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('kid', 'look')] : results.join()),
      kid: ({ turn, told }) => (turn === 1 ? [beside('other')] : told === '' ? 'in between' : `kid: ${told}`),
      other: found,
    },
    { top: 'sub_agents = ["kid"]\n', kid: background('true') },
  );
  const { out, tree } = await stage.run();
  expect(out).toBe(`kid: ${endOf(tree[2])}`);
});

test('an answer in between need not have the form of the last one', async () => {
  const schema =
    '[output]\nschema = { type = "object", properties = { n = { type = "integer" } }, required = ["n"] }\n';
  const stage = await openStage(
    {
      top: ({ turn, told }) => (turn === 1 ? [beside('kid')] : told === '' ? 'wait for it' : '{"n":1}'),
      kid: found,
      other: found,
    },
    { top: background('true') + schema },
  );
  const { code, out, run } = await stage.run();
  expect({ code, out, turns: run.usage.turns }).toEqual({ code: 0, out: '{"n":1}', turns: 3 });
});

test('at the end of its time, those in the background end first, and their caller has a turn left', () =>
  inHeldTime(async (pass) => {
    const stage = await play(({ turn, told }) => (turn === 1 ? [beside('kid')] : told || 'waiting'), {
      kid: silence,
      extra: 'timeout = 100\n',
    });
    const running = stage.run();
    await until(() => stage.asked.length === 3);
    pass(91_000);
    const { out, run, tree } = await running;
    expect({ out, status: run.status }).toEqual({
      out: endOf(tree[1], 'timed_out', '[timeout after 90s]'),
      status: 'succeeded',
    });
  }));

test('a fork is told that agents in the background report to its parent', async () => {
  const stage = await openStage(
    {
      top: ({ turn, request }) => {
        const own = request.messages.findLast(({ role }) => role === 'user');
        if (own !== undefined && 'text' in own && own.text.includes('forked by')) return own.text;
        return turn === 1 ? [use('fork', { prompt: 'x' })] : 'done';
      },
      kid: found,
    },
    { top: 'sub_agents = ["kid"]\ntools = ["fork"]\n[sub_agents_config]\nbackground = true\n' },
  );
  const { run, tree } = await stage.run();
  const turns = await stage.pipeline.store.turns(tree[1]?.id ?? '');
  expect(turns[0]?.answer.text).toContain(
    `forked by ${run.id}. Agents that were started before you report to ${run.id}, not to you. The task`,
  );
});

test('nothing that an agent is sent changes where it starts no others beside itself', async () => {
  const plain = await openStage({ top: () => 'done', kid: found }, { top: 'sub_agents = ["kid"]\n' });
  await plain.run();
  expect(plain.asked[0]?.request.tools?.map(({ name }) => name)).toEqual(['call_agent']);
  const stage = await play(() => 'done');
  await stage.run();
  expect(stage.asked[0]?.request.tools?.map(({ name }) => name)).toEqual([
    'call_agent',
    'kill',
    'list_agents',
    'mail_check',
    'mail_delete',
    'mail_filter',
    'mail_read',
    'mail_send',
    'wait',
  ]);
});
