import { useEffect } from 'preact/hooks';
import { Icon } from '../frame/icons.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { useOpenQuestions } from './open-questions.ts';
import { QuestionList } from './question-list.tsx';
import './steering.css';

export interface QuestionsProps {
  areShown: boolean;
  onShow: (areShown: boolean) => void;
}

/** The inbox: the questions of agents of all trees, from the bar. The page's title has their number, too. */
export function Questions({ areShown, onShow }: QuestionsProps) {
  const open = useOpenQuestions();
  useCountInTitle(open.length);
  const close = () => onShow(false);
  return (
    <>
      <button type="button" class="frame-place" aria-haspopup="dialog" onClick={() => onShow(true)}>
        <Icon of="questions" /> <span>Questions</span>{' '}
        {open.length > 0 && <b class="frame-count">{open.length}</b>}
      </button>
      <span role="status" class="spoken">
        {open.length === 0
          ? ''
          : open.length === 1
            ? 'A question waits for you'
            : `${open.length} questions wait for you`}
      </span>
      {areShown && (
        <Dialog title="What agents ask" onClose={close}>
          {open.length === 0 && <p>No questions are open.</p>}
          <QuestionList open={open} isApart onLeave={close} />
        </Dialog>
      )}
    </>
  );
}

/** In front of the current title. */
function useCountInTitle(count: number): void {
  useEffect(() => {
    const show = () => {
      const bare = document.title.replace(/^\(\d+\) /, '');
      const title = count === 0 ? bare : `(${count}) ${bare}`;
      if (document.title !== title) document.title = title;
    };
    show();
    const element = document.querySelector('title');
    if (element === null) return;
    const observer = new MutationObserver(show);
    observer.observe(element, { childList: true });
    return () => observer.disconnect();
  }, [count]);
}
