import type { Instant } from './times.ts';
import { ConfigError } from '../../errors.ts';
import type { CallKey } from './call.ts';
import { preview } from './preview.ts';

/**
 * An agent's question to the person for whom its tree works. The question and its answer are records, each written
 * once; the task token of the execution that waits only wakes it, and may be lost without harm.
 */
export interface Question extends CallKey {
  /** The run at the top of the tree. */
  root: string;
  agent: string;
  /** As in `Run`. */
  owner?: string;
  /** As in `Run`. */
  issuer?: string;
  question: string;
  /** Answers to choose from; absent: none. */
  choices?: string[];
  /** The call that waits for its answer; absent where the agent itself asks. */
  approval?: Approval;
  /**
   * Where the path of the call led when it was asked, without links, if elsewhere than it reads: it has to lead there
   * when the call is made. Absent: it leads where it reads, or the call is about none.
   */
  leadsTo?: string;
  /** ISO 8601, UTC. */
  askedAt: string;
}

/** The call that a person is to approve. */
export interface Approval {
  tool: string;
  /** What a hook puts before a person in place of the call, to be approved or denied as it is; absent: the call. */
  about?: 'result' | 'text';
  /** As the model wrote them, without texts too long to be listed: see `shownArguments`. */
  arguments: Record<string, unknown>;
}

/** A person's possible decisions about a call; `always` approves the later calls of the tool in the same run, too. */
export const DECISIONS = ['approve', 'deny', 'always'] as const;
export type Decision = (typeof DECISIONS)[number];

/** The longest answer, in characters: more than a person types; models have read less. */
export const MAX_ANSWER_CHARACTERS = 100_000;

/** How a question ended. Written once: the first answer wins, and so does the end of the time for one. */
export interface Answer {
  /** Absent: no answer came in time. */
  text?: string;
  /** Set if it was asked whether a call may be made. */
  decision?: Decision;
  /** Why the call was denied, in the person's words. */
  reason?: string;
  /** The arguments that replace the model's. */
  arguments?: Record<string, unknown>;
  /**
   * The person who answered: the subject of their token or the ARN of their IAM principal, or their machine's name for
   * the user of the command; absent where that is not known.
   */
  by?: string;
  /** ISO 8601, UTC. */
  at: string;
}

/** The state of an execution that waits for the answer; replaced whenever the question is asked again. */
export interface AnswerWait {
  /** The task token that wakes it. */
  token: string;
  /** Those that were left before: the function that wrote last may be a slow one, whose state waits no more. */
  earlier?: string[];
  /** When it stops waiting. */
  until: Instant;
}

/** An open question. */
export interface UnansweredQuestion {
  question: Question;
  /** Absent until the execution waits. */
  wait?: AnswerWait;
}

/** A question, and how it ended; without an answer it has not. */
export interface AskedQuestion {
  question: Question;
  answer?: Answer | undefined;
}

/**
 * The meaning of an answer: a choice as it is written, the number of one from 1, or a text of its own.
 * @throws {ConfigError} for a number that no choice has, unless choices are numbers themselves
 */
export function chosen(
  { approval, choices = [] }: Pick<Question, 'approval' | 'choices'>,
  answer: string,
): string {
  const text = answer.trim();
  if (choices.length === 0 || choices.includes(text) || !isNumber(text)) return text;
  const choice = choices[Number(text) - 1];
  if (choice !== undefined) return choice;
  if (choices.some(isNumber)) return text;
  const listed = choices.map((each, index) => `${index + 1}. ${preview(each)}`).join(', ');
  const free = approval === undefined ? '; a text that is no number is an answer as it stands' : '';
  throw new ConfigError(`there is no choice ${text}: ${listed}${free}`);
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}
