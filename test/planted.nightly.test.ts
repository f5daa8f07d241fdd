import { expect, test } from 'vitest';
import { PLANTED } from '../simulate/planted.mjs';
import { simulate } from './fixtures/simulated.ts';

const FAULTS = Object.entries(PLANTED).map(([name, { says }]) => ({ name, says }));

test.each(FAULTS)(
  'the simulator finds that $says',
  async ({ name }) => {
    const { code, out } = await simulate('--seed', '1', '--minutes', '5', '--no-shrink', '--plant', name);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/ 1 broke a law\n$/) });
  },
  420_000,
);
