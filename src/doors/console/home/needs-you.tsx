import { useState } from 'preact/hooks';
import { Empty } from '../shared/empty.tsx';
import { useQuestionList } from '../steering/open-questions.ts';
import { QuestionList } from '../steering/question-list.tsx';
import { Section } from './section.tsx';

/** More would hide all that is below them. */
const SHOWN = 3;

/** Agents that wait for a person, answerable in place. */
export function NeedsYou() {
  const answer = useQuestionList();
  const [most, setMost] = useState(SHOWN);
  return (
    <Section title="Needs you" answer={answer} height={64}>
      {(questions) => (
        <>
          {questions.length === 0 && (
            <Empty>Nothing waits for a person. Questions and approvals of agents appear here.</Empty>
          )}
          <QuestionList open={questions.slice(0, most)} isApart />
          {questions.length > most && (
            <button type="button" onClick={() => setMost(questions.length)}>
              Show {questions.length - most} more
            </button>
          )}
        </>
      )}
    </Section>
  );
}
