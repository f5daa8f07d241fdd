import { expect, test } from 'vitest';
import { call, openStage, type Role } from '../../fixtures/stage.ts';

const SHARES = 'sub_agents = ["kid", "shy"]\n[sub_agents_config]\nshare_input = true\n';
const top: Role = ({ turn, results }) =>
  turn === 1 ? [call('kid', 'count', 'be brief'), call('shy', 'look')] : results.join(' and ');

test('sub-agents read the input of their caller, and its model copies none of it', async () => {
  const stage = await openStage(
    { top, kid: ({ message }) => message, shy: ({ message }) => message },
    { top: SHARES },
  );
  const { out, run } = await stage.run({ prompt: 'how many?', context: 'a long text\n' });
  expect(out).toBe(
    'Task: count\n\nContext:\nbe brief\n\nInput:\na long text\n and Task: look\n\nInput:\na long text\n',
  );
  const [first] = await stage.pipeline.store.turns(run.id);
  expect(JSON.stringify(first?.plans)).not.toContain('a long text');
});

test('a sub-agent hands on what it reads itself, and one that shares nothing does not', async () => {
  const middle: Role = ({ turn, results }) => (turn === 1 ? [call('low', 'x')] : results.join());
  const shares = (sharing: boolean) =>
    `sub_agents = ["low"]\n[sub_agents_config]\nshare_input = ${sharing}\n`;
  const stage = await openStage(
    {
      top: ({ turn, results }) => (turn === 1 ? [call('open', 'x'), call('closed', 'x')] : results.join('|')),
      open: middle,
      closed: middle,
      low: ({ message }) => message,
    },
    { top: SHARES.replace('"kid", "shy"', '"open", "closed"'), open: shares(true), closed: shares(false) },
  );
  const { out } = await stage.run({ context: 'words' });
  expect(out).toBe('Task: x\n\nInput:\nwords|Task: x');
});

test('there is nothing to read where there is no input', async () => {
  const stage = await openStage({ top, kid: ({ message }) => message, shy: () => '-' }, { top: SHARES });
  expect((await stage.run({ prompt: 'how many?' })).out).toBe('Task: count\n\nContext:\nbe brief and -');
});
