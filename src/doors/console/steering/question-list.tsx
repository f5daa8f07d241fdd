import { AnswerNews } from './answer-news.tsx';
import { grouped } from './approval-groups.ts';
import { GroupCard } from './group-card.tsx';
import { keyOf, type QuestionItem } from './open-questions.ts';
import { QuestionCard } from './question-card.tsx';

export interface QuestionListProps {
  open: readonly QuestionItem[];
  /** Whether each says which agent asks, with a link to it. */
  isApart?: boolean;
  onLeave?: () => void;
}

/** Questions, and above them what became of earlier answers: approvals that are alike are answered together. */
export function QuestionList({ open, isApart = false, onLeave }: QuestionListProps) {
  const { groups, others } = grouped(open);
  return (
    <>
      <AnswerNews />
      {groups.map((group) => (
        <GroupCard key={group.key} group={group} onLeave={onLeave} />
      ))}
      {others.map((question) => (
        <QuestionCard
          key={keyOf(question)}
          question={question}
          isApart={isApart}
          {...(onLeave !== undefined && { onLeave })}
        />
      ))}
    </>
  );
}
