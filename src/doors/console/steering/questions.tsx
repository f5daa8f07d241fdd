import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { useOpenQuestions } from './open-questions.ts';
import { QuestionList } from './question-list.tsx';
import './steering.css';

/** The inbox: the questions of agents of all trees, from the bar. The page's title has their number, too. */
export function Questions() {
  const open = useOpenQuestions();
  const [isShown, setIsShown] = useState(false);
  useCountInTitle(open.length);
  const close = () => setIsShown(false);
  return (
    <>
      <button
        type="button"
        class={open.length > 0 ? 'inbox waiting' : 'inbox'}
        aria-haspopup="dialog"
        onClick={() => setIsShown(true)}
      >
        Questions{open.length > 0 && ` (${open.length})`}
      </button>
      <span role="status" class="spoken">
        {open.length === 0
          ? ''
          : open.length === 1
            ? 'A question waits for you'
            : `${open.length} questions wait for you`}
      </span>
      {isShown && (
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
