import { seconds } from '../../../src/core/records/times.ts';
import { describe, expect, test } from 'vitest';
import type { Run } from '../../../src/core/records/run.ts';
import { inHeldTime, until } from '../../fixtures/held-time.ts';
import { replayed } from '../../fixtures/replayed.ts';
import { latch, openStage, silence, use, type Asked, type Role } from '../../fixtures/stage.ts';

const FORKING = { top: 'tools = ["fork"]\nsystem_prompt = "You are top."\n' };

/** Which of the forks it is, by what its first own message says; "" for the one at the top. */
const forkOf = ({ request }: Asked) => {
  const texts = request.messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
  const own = texts.findLast((text) => text.includes('forked by'));
  return own?.split('"')[1] ?? '';
};

const json = (text: string | undefined) => JSON.parse(text ?? 'null');

/** The top plays one role, and each fork another. */
const cast =
  (roles: Record<string, Role>): Role =>
  (asked) =>
    roles[forkOf(asked)]?.(asked) ?? 'nothing';

const shown = (tree: Run[]) =>
  tree.map(
    ({ name = 'top', status, derivedBy }) =>
      `${name} ${status}${derivedBy === undefined ? '' : ` ${derivedBy}`}`,
  );

/** Reads everything that comes into its mailbox, and answers with all of it. */
const readsMail: Role = (asked) => {
  const { results } = asked;
  if (asked.told.startsWith('[Notification')) return [use('mail_check', {})];
  const unread = results.map(json)[0]?.messages?.filter((mail: { unread: boolean }) => mail.unread);
  if (unread?.length > 0) return unread.map((mail: { id: string }) => use('mail_read', { id: mail.id }));
  return results.map((result) => json(result)?.body ?? result).join('|');
};

test.each([
  [' \n', 'Message body cannot be empty'],
  ['x'.repeat(40_001), 'Message body has 40001 characters, at most 40000 are allowed'],
  ['x'.repeat(40_000), 'Agent not found: nobody'],
])('an agent is told why its mail was not sent: %#', async (body, why) => {
  const top: Role = ({ turn, results }) =>
    turn === 1 ? [use('mail_send', { to: 'nobody', body })] : results.join();
  const stage = await openStage({ top }, FORKING);
  expect((await stage.run()).out).toBe(why);
});

