import { visible } from '../shared/visible.ts';
import { tellNews, useAnswerNews } from './open-questions.ts';

/** What became of the newest answers, until a person has read it. */
export function AnswerNews() {
  const news = useAnswerNews();
  if (news === undefined) return null;
  const { about, outcomes } = news;
  const isRefused = outcomes.length === 0;
  return (
    <section class="outcomes" role={isRefused ? 'alert' : 'status'} aria-label="What became of the answers">
      <h3 class={isRefused ? 'problem' : ''}>
        {visible(about)}{' '}
        <button type="button" class="plain" onClick={() => tellNews(undefined)}>
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
