import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { hrefOf } from '../route.ts';
import type { SelectedRun } from '../selected-run.ts';
import { CodeText } from '../shared/code-text.tsx';
import { LongText } from '../shared/long-text.tsx';
import { RichText } from '../shared/rich-text.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { stateName } from '../tree/state-words.ts';
import { Deadline } from '../steering/deadline.tsx';
import { useOpenQuestions } from '../steering/open-questions.ts';
import { PlaceLink } from '../steering/turn-tools.tsx';
import { useArrival } from './use-arrival.ts';
import { outcomeOf, subjectOf } from './call-outcome.ts';
import { Attachments } from '../shared/attachments.tsx';
import { CallResult } from './call-result.tsx';
import { ChangedArguments } from './changed-arguments.tsx';
import { HookDecisions } from './hook-decisions.tsx';
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
  const { run, tree, turn, index, call, result } = props;
  const isOpen = run.status === 'running' || run.status === 'idle';
  const { kind, word, explanation } = outcomeOf(call, result, isOpen);
  const { place, isHere } = useArrival<HTMLDivElement>(run.run_id, turn, index + 1);
  const [isShown, setIsShown] = useState(kind === 'failed' || isHere);
  useEffect(() => {
    if (isHere) setIsShown(true);
  }, [isHere]);
  const child = call.run === undefined ? undefined : tree.node(call.run)?.run;
  const took = result?.duration_ms === undefined ? '' : ` · ${duration(result.duration_ms)}`;
  return (
    <div
      ref={place}
      class={`call ${kind}${isHere ? ' here' : ''}`}
      tabIndex={-1}
      aria-current={isHere && 'location'}
    >
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
            <PlaceLink
              run={run}
              tree={tree}
              at={{ turn, call: index + 1 }}
              what={`call ${index + 1} of turn ${turn}`}
            />
            {explanation !== undefined && <p class="problem">{explanation}</p>}
            <Approval {...props} />
            <HookDecisions hooks={call.hooks} />
            <Arguments {...props} />
            {result !== undefined && (
              <CallResult
                result={result}
                isAnswer={call.run !== undefined}
                whole={async () => (await wholeCall(run.run_id, turn, index)).result?.text ?? ''}
              />
            )}
            <Attachments run={run.run_id} attachments={result?.attachments} />
          </>
        )}
      </details>
      {child !== undefined && <Child run={child} tree={tree} nested={props.nested} />}
    </div>
  );
}

/** Who decided about it and why, or until when a person may. */
function Approval({ run, turn, index, call: { approval } }: CallCardProps) {
  const open = useOpenQuestions().find(
    ({ run_id: id, question_id: question }) => id === run.run_id && question === `t${turn}c${index + 1}`,
  );
  if (approval === undefined) return null;
  const { decision, by, reason } = approval;
  if (decision === null) {
    if (open === undefined || open.expires_at === null) return null;
    return (
      <p class="attention">
        <Deadline until={open.expires_at} tool={open.tool} />
      </p>
    );
  }
  const words = { approve: 'Approved', always: 'Approved for the rest of the run', deny: 'Denied' }[decision];
  return (
    <p>
      {words}
      {by !== undefined && ` by ${visible(by)}`}
      {reason !== undefined && `: ${visible(reason)}`}
    </p>
  );
}

function Arguments({ run, turn, index, call, result }: CallCardProps) {
  const [whole, setWhole] = useState<Call>();
  const fetching = useAction(async () => setWhole((await wholeCall(run.run_id, turn, index)).call));
  const shown = whole ?? call;
  const isCut = shown.characters !== undefined;
  const edit = editOf(shown);
  const { arguments: changed, by } = shown.approval ?? {};
  return (
    <>
      <h4>Asked</h4>
      {changed !== undefined ? (
        <ChangedArguments
          asked={shown.arguments}
          changed={changed}
          by={by}
          isCarriedOut={result !== undefined}
        />
      ) : edit === undefined ? (
        <dl class="arguments">
          {Object.entries(shown.arguments).map(([name, value]) => (
            <div key={name}>
              <dt>{visible(name)}</dt>
              <dd>
                <Argument name={name} value={value} />
              </dd>
            </div>
          ))}
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

/** Arguments that are written for a reader, by a model or a person. */
const PROSE: ReadonlySet<string> = new Set(['context', 'message', 'question', 'task']);

function Argument({ name, value }: { name: string; value: unknown }) {
  if (typeof value === 'object' && value !== null) {
    return <CodeText language="json" text={JSON.stringify(value, undefined, 2)} />;
  }
  const text = String(value);
  return PROSE.has(name) ? <RichText text={text} isInSight /> : <LongText class="code" text={text} />;
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
