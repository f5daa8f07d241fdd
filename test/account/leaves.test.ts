import { describe, expect, test } from 'vitest';
import { isExpress } from '../../src/core/machine/express.ts';
import { ModelError } from '../../src/errors.ts';
import { createMemoryTable } from '../../src/places/store/memory-table.ts';
import { call } from '../fixtures/stage.ts';
import { choicesOf } from '../../simulate/choices.ts';
import { openAccount } from '../../simulate/world/account.ts';

const LEAVES = 'sub_agents = ["kid"]\n[sub_agents_config]\nexpress = true\n';

async function open() {
  const account = await openAccount({
    table: createMemoryTable(),
    choices: choicesOf(1),
    agents: { top: `timeout = 3600\n${LEAVES}`, kid: '' },
  });
  const id = await account.start('top');
  await account.settle();
  /** Answers what is asked on behalf of an agent. */
  async function say(agent: string, line: Parameters<(typeof account.asked)[number]['say']>[0]) {
    const asked = account.asked.find(({ run }) => run.startsWith(agent));
    if (asked === undefined) throw new Error(`${agent} asks nothing`);
    asked.say(line);
    await account.settle();
  }
  const runs = async () => {
    const tree = await account.bare.tree(id);
    return tree.map(({ agent, execution, status, holder }) => ({
      agent,
      kind: isExpress(execution) ? 'express' : 'standard',
      status,
      holder,
    }));
  };
  await say('top', { calls: [call('kid', 'x')] });
  return { account, id, say, runs };
}

describe('a leaf in an account', () => {
  test('runs in an Express execution, and closes its record itself', async () => {
    const { account, say, runs } = await open();
    expect(account.asked.map(({ run }) => run.split('-')[0])).toEqual(['kid']);
    await say('kid', { text: 'done' });
    await say('top', { text: 'all done' });
    expect(await runs()).toEqual([
      { agent: 'top', kind: 'standard', status: 'succeeded', holder: 1 },
      { agent: 'kid', kind: 'express', status: 'succeeded', holder: 1 },
    ]);
  });

  test('is asked again where its time runs out within a turn, and the first answer stands', async () => {
    const { account, say, runs } = await open();
    await account.pass(301_000);
    expect(account.asked).toHaveLength(2);
    await say('kid', { text: 'the first' });
    await say('kid', { text: 'the second' });
    const [told] = account.asked;
    expect(told?.request.messages.at(-1)).toMatchObject({ results: [{ text: 'the first' }] });
    await say('top', { text: 'all done' });
    expect(await runs()).toMatchObject([{ status: 'succeeded' }, { kind: 'standard', status: 'succeeded' }]);
  });

  test('fails as any sub-agent does, and is not tried again', async () => {
    const { account, say, runs } = await open();
    await say('kid', new ModelError('bad_request', 'no'));
    const [told] = account.asked;
    expect(told?.request.messages.at(-1)).toMatchObject({
      results: [
        {
          text: 'Error: sub-agent "kid" failed - bad_request: no. You may retry or proceed without this result.',
        },
      ],
    });
    await say('top', { text: 'all done' });
    expect(await runs()).toMatchObject([{ status: 'succeeded' }, { kind: 'express', status: 'failed' }]);
  });

  test('begins nothing more once its tree is stopped, though nothing stops its execution', async () => {
    const { account, id, say, runs } = await open();
    const top = await account.bare.run(id);
    await account.stop(top?.execution ?? '');
    await account.settle();
    expect(await runs()).toMatchObject([{ status: 'stopped' }, { kind: 'express', status: 'stopped' }]);
    await say('kid', { calls: [call('nobody', 'x')] });
    expect(account.asked).toEqual([]);
    expect(account.wrongs).toEqual([]);
  });
});
