import { questionId, type OpenQuestion } from '../runs/question.ts';

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
  /** Of that call, as the model wrote them; long texts are cut. */
  arguments?: Record<string, unknown>;
  /** ISO 8601, UTC. */
  asked_at: string;
  /** ISO 8601, UTC; null while the run is not under way. */
  expires_at: string | null;
}

export function questionReport({ question: asked, wait }: OpenQuestion): QuestionReport {
  const { run, root, agent, question, choices = [], approval, askedAt } = asked;
  return {
    run_id: run,
    root,
    agent,
    question_id: questionId(asked),
    question,
    choices,
    ...approval,
    asked_at: askedAt,
    expires_at: wait === undefined ? null : new Date(wait.until).toISOString(),
  };
}
