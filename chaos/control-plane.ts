import fc from 'fast-check';
import { CHANCES, scenarios, STOPS, wronglyCounted } from '../test/core/spending/random-scenarios.ts';
import { faultsOf } from '../test/core/turn/deaths.ts';
import { DOCUMENTED, type Quotas } from '../test/account/quotas.ts';
import { play } from '../test/account/scenario.ts';
import type { Campaign } from './campaign.ts';

const SCENARIOS = scenarios(CHANCES, STOPS);
/** From what others leave of the quotas of an account to all of them. */
const bucket = fc.record({ burst: fc.constantFrom(1, 3, 20), perSecond: fc.constantFrom(0.2, 1, 10) });
/** Resuming a tree asks for those of its executions that may run, at once. */
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

export const CONTROL_PLANE: Campaign = {
  name: 'control-plane',
  tries: 'accounts whose Step Functions, DynamoDB and Lambda throttle',
  async open() {
    return {
      async attack(trial) {
        const scenario = { ...trial.sample(SCENARIOS), quotas: trial.sample(QUOTAS) };
        const played = await play(scenario);
        return [...faultsOf(played), ...wronglyCounted(scenario, played)];
      },
      async close() {},
    };
  },
};
