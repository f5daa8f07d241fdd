import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that wait for processes and clocks, so that the rest is done meanwhile and none of them is left for the end.
 * The first of them needs a process in which no test has held the clock yet: the timers of `fetch` would stay held.
 */
const LONGEST = [
  'patient-fetch',
  'rehearsal/',
  'simulate',
  'doors/console/',
  'core/lifecycle/deaths',
  'core/turn/every-operation',
  'authoring/verify/',
  'readme',
  'places/local/',
  'core/spending/',
];

/** Files in the order in which a run ends soonest: Vitest knows only their sizes where it has not run them before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.findIndex((part) => moduleId.includes(`/test/${part}`));
      return found === -1 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
