import { useId, useState } from 'preact/hooks';
import type { GivenAnswer } from '../../api/answers.ts';
import { post } from '../client/api.ts';
import { hrefOf } from '../route.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { RichText } from '../shared/rich-text.tsx';
import { submitting } from '../shared/submitting.ts';
import { TextArea } from '../shared/text-area.tsx';
import { useAction } from '../shared/use-action.ts';
import { useDraft } from '../shared/use-draft.ts';
import { useNow } from '../shared/use-now.ts';
import { useLeftFocus } from '../shared/use-left-focus.ts';
import { ApprovalForm, type SentAnswer } from './approval-form.tsx';
import { Deadline } from './deadline.tsx';
import { keyOf, lookForQuestions, tellIfGone, type QuestionItem } from './open-questions.ts';
import { visible } from '../shared/visible.ts';

export interface QuestionCardProps {
  question: QuestionItem;
  /** Whether it says which agent asks, with a link to it. */
  isApart?: boolean;
  /** Called when the person goes to the agent. */
  onLeave?: () => void;
}

const TICK_MS = 30_000;

/** A question of an agent, with everything that can be answered. It goes away when it has been answered. */
export function QuestionCard({ question, isApart = false, onLeave }: QuestionCardProps) {
  const { run_id: run, root, agent, question_id: id, question: text, tool, about } = question;
  const heading = useId();
  const now = useNow(isApart, TICK_MS);
  const card = useLeftFocus<HTMLElement>();
  const [problem, setProblem] = useState<unknown>();
  const answering = useAction(async (answer: SentAnswer) => {
    const sent = post<GivenAnswer>(`runs/${run}/questions/${id}/answer`, answer);
    const refused = await sent.then(
      () => undefined,
      (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
    );
    await lookForQuestions();
    setProblem(refused);
    if (refused === undefined) return;
    tellIfGone(question, refused.message);
    throw refused;
  });
  return (
    <section ref={card} class="question" aria-labelledby={heading}>
      <h3 id={heading}>
        {tool === undefined || about !== undefined ? `${agent} asks` : `${agent} wants to use ${tool}`}
      </h3>
      {isApart && (
        <p class="since">
          <RelativeTime at={question.asked_at} now={now} /> ·{' '}
          <a href={hrefOf({ view: 'run', top: root, selected: run })} onClick={onLeave}>
            Go to the agent
          </a>
        </p>
      )}
      <RichText text={text} isInSight />
      {question.expires_at !== null && (
        <p class="until">
          <Deadline until={question.expires_at} tool={tool} />
        </p>
      )}
      {tool === undefined ? (
        <AnswerForm
          of={keyOf(question)}
          choices={question.choices}
          isBusy={answering.isBusy}
          onAnswer={answering.run}
        />
      ) : (
        <ApprovalForm
          problem={problem}
          question={question}
          isBusy={answering.isBusy}
          onAnswer={answering.run}
        />
      )}
      <ProblemText text={answering.error} />
    </section>
  );
}

interface AnswerFormProps {
  /** The question, as `keyOf` names it. */
  of: string;
  choices: readonly string[];
  isBusy: boolean;
  onAnswer: (answer: SentAnswer) => void;
}

function AnswerForm({ of, choices, isBusy, onAnswer }: AnswerFormProps) {
  const [text, setText] = useDraft(`answer ${of}`, '');
  return (
    <form onSubmit={submitting(() => onAnswer({ text }))}>
      {choices.length > 0 && (
        <div class="choices" role="group" aria-label="Answers to choose from">
          {choices.map((choice) => (
            <button type="button" key={choice} aria-disabled={isBusy} onClick={() => onAnswer({ choice })}>
              {visible(choice)}
            </button>
          ))}
        </div>
      )}
      <TextArea
        label={choices.length > 0 ? 'Or in your own words' : 'Your answer'}
        required
        text={text}
        onText={setText}
      />
      <button type="submit" class="main" aria-disabled={isBusy}>
        Answer
      </button>
    </form>
  );
}
