import { callName } from '../records/call.ts';
import type { AskedQuestion, UnansweredQuestion } from '../records/question.ts';

/** A question that waits for a person, as `cadre questions --json` and the API show it. */
export interface QuestionReport {
  run_id: string;
  /** The run at the top of the tree. */
  root: string;
  agent: string;
  question_id: string;
  question: string;
  /** Answers to choose from; any other text is an answer too. */
  choices: string[];
  /** The tool whose call waits for approval; absent where the agent itself asks. */
  tool?: string;
  /** What of that call is approved or denied as it is, without other arguments; absent: that it is made. */
  about?: 'result' | 'text';
  /** Of that call, as the model wrote them; long texts are cut. */
  arguments?: Record<string, unknown>;
  /** Where its path leads, without links, if elsewhere than it reads. */
  leads_to?: string;
  /** ISO 8601, UTC. */
  asked_at: string;
  /** ISO 8601, UTC; null while the run has no carrier. */
  expires_at: string | null;
}

export function questionReport({ question: asked, wait }: UnansweredQuestion): QuestionReport {
  const { run, root, agent, question, choices = [], approval, leadsTo, askedAt } = asked;
  return {
    run_id: run,
    root,
    agent,
    question_id: callName(asked),
    question,
    choices,
    ...approval,
    ...(leadsTo !== undefined && { leads_to: leadsTo }),
    asked_at: askedAt,
    expires_at: wait === undefined ? null : new Date(wait.until).toISOString(),
  };
}

/** A question that was asked, as `cadre show --json` shows it. */
export interface AskedReport extends Omit<QuestionReport, 'root' | 'expires_at'> {
  /** null: there is no answer, or none came in time. */
  answer: string | null;
  /** Absent where that is not known. */
  answered_by?: string;
  /** When it was answered, or the time for an answer was over: ISO 8601, UTC; null before that. */
  ended_at: string | null;
}

export function askedReport({ question, answer }: AskedQuestion): AskedReport {
  const { root: _root, expires_at: _until, ...asked } = questionReport({ question });
  return {
    ...asked,
    answer: answer?.text ?? null,
    ...(answer?.by !== undefined && { answered_by: answer.by }),
    ended_at: answer?.at ?? null,
  };
}
