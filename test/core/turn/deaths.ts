import { LIMITS } from '../../../src/core/records/amounts.ts';
import { countedIn, NO_FAULTS, type Played, type Scenario } from '../../account/scenario.ts';

/**
 * A function dies before or after any operation of its store, or the operation is throttled; it is called again, as
 * Lambda, Step Functions and EventBridge call it. In any case, no run is left running, and no charge is wrong.
 */
export const FAULTS = ['before', 'after', 'throttled'] as const;

const tree: Scenario = {
  budget: { tokens: 60_000, turns: 20, toolCalls: 9 },
  levels: [
    { calls: 2, turns: 2, parallel: true },
    { calls: 0, turns: 1, parallel: true },
  ],
  chances: NO_FAULTS,
  stops: [],
  seed: 7,
  evenness: 2,
};
export const SCENARIOS: [string, Scenario][] = [
  ['a tree that succeeds', tree],
  ['a tree whose sub-agents fail', { ...tree, failing: 'l1' }],
  ['a tree whose calls and texts hooks are asked about', { ...tree, hooked: true }],
  ['a run that fails', { ...tree, failing: 'l0' }],
  ['a run that is short', { ...tree, budget: { tokens: 9_000, turns: 6 } }],
  ['a run that is stopped before it is asked anything', { ...tree, stops: [0], isLeftStopped: true }],
  ['a tree that is stopped', { ...tree, stops: [2], isLeftStopped: true }],
  ['a tree that is stopped and resumed', { ...tree, stops: [2] }],
  ['a tree with leaves', { ...tree, express: true }],
  ['a tree whose leaves fail', { ...tree, express: true, failing: 'l1' }],
  ['a tree with leaves that is stopped', { ...tree, express: true, stops: [2], isLeftStopped: true }],
  ['a tree with leaves that is stopped and resumed', { ...tree, express: true, stops: [2] }],
];

/** The faults in the end. */
export function faultsOf({ tree: runs, real, lost, ledger }: Played): string[] {
  const counted = countedIn({ ledger });
  const limits = LIMITS.filter((limit) => ledger.received[limit] !== undefined);
  return [
    ...runs.filter(({ status }) => status === 'running').map(({ id }) => `${id} is left running`),
    ...limits
      .filter((limit) => counted[limit] < real[limit])
      .map((limit) => `${counted[limit]} ${limit} are charged, and ${real[limit]} were spent`),
    ...(counted.tokens > real.tokens + lost.tokens ? [`${counted.tokens} tokens are charged, too many`] : []),
  ];
}
