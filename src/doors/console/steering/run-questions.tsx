import { useEffect } from 'preact/hooks';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { lookForQuestions, useOpenQuestions } from './open-questions.ts';
import { QuestionList } from './question-list.tsx';

/** A run's own questions, beside its conversation. */
export function RunQuestions({ run }: { run: RunOverview }) {
  const open = useOpenQuestions().filter(({ run_id: asker }) => asker === run.run_id);
  const awaited = run.waits_for?.flatMap((wait) => (wait.for === 'person' ? wait.question_id : [])).join(' ');
  useEffect(() => {
    if (awaited !== undefined && awaited !== '') void lookForQuestions();
  }, [awaited]);
  return <QuestionList open={open} />;
}
