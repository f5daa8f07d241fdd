import { expect, test } from 'vitest';
import { dayLimitsOf } from '../../../src/core/records/day-limits.ts';
import { ownerKey } from '../../../src/core/records/owner.ts';

const ISSUER = 'https://login.example.org';
const KEY = ownerKey(ISSUER, 'ada');
const ADA = { agent: 'top', owner: 'ada', issuer: ISSUER };

test('a tree is held by the limits of its place, of its agent, and of its owner in each', () => {
  const all = { scope: 'all', nanoUsd: 5, key: 'usd_per_day', of: 'all agents' };
  const agent = { scope: 'agent#top', nanoUsd: 3, key: 'usd_per_day', of: 'agent "top"' };
  const place = { nanoUsd: 5, nanoUsdPerOwner: 2 };
  const own = { nanoUsd: 3, nanoUsdPerOwner: 1 };
  expect(dayLimitsOf(ADA, place, own)).toEqual([
    all,
    { scope: `all#owner#${KEY}`, nanoUsd: 2, key: 'usd_per_owner_per_day', of: 'all agents for "ada"' },
    agent,
    {
      scope: `agent#top#owner#${KEY}`,
      nanoUsd: 1,
      key: 'usd_per_owner_per_day',
      of: 'agent "top" for "ada"',
    },
  ]);
  // Nobody's run has no limits of owners.
  expect(dayLimitsOf({ agent: 'top' }, place, own)).toEqual([all, agent]);
  expect(dayLimitsOf(ADA)).toEqual([]);
});