describe('fork', () => {
  test('starts a copy that knows the conversation, and hears of its answer by mail', async () => {
    const top: Role = (asked) => {
      if (asked.turn === 1) return [use('fork', { prompt: 'the work', name: 'helper' })];
      return asked.turn === 2 ? 'waiting' : readsMail(asked);
    };
    const stage = await openStage(
      { top: cast({ '': top, helper: (asked) => `did ${asked.told.split('\n\n')[1]}` }) },
      FORKING,
    );
    const { out, tree } = await stage.run();
    expect(out).toBe('{"status":"idle","success":true,"summary":"did the work"}');
    expect(shown(tree)).toEqual(['top succeeded', 'helper idle fork']);
    const [child] = tree.slice(1);
    expect(json(stage.asked[1]?.results[0] ?? stage.asked[2]?.results[0])).toEqual({
      child_uuid: child?.id,
      child_name: 'helper',
    });
    const [before] = stage.asked;
    const copy = stage.asked.find((asked) => forkOf(asked) === 'helper');
    expect({ ...copy?.request, signal: 0 }).toEqual({
      ...before?.request,
      signal: 0,
      messages: [
        { role: 'user', text: 'go' },
        {
          role: 'user',
          text: `[You are agent ${child?.id} "helper", forked by ${tree[0]?.id}. The task above is your parent's; yours is:]\n\nthe work`,
        },
      ],
    });
  });

  test('gives each fork a name of its own, and refuses a fourth generation', async () => {
    const nested: Role = ({ turn, results }) =>
      turn === 1 ? [use('fork', { prompt: 'deeper', name: 'x' })] : results.join();
    const depth = (asked: Asked) =>
      asked.request.messages.filter((m) => m.role === 'user' && m.text.includes('forked by')).length;
    const seen: string[] = [];
    const top: Role = (asked) => {
      const own = asked.request.messages.findLastIndex(
        (m) => m.role === 'user' && m.text.includes('forked by'),
      );
      const after = asked.request.messages.slice(own < 0 ? 0 : own);
      const turn = 1 + after.filter(({ role }) => role === 'assistant').length;
      if (turn > 2) return 'done';
      const line = nested({ ...asked, turn });
      if (turn === 2) seen.push(`${depth(asked)} ${asked.results.join()}`);
      return line;
    };
    const stage = await openStage({ top }, FORKING);
    const { tree } = await stage.run();
    expect(tree.map(({ name }) => name)).toEqual([undefined, 'x', 'x-2', 'x-3']);
    expect(seen.toSorted()).toEqual([
      ...[1, 2, 3].map(
        (number, index) =>
          `${index} {"child_uuid":"${tree[number]?.id}","child_name":"${tree[number]?.name}"}`,
      ),
      '3 Error: Maximum fork depth (3) exceeded',
    ]);
  });

  test('says what is missing', async () => {
    const top: Role = ({ turn, results }) => (turn === 1 ? [use('fork', {})] : results.join());
    const { run } = await openStage({ top }, FORKING);
    expect((await run()).out).toBe('Missing required parameter: prompt');
  });

  test('tells of a fork that failed, with what it said', async () => {
    const helper: Role = ({ request }) => {
      if (request.messages.at(-1)?.role === 'tool') throw new Error('broken');
      return { text: 'half', calls: [use('mail_check', {})] };
    };
    const top: Role = (asked) => {
      if (asked.turn === 1) return [use('fork', { prompt: 'p', name: 'helper' })];
      return asked.turn === 2 ? 'waiting' : readsMail(asked);
    };
    const stage = await openStage({ top: cast({ '': top, helper }) }, FORKING);
    const { out, tree } = await stage.run();
    expect(json(out)).toEqual({ status: 'idle', success: false, error: 'broken', partial: 'half' });
    expect(shown(tree)).toEqual(['top succeeded', 'helper failed fork']);
  });

  test('goes on with all it knew when it is written to', async () => {
    const top: Role = (asked) => {
      const { turn, results } = asked;
      if (turn === 1) return [use('fork', { prompt: 'one', name: 'helper' })];
      if (turn === 2) return [use('wait', { timeout: 60 })];
      if (turn === 3) return [use('mail_send', { to: 'helper', body: 'two' })];
      if (turn === 4) return [use('wait', { timeout: 60 })];
      return json(results[0]).body;
    };
    const helper: Role = (asked) => {
      if (asked.told.includes('forked by')) return 'first';
      const read = readsMail(asked);
      return typeof read === 'string' ? `${asked.request.messages.length} messages, ${read}` : read;
    };
    const stage = await openStage({ top: cast({ '': top, helper }) }, FORKING);
    const { out, tree } = await stage.run();
    expect(json(out)).toEqual({ status: 'idle', success: true, summary: '8 messages, two' });
    expect(shown(tree)).toEqual(['top succeeded', 'helper idle fork']);
    expect(tree[1]?.holder).toBe(2);
    expect(await replayed(tree[0]?.id ?? '', stage)).not.toHaveProperty('difference');
  });
});

describe('kill', () => {
  test('ends an agent and everything below it, in the middle of what it does', async () => {
    const isAsked = latch();
    const top: Role = async ({ turn, results }) => {
      if (turn === 1) return [use('fork', { prompt: 'p', name: 'a' })];
      if (turn === 2) {
        await isAsked.opened;
        return [use('kill', { uuid: 'a' })];
      }
      if (turn === 3) return [use('kill', { uuid: 'a' }), use('mail_send', { to: 'a', body: 'x' })];
      return results.join('|');
    };
    const a: Role = (asked) =>
      asked.request.messages.at(-1)?.role === 'tool'
        ? silence(asked)
        : [use('fork', { prompt: 'q', name: 'b' })];
    const b: Role = (asked) => {
      isAsked.open();
      return silence(asked);
    };
    const stage = await openStage({ top: cast({ '': top, a, b }) }, FORKING);
    const { out, tree } = await stage.run();
    expect(out).toBe('Agent is already dead|Recipient agent is dead');
    expect(shown(tree)).toEqual(['top succeeded', 'a stopped fork', 'b stopped fork']);
    const killed = stage.asked.flatMap(({ results }) => results).find((text) => text.includes('killed'));
    expect(json(killed)).toEqual({ killed: [tree[1]?.id, tree[2]?.id] });
    expect(await replayed(tree[0]?.id ?? '', stage)).not.toHaveProperty('difference');
  });

  test.each([
    [{ uuid: 'nobody' }, 'Agent not found: nobody'],
    [{ uuid: 'top' }, 'CANNOT_KILL_ROOT'],
    [{ uuid: 'a' }, 'CANNOT_KILL_PARENT'],
  ])('%j by a fork is answered with %s', async (args, refusal) => {
    const top: Role = ({ turn, results }) => {
      if (turn === 1) return [use('fork', { prompt: 'p', name: 'a' })];
      return turn === 2 ? [use('wait', { timeout: 60 })] : json(json(results[0]).body).summary;
    };
    const a: Role = ({ request, results }) =>
      request.messages.at(-1)?.role === 'tool' ? results.join() : [use('kill', args)];
    const { run } = await openStage({ top: cast({ '': top, a }) }, FORKING);
    expect((await run()).out).toBe(refusal);
  });
});

