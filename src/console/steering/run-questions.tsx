import { keyOf, useOpenQuestions } from './open-questions.ts';
import { QuestionCard } from './question-card.tsx';

/** What a run itself asks, beside its conversation. */
export function RunQuestions({ run }: { run: string }) {
  const open = useOpenQuestions().filter(({ run_id: asker }) => asker === run);
  return (
    <>
      {open.map((question) => (
        <QuestionCard key={keyOf(question)} question={question} />
      ))}
    </>
  );
}
