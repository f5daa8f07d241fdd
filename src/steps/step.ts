/** What the machine gets of one call: the input of one iteration of `Act`. */
export type Step = DelegateStep;

/**
 * What the machine gets of a delegation: references, never texts. All steps of a turn together stay under 40 KB for
 * 100 calls, and a single one under 4 KB, however long the tasks are.
 */
export interface DelegateStep {
  /** Which call of the turn, from 1. */
  call: number;
  /** The run that the nested execution carries. */
  run: string;
  /** Which execution of that run it is: its name and its right to carry the run follow from it. */
  holder: number;
  agent: string;
  /** The beginning of the task, for the eye in the console. */
  task: string;
  depth: number;
  /** The latest that the sub-agent may be done, in milliseconds since 1970. */
  deadline: number;
  /** Seconds that it may take from its start on. */
  timeout: number;
}
