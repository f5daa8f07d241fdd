import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait for processes and clocks, so that the rest is done meanwhile and none of them is left for the end. */
const LONGEST = [
  'rehearsal/',
  'console/',
  'deaths',
  'every-operation',
  'verification/',
  'readme',
  'pipeline/',
  'budget/',
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
