import fc from 'fast-check';
import { CHANCES, scenarios, STOPS, wronglyCounted } from '../test/core/spending/random-scenarios.ts';
import { faultsOf } from '../test/core/turn/deaths.ts';
import { play } from '../test/account/scenario.ts';
import type { Campaign } from './campaign.ts';

const SCENARIOS = scenarios(CHANCES, STOPS);
const chance = fc.constantFrom(0, 0.2, 0.5, 1);
const DELIVERY = fc.record({ lost: chance, doubled: chance, late: chance });

export const DELIVERY_OF_EVENTS: Campaign = {
  name: 'delivery',
  tries: 'ends of executions that are told late, twice or never, and swept',
  async open() {
    return {
      async attack(trial) {
        const scenario = { ...trial.sample(SCENARIOS), delivery: trial.sample(DELIVERY) };
        const played = await play(scenario);
        return [...faultsOf(played), ...wronglyCounted(scenario, played)];
      },
      async close() {},
    };
  },
};
