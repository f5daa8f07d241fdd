import { useId, useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';
import type { GivenAnswer } from '../../api/answers.ts';
import { ArgumentsText } from './arguments-text.tsx';
import { post } from '../client/api.ts';
import { subjectOf } from '../detail/call-outcome.ts';
import { hrefOf } from '../route.ts';
import { useAction } from '../shared/use-action.ts';
import { visible } from '../shared/visible.ts';
import { DenyForm, type SentAnswer } from './approval-form.tsx';
import { type ApprovalGroup } from './approval-groups.ts';
import { keyOf, lookForQuestions, tellNews, type QuestionItem } from './open-questions.ts';

/** Similar calls, each of which is shown; they are approved or denied together, each with its own answer. */
export function GroupCard({ group, onLeave }: { group: ApprovalGroup; onLeave?: (() => void) | undefined }) {
  const { agent, tool, pattern, questions } = group;
  const heading = useId();
  /** Those that are left to be answered one by one. */
  const [spared, setSpared] = useState<ReadonlySet<string>>(new Set());
  const [isDenying, setIsDenying] = useState(false);
  const chosen = questions.filter((question) => !spared.has(keyOf(question)));
  const answering = useAction(async (answer: SentAnswer) => {
    const outcomes = await Promise.all(chosen.map(async (question) => outcomeOf(question, answer)));
    await lookForQuestions();
    tellNews({ about: `${agent}, ${tool}`, outcomes });
  });
  const toggle = (question: QuestionItem) => {
    const key = keyOf(question);
    setSpared(new Set(spared.has(key) ? [...spared].filter((one) => one !== key) : [...spared, key]));
  };
  const these = chosen.length === questions.length ? `all ${chosen.length}` : `these ${chosen.length}`;
  return (
    <section class="question" aria-labelledby={heading}>
      <h3 id={heading}>
        {agent} wants to use {tool} {questions.length} times{pattern !== '' && `: ${visible(pattern)}`}
      </h3>
      {isDenying ? (
        <DenyForm
          of={group.key}
          isBusy={answering.isBusy}
          onDeny={(reason) => answering.run(reason === '' ? { choice: 'deny' } : { text: `deny: ${reason}` })}
          onCancel={() => setIsDenying(false)}
        />
      ) : (
        <div class="choices" role="group" aria-label="Decision">
          <button
            type="button"
            class="main"
            aria-disabled={answering.isBusy || chosen.length === 0}
            onClick={() => chosen.length > 0 && answering.run({ choice: 'approve' })}
          >
            Approve {these}
          </button>
          <button
            type="button"
            aria-disabled={answering.isBusy || chosen.length === 0}
            onClick={() => chosen.length > 0 && setIsDenying(true)}
          >
            Deny {these}…
          </button>
        </div>
      )}
      <ul class="alike">
        {questions.map((question) => (
          <li key={keyOf(question)}>
            <label>
              <input
                type="checkbox"
                checked={!spared.has(keyOf(question))}
                onChange={() => toggle(question)}
              />
              <bdi class="code">{visible(aboutOf(question))}</bdi>
            </label>
            <details>
              <summary>What it would do</summary>
              <ArgumentsText question={question} />
              <a
                href={hrefOf({ view: 'run', top: question.root, selected: question.run_id })}
                onClick={onLeave}
              >
                Go to the agent
              </a>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What became of one answer: the server's own words where it was not taken. */
async function outcomeOf(
  question: QuestionItem,
  answer: SentAnswer,
): Promise<{ about: string; outcome: string }> {
  const { run_id: run, question_id: id } = question;
  const about = aboutOf(question);
  return post<GivenAnswer>(`runs/${run}/questions/${id}/answer`, answer).then(
    ({ answer: taken }) => ({ about, outcome: TAKEN.get(taken) ?? 'denied' }),
    (thrown: unknown) => ({ about, outcome: messageOf(thrown) }),
  );
}

const TAKEN: ReadonlyMap<string, string> = new Map([['approve', 'approved']]);

/** What a question is about, on one line. */
function aboutOf({ arguments: given = {}, question, leads_to: target }: QuestionItem): string {
  const subject = subjectOf({ arguments: given }) || question;
  return target === undefined ? subject : `${subject}, which leads to ${target}`;
}
