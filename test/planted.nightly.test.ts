import { expect, test } from 'vitest';
import { PLANTED } from '../simulate/planted.mjs';
import { simulate } from './fixtures/simulated.ts';

const FAULTS = Object.entries(PLANTED).map(([name, { says, campaign }]) => ({
  name,
  says,
  by: campaign === undefined ? 'the simulator' : `the campaign ${campaign}`,
  given: campaign === undefined ? ['--no-shrink'] : [],
  found: campaign === undefined ? / 1 broke a law\n$/ : /\n  again: npm run chaos /,
}));

test.each(FAULTS)(
  '$by finds that $says',
  async ({ name, given, found }) => {
    const { code, out } = await simulate('--seed', '1', '--minutes', '5', ...given, '--plant', name);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(found) });
  },
  420_000,
);
