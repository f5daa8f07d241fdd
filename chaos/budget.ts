import fc from 'fast-check';
import {
  CHANCES,
  idleRefusals,
  scenarios,
  STOPS,
  wronglyCounted,
} from '../test/core/spending/random-scenarios.ts';
import { NO_FAULTS, play } from '../test/account/scenario.ts';
import type { Campaign } from './campaign.ts';

const FAULTY = scenarios(CHANCES, STOPS);
const UNDISTURBED = scenarios(fc.constant(NO_FAULTS), fc.constant([]));

export const BUDGET: Campaign = {
  name: 'budget',
  tries: 'trees that share a budget, in functions that die, repeat and are stopped',
  async open() {
    return {
      async attack(trial) {
        if (trial.number(0, 2) > 0) {
          const scenario = trial.sample(FAULTY);
          return wronglyCounted(scenario, await play(scenario));
        }
        const scenario = trial.sample(UNDISTURBED);
        const played = await play(scenario);
        return [...wronglyCounted(scenario, played), ...idleRefusals(played)];
      },
      async close() {},
    };
  },
};
