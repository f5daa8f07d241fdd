import fc from 'fast-check';
import { CHANCES, scenarios, STOPS, wronglyCounted } from '../test/core/spending/random-scenarios.ts';
import { faultsOf } from '../test/core/turn/deaths.ts';
import { DOCUMENTED, type Quotas } from '../simulate/world/quotas.ts';
import { play, type Scenario } from '../test/account/scenario.ts';
import type { Campaign } from './campaign.ts';

const SCENARIOS = scenarios(CHANCES, STOPS);

const chance = fc.constantFrom(0, 0.2, 0.5, 1);
const DELIVERY = fc.record({ lost: chance, doubled: chance, late: chance });

/** From what others leave of the quotas of an account to all of them. */
const bucket = fc.record({ burst: fc.constantFrom(1, 3, 20), perSecond: fc.constantFrom(0.2, 1, 10) });
/** Resuming a tree asks for each of its executions that may run. */
const describe = fc.record({ burst: fc.constantFrom(50, 250), perSecond: fc.constantFrom(5, 10) });
const partition = fc.constantFrom(100, 300, 1_000).map((units) => ({ burst: units, perSecond: units }));
const QUOTAS: fc.Arbitrary<Quotas> = fc.record({
  start: bucket,
  stop: bucket,
  describe,
  wake: bucket,
  reads: partition,
  writes: partition,
  functions: fc.constantFrom(2, 5, DOCUMENTED.functions),
});

export const DELIVERY_OF_EVENTS: Campaign = {
  name: 'delivery',
  tries: 'ends of executions that are told late, twice or never, and swept',
  open: playedIn(fc.record({ delivery: DELIVERY })),
};

export const CONTROL_PLANE: Campaign = {
  name: 'control-plane',
  tries: 'accounts whose Step Functions, DynamoDB and Lambda throttle',
  open: playedIn(fc.record({ quotas: QUOTAS })),
};

/** Random trees that are stopped, in functions that die, in an account of the given kind. */
function playedIn(account: fc.Arbitrary<Partial<Scenario>>): Campaign['open'] {
  return async () => ({
    async attack(trial) {
      const scenario = { ...trial.sample(SCENARIOS), ...trial.sample(account) };
      const played = await play(scenario);
      return [...faultsOf(played), ...wronglyCounted(scenario, played)];
    },
    async close() {},
  });
}