describe('wait', () => {
  test('returns what each of several agents wrote, or what they are', async () => {
    const top: Role = ({ turn, results }) => {
      if (turn === 1) return ['a', 'b'].map((name) => use('fork', { prompt: 'p', name }));
      if (turn === 2) return [use('wait', { timeout: 60, from_agents: ['a', 'b', 'ghost'] })];
      return results.join();
    };
    const stage = await openStage({ top: cast({ '': top, a: () => 'A', b: () => 'B' }) }, FORKING);
    const { out, tree } = await stage.run();
    const { results } = json(out);
    expect(
      results.map(
        (each: { status: string; agent_uuid: string; agent_name: string; message?: { body: string } }) => [
          each.agent_uuid,
          each.agent_name,
          each.status,
          json(each.message?.body)?.summary,
        ],
      ),
    ).toEqual([
      [tree[1]?.id, 'a', 'received', 'A'],
      [tree[2]?.id, 'b', 'received', 'B'],
      ['ghost', '', 'dead', undefined],
    ]);
  });

  test('times out', async () => {
    const top: Role = ({ turn, results }) => (turn === 1 ? [use('wait', { timeout: 1 })] : results.join());
    const { run } = await openStage({ top }, { top: 'tools = ["wait"]\n' });
    const { out } = await inHeldTime(() => run(), 1);
    expect(out).toBe('{"status":"timeout"}');
  });
});

describe('a tree with forks', () => {
  test('ends with the run at its top, whose failure ends its forks', async () => {
    const isAsked = latch();
    const top: Role = async ({ turn }) => {
      if (turn === 1) return [use('fork', { prompt: 'p', name: 'a' })];
      await isAsked.opened;
      throw new Error('broken');
    };
    const a: Role = (asked) => {
      isAsked.open();
      return silence(asked);
    };
    const stage = await openStage({ top: cast({ '': top, a }) }, FORKING);
    const { code, tree } = await stage.run();
    expect(code).toBe(1);
    expect(shown(tree)).toEqual(['top failed', 'a stopped fork']);
  });

  test('ends at its deadline with the last answer of its top', async () => {
    const top: Role = ({ turn }) => (turn === 1 ? [use('fork', { prompt: 'p', name: 'a' })] : 'so far');
    const stage = await openStage({ top: cast({ '': top, a: silence }) }, FORKING);
    const isIdle = async () => {
      for await (const { status } of stage.pipeline.store.roots(1)) return status === 'idle';
      return false;
    };
    const { out, tree } = await inHeldTime(async (pass) => {
      const ended = stage.run({ overrides: { timeout: seconds(3) } });
      await until(async () => stage.asked.length === 3 && (await isIdle()));
      pass(3_000);
      return ended;
    });
    expect(out).toBe('so far');
    expect(tree.map(({ status }) => status)).toEqual([
      'succeeded',
      expect.stringMatching(/timed_out|stopped/),
    ]);
  });
});

test("a fork's answer to a person wakes no other agent", async () => {
  const top: Role = ({ turn }) => {
    if (turn === 1) return [use('fork', { prompt: 'p', name: 'a' })];
    return `answer ${turn}`;
  };
  const stage = await openStage({ top: cast({ '': top, a: () => 'done' }) }, FORKING);
  const { run, tree } = await stage.run();
  const fork = tree[1]?.id ?? '';
  await stage.environment.send({ run: fork, text: 'more' });
  await stage.environment.ended(fork, { wholeTree: true });
  const after = await stage.pipeline.store.tree(run.id);
  expect(after.map(({ holder, status }) => ({ holder, status }))).toEqual([
    { holder: 1, status: 'succeeded' },
    { holder: 2, status: 'idle' },
  ]);
});
