import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { hrefOf } from '../route.ts';
import type { SelectedRun } from '../selected-run.ts';
import { LongText } from '../shared/long-text.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { stateName } from '../tree/state-words.ts';
import { outcomeOf, subjectOf } from './call-outcome.ts';
import { EditDiff, editOf } from './edit-diff.tsx';
import { duration } from '../shared/figures.ts';
import type { Call, Result } from './turns.ts';
import { wholeCall } from './whole-texts.ts';
import { visible } from '../shared/visible.ts';

export interface CallCardProps extends SelectedRun {
  turn: number;
  /** Of the turn, from 0. */
  index: number;
  call: Call;
  result: Result | undefined;
  nested: NestedConversation;
}

/** Shows the conversation of an agent within that of another. */
export type NestedConversation = (run: SelectedRun['run']) => ComponentChildren;

/** A tool call: its arguments, its result and, where it started an agent, that agent. */
export function CallCard(props: CallCardProps) {
  const { run, tree, call, result } = props;
  const isOpen = run.status === 'running' || run.status === 'idle';
  const { kind, word, explanation } = outcomeOf(call, result, isOpen);
  const [isShown, setIsShown] = useState(kind === 'failed');
  const child = call.run === undefined ? undefined : tree.node(call.run)?.run;
  const took = result?.duration_ms === undefined ? '' : ` · ${duration(result.duration_ms)}`;
  return (
    <div class={`call ${kind}`}>
      <details open={isShown} onToggle={({ currentTarget }) => setIsShown(currentTarget.open)}>
        <summary>
          <strong>{visible(call.name)}</strong> <bdi class="subject">{visible(subjectOf(call))}</bdi>{' '}
          <span class="outcome">
            {result === undefined && child?.ended_at ? stateName(child) : word}
            {took}
          </span>
        </summary>
        {isShown && (
          <>
            {explanation !== undefined && <p class="problem">{explanation}</p>}
            <Approval call={call} />
            <Arguments {...props} />
            {result !== undefined && <CallResult {...props} result={result} />}
          </>
        )}
      </details>
      {child !== undefined && <Child run={child} tree={tree} nested={props.nested} />}
    </div>
  );
}

function Approval({ call: { approval } }: { call: Call }) {
  if (approval?.decision === undefined || approval.decision === null) return null;
  const { decision, by, reason, arguments: changed } = approval;
  const words = { approve: 'Approved', always: 'Approved for the rest of the run', deny: 'Denied' }[decision];
  return (
    <>
      <p>
        {words}
        {by !== undefined && ` by ${by}`}
        {reason !== undefined && `: ${reason}`}
      </p>
      {changed !== undefined && (
        <>
          <h4>With other arguments</h4>
          <p class="text code">{visible(JSON.stringify(changed, undefined, 2))}</p>
        </>
      )}
    </>
  );
}

function Arguments({ run, turn, index, call }: CallCardProps) {
  const [whole, setWhole] = useState<Call>();
  const fetching = useAction(async () => setWhole((await wholeCall(run.run_id, turn, index)).call));
  const shown = whole ?? call;
  const isCut = shown.characters !== undefined;
  const edit = editOf(shown);
  return (
    <>
      <h4>Asked</h4>
      {edit === undefined ? (
        <dl class="arguments">
          {Object.entries(shown.arguments).map(([name, value]) => {
            const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
            return (
              <div key={name}>
                <dt>{visible(name)}</dt>
                <dd>
                  <LongText class="code" text={text} />
                </dd>
              </div>
            );
          })}
        </dl>
      ) : (
        <EditDiff edit={edit} />
      )}
      {isCut && (
        <button type="button" class="plain" aria-disabled={fetching.isBusy} onClick={fetching.run}>
          Cut here. Show all {shown.characters?.toLocaleString('en')} characters
        </button>
      )}
      <ProblemText text={fetching.error} />
    </>
  );
}

function CallResult({ run, turn, index, result }: CallCardProps & { result: Result }) {
  return (
    <>
      <h4>{result.is_error ? 'What went wrong' : 'Came back'}</h4>
      <LongText
        class={result.is_error ? 'code problem' : 'code'}
        text={result.text}
        characters={result.characters}
        whole={async () => (await wholeCall(run.run_id, turn, index)).result?.text ?? ''}
      />
    </>
  );
}

/** The agent that a call started: a link to it, and its conversation in place. */
function Child({ run, tree, nested }: SelectedRun & { nested: NestedConversation }) {
  const [isShown, setIsShown] = useState(false);
  const name = run.name ?? run.agent;
  const top = tree.root?.run.run_id ?? run.run_id;
  return (
    <div class="child">
      <a href={hrefOf({ view: 'run', top, selected: run.run_id })}>Go to {name}</a>{' '}
      <button type="button" class="plain" aria-expanded={isShown} onClick={() => setIsShown((isIt) => !isIt)}>
        {isShown ? 'Hide' : 'Show'} its conversation here
      </button>
      {isShown && (
        <section class="nested" aria-label={`Conversation of ${name}`}>
          {nested(run)}
        </section>
      )}
    </div>
  );
}
