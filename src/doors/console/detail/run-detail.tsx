import { useEffect, useRef } from 'preact/hooks';
import type { SelectedRun } from '../selected-run.ts';
import { ForkedFrom } from '../steering/forked-from.tsx';
import { RunActions } from '../steering/run-actions.tsx';
import { RunQuestions } from '../steering/run-questions.tsx';
import { SendMessage } from '../steering/send-message.tsx';
import { Conversation } from './conversation.tsx';
import { RunFacts } from './run-facts.tsx';
import './detail.css';

/** The selected run in place: how it is doing, its conversation, its tool calls and their results. */
export function RunDetail({ run, tree }: SelectedRun) {
  const { run_id: id } = run;
  const heading = useFocusOnChange(id);
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        {run.name ?? run.agent}
      </h2>
      <RunQuestions run={run} />
      <RunFacts run={run} tree={tree} />
      <ForkedFrom run={run} />
      <RunActions run={run} tree={tree} />
      <Conversation key={id} run={run} tree={tree} />
      {!run.killed && <SendMessage key={`to ${id}`} run={run} tree={tree} />}
    </>
  );
}

/** A reader who opens another run goes on reading there; the first run leaves the focus where it is. */
function useFocusOnChange(id: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(id);
  useEffect(() => {
    if (last.current === id) return;
    last.current = id;
    heading.current?.focus();
  }, [id]);
  return heading;
}
