import { visible } from '../shared/visible.ts';
import { useOutcomes } from './open-questions.ts';

/** What became of answers that were given together, until a person has read it. */
export function Outcomes() {
  const { told, onRead } = useOutcomes();
  if (told === undefined) return null;
  const { about, outcomes } = told;
  return (
    <section class="outcomes" role="status" aria-label="What became of the answers">
      <h3>
        {about}{' '}
        <button type="button" class="plain" onClick={onRead}>
          Close
        </button>
      </h3>
      <ul>
        {outcomes.map((each, index) => (
          <li key={`${index} ${each.about}`}>
            <bdi class="code">{visible(each.about)}</bdi>: {visible(each.outcome)}
          </li>
        ))}
      </ul>
    </section>
  );
}
