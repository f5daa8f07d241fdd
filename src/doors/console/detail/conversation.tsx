import { Fragment } from 'preact';
import { counted } from '../../../counted.ts';
import type { SelectedRun } from '../selected-run.ts';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { RichText } from '../shared/rich-text.tsx';
import { Attachments } from '../shared/attachments.tsx';
import { WholeText } from '../shared/whole-text.tsx';
import { Setup } from './setup.tsx';
import { TurnView } from './turn-view.tsx';
import type { ShownConversation } from './conversation-reader.ts';
import { useConversation } from './use-conversation.ts';
import { useTurnAt } from './use-turn-at.ts';
import { useWriting } from './use-writing.ts';
import { wholeBefore, wordsOf } from './whole-texts.ts';
import type { Conversation as Said } from '../../../core/reports/run-schemas.ts';
import { visible } from '../shared/visible.ts';

/** How many of the newest turns are drawn at once; others are drawn when they come near. */
const IN_SIGHT = 3;

/** A run's messages and answers, turn by turn, with the text that it is writing now. */
export function Conversation({ run, tree }: SelectedRun) {
  const { before = [], turns = [], newest, error, readBefore } = useConversation(run);
  const writing = useWriting(run);
  useTurnAt(run.run_id, newest?.turns ?? 0, turns, readBefore);
  if (newest === undefined && error === undefined) return <p aria-busy="true">Reading…</p>;
  return (
    <div class="conversation">
      <ProblemText text={error} />
      {newest !== undefined && <Setup run={run.run_id} conversation={newest} />}
      {before.map((message, index) => (
        <Before run={run.run_id} message={message} index={index} isTask={index === before.length - 1} />
      ))}
      <ol class="turns" aria-label="Turns">
        {turns.map((block, index) => (
          <Fragment key={block.turn.number}>
            <Gap after={turns[index - 1]?.turn.number ?? 0} number={block.turn.number} read={readBefore} />
            <TurnView
              run={run}
              tree={tree}
              block={block}
              isInSight={index >= turns.length - IN_SIGHT}
              nested={(child) => <Conversation run={child} tree={tree} />}
              words={() => wordsOf(run, block.turn.number)}
            />
          </Fragment>
        ))}
      </ol>
      <Writing writing={writing ?? newest?.writing} turns={turns} name={run.name ?? run.agent} />
    </div>
  );
}

interface BeforeProps {
  run: string;
  message: Said['messages'][number];
  index: number;
  /** Whether it is the run's own task, and not inherited. */
  isTask: boolean;
}

function Before({ run, message, index, isTask }: BeforeProps) {
  if (message.role === 'tool') return null;
  const title = isTask ? 'Task' : message.role === 'user' ? 'Said before' : 'Answered before';
  return (
    <div class={`message ${message.role}`}>
      <WholeText
        text={message.text}
        characters={message.characters}
        whole={() => wholeBefore(run, index)}
        what={title.toLowerCase()}
        isInSight={isTask}
      >
        <h3>{title}</h3>
      </WholeText>
      {message.role === 'user' && <Attachments run={run} attachments={message.attachments} />}
    </div>
  );
}

/** Turns that have not been fetched. */
function Gap({
  after,
  number,
  read,
}: {
  after: number;
  number: number;
  read: (turn: number) => Promise<void>;
}) {
  const reading = useAction(() => read(number));
  const missing = number - after - 1;
  if (missing <= 0) return null;
  return (
    <li class="gap">
      <button type="button" aria-disabled={reading.isBusy} onClick={reading.run}>
        Show more of the {counted(missing, 'turn')} before turn {number}
      </button>
      <ProblemText text={reading.error} />
    </li>
  );
}

interface WritingProps {
  writing: Said['writing'];
  turns: ShownConversation['turns'];
  name: string;
}

/** The text of an answer that the model has not finished and, before its first word, the newest thoughts. */
function Writing({ writing, turns, name }: WritingProps) {
  if (writing === undefined || writing.turn <= (turns.at(-1)?.turn.number ?? 0)) return null;
  const { text, thinking = '' } = writing;
  if (text === '' && thinking === '') return null;
  return (
    <div class="message assistant writing" aria-busy="true">
      <div class="whole-text-head">
        <h3>
          {name}{' '}
          <span class="figures">
            {text === '' ? 'is thinking in' : 'is writing'} turn {writing.turn}
          </span>
        </h3>
      </div>
      {text === '' ? <p class="text thinking">{visible(thinking)}</p> : <RichText text={text} isInSight />}
    </div>
  );
}
