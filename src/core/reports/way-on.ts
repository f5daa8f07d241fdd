import { categoryIn } from '../../errors.ts';
import { GONE, isIn } from '../records/phase.ts';
import { INCOMPLETE, type Failure } from '../records/run.ts';
import type { ShownRun } from './shown-tree.ts';

/** How a person can continue a run without a whole answer, so that it does not end in the same way again. */
export const WAYS_ON = [
  /** It has its answer or is at work, or nothing brings it on. */
  'none',
  /** It was killed. */
  'gone',
  'resume',
  /** The same of a run below the top: trees are resumed as a whole. */
  'resume_tree',
  'resume_with_key',
  'resume_with_model',
  /** Resuming its tree would not change it: it has failed below the top. */
  'send',
  /** Its answer was cut at its limit of tokens. */
  'send_for_rest',
  'send_with_tokens',
  'send_with_dollars',
] as const;
export type WayOn = (typeof WAYS_ON)[number];

/** The parts of a run that tell how it goes on. */
type EndedRun = Pick<ShownRun, 'status' | 'parent' | 'failure' | 'exceeded' | 'incomplete'>;

/** The one place that decides what is recommended; `WAY_WORDS` puts it into words. */
export function wayOn(run: EndedRun): WayOn {
  const { status, parent, failure, exceeded = '', incomplete } = run;
  const isTop = parent === undefined;
  switch (status) {
    case 'running':
      return 'none';
    case 'idle':
    case 'succeeded':
      return incomplete === 'max_tokens' ? 'send_for_rest' : 'none';
    case 'interrupted':
      return isTop ? 'resume' : 'resume_tree';
    case 'budget_exceeded':
      return isTop ? afterLimit(exceeded) : 'none';
    case 'failed':
    case 'timed_out':
      return isTop ? afterFailure(failure) : 'send';
    case 'stopped':
      if (isIn(GONE, run)) return 'gone';
      return isTop ? 'resume' : 'resume_tree';
  }
}

/** People can add tokens and dollars to a tree, and to no other limit. The texts are those of `exceededText`. */
function afterLimit(exceeded: string): WayOn {
  if (/^budget exceeded: used \d+ of \d+ tokens/.test(exceeded)) return 'send_with_tokens';
  return exceeded.startsWith('budget exceeded: used $') ? 'send_with_dollars' : 'none';
}

/** By the name of the error and, of a model's, by the category that its message begins with. */
function afterFailure({ error, message }: Failure = { error: '', message: '' }): WayOn {
  switch (error) {
    case 'MissingKeyError':
      return 'resume_with_key';
    case 'ModelError': {
      const category = categoryIn(message);
      if (category === 'auth') return 'resume_with_key';
      return category === 'bad_request' ? 'resume_with_model' : 'resume';
    }
    case 'AgentError':
    case 'ConfigError':
      return FAULTS.find((fault) => fault.message.test(message))?.way ?? 'resume';
    default:
      return 'resume';
  }
}

/** Faults of an agent that return if it is resumed unchanged; they share one name. */
const FAULTS: readonly { message: RegExp; way: WayOn }[] = [
  { message: /^(unsupported provider|invalid model format) "/, way: 'resume_with_model' },
  { message: /^max_usd cannot be enforced: the price of /, way: 'resume_with_model' },
  { message: new RegExp(`^${INCOMPLETE.refusal}$`), way: 'resume_with_model' },
  // Turns stay counted, and deleted records deleted.
  { message: /^agent exceeded maximum conversation turns /, way: 'none' },
  { message: / has been deleted$/, way: 'none' },
];
