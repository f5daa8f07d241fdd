import { expect, test } from 'vitest';
import { PLANTED } from '../simulate/planted.mjs';
import { cases } from './fixtures/cases.ts';
import { simulate } from './fixtures/simulated.ts';

test('plays break no law', async () => {
  const { code, out } = await simulate('--seed', '5000', '--plays', `${cases(150)}`);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/ plays, \d+ turns in .* 0 broke a law\n$/),
  });
});

test('everything in a play follows from its seed', async () => {
  const steps = async () => {
    const { out } = await simulate('--seed', '77', '--plays', '5', '--trace');
    return out.split('\n').slice(0, -2);
  };
  const once = await steps();
  expect(once.length).toBeGreaterThan(100);
  expect(await steps()).toEqual(once);
});

test('several processes play the seeds that one would', async () => {
  const made = async (...options: string[]) => {
    const { out } = await simulate('--seed', '7000', '--plays', '5', ...options);
    return out.match(/^\d+ plays, \d+ turns|seeds .*/g);
  };
  const alone = await made();
  expect(alone).toEqual([expect.stringMatching(/^5 plays, [1-9]/), 'seeds 7000 to 7004: 0 broke a law']);
  expect(await made('--jobs', '2')).toEqual(alone);
});

test('a fault that is put back is found, and the play that shows it is made shorter', async () => {
  const { code, out } = await simulate('--seed', '1', '--plant', 'results-out-of-order');
  expect({ code, out }).toEqual({
    code: 1,
    out: expect.stringMatching(
      /^results come in the order of their calls[^]*\(\d+ of \d+ choices\)\n[^]* 1 broke a law\n$/,
    ),
  });
});

const SOON = Object.keys(PLANTED).filter((name) => PLANTED[name]?.isSoon);

test.each(SOON)('a fault that many plays show is found: %s', async (name) => {
  const limits = ['--plays', '200', '--minutes', '4'];
  const { code, out } = await simulate('--seed', '1', ...limits, '--no-shrink', '--plant', name);
  expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/ 1 broke a law\n$/) });
});
