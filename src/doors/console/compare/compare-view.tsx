import { useState } from 'preact/hooks';
import { useTitle } from '../shared/use-title.ts';
import { counted } from '../../../counted.ts';
import { EditDiff } from '../detail/edit-diff.tsx';
import { atTop, hrefOf } from '../route.ts';
import { Answered } from '../shared/answered.tsx';
import { RichText } from '../shared/rich-text.tsx';
import { useNow } from '../shared/use-now.ts';
import { visible } from '../shared/visible.ts';
import { LIVE_MS } from '../tree/times.tsx';
import { alignTurns } from './align-turns.ts';
import { compareFigures } from './compare-figures.ts';
import { ComparedTurn } from './compared-turn.tsx';
import { useCompared, type Compared } from './use-compared.ts';
import './compare.css';

/** Two runs side by side: their figures, their answers, and their turns from where they part. */
export function CompareView({ left: leftId, right: rightId }: { left: string; right: string }) {
  const left = useCompared(leftId);
  const right = useCompared(rightId);
  useTitle('Compare');
  return (
    <div class="compare">
      <h1>Compare two runs</h1>
      <Answered answer={left} height={52} lines={8}>
        {(one) => (
          <Answered answer={right} height={52} lines={8}>
            {(other) => <Comparison left={one} right={other} />}
          </Answered>
        )}
      </Answered>
    </div>
  );
}

function Comparison({ left, right }: { left: Compared; right: Compared }) {
  const { common, pairs } = alignTurns(left, right);
  return (
    <>
      <div class="compare-sides">
        <Head side="A" compared={left} other={right} otherSide="B" />
        <Head side="B" compared={right} other={left} otherSide="A" />
      </div>
      <Figures left={left} right={right} />
      <Answers left={left} right={right} />
      <section aria-labelledby="compare-turns">
        <h2 id="compare-turns">Turn by turn</h2>
        {common > 0 && <Common count={common} left={left} right={right} />}
        {pairs.length === 0 && <p class="muted">They have no other turns.</p>}
        <ol class="compare-turns">
          {pairs.map(({ left: one, right: other, isSame }, index) => (
            <li key={index}>
              {isSame && <p class="muted">The same answer and calls</p>}
              <div class="compare-sides">
                <ComparedTurn side="A" run={left.run} block={one} />
                <ComparedTurn side="B" run={right.run} block={other} />
              </div>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

interface HeadProps {
  side: string;
  compared: Compared;
  other: Compared;
  otherSide: string;
}

function Head({ side, compared: { run }, other, otherSide }: HeadProps) {
  const { run_id: id, task, forked_from: from } = run;
  return (
    <section class="card" aria-label={`Run ${side}`}>
      <h2>
        <span class="badge">{side}</span> {run.agent}
      </h2>
      <p>{visible(task)}</p>
      {from !== undefined && (
        <p class="muted">
          Forked from turn {from.turn} of {from.run_id === other.run.run_id ? otherSide : 'another run'}
        </p>
      )}
      <a href={hrefOf(atTop(id))}>Open this run</a>
    </section>
  );
}

function Figures({ left, right }: { left: Compared; right: Compared }) {
  const isMoving = [left, right].some(({ run }) => run.status === 'running');
  const now = useNow(isMoving, LIVE_MS);
  return (
    <div class="compare-figures" role="group" aria-label="Figures" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">With everything below them</th>
            <th scope="col">A</th>
            <th scope="col">B</th>
            <th scope="col">Difference</th>
          </tr>
        </thead>
        <tbody>
          {compareFigures(left.run, right.run, now).map(({ name, left: one, right: other, difference }) => (
            <tr key={name} class={difference === 'the same' ? 'muted' : ''}>
              <th scope="row">{name}</th>
              <td>{visible(one)}</td>
              <td>{visible(other)}</td>
              <td>{difference}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The newest answer of each: as it reads, or as what is different. */
function Answers({ left, right }: { left: Compared; right: Compared }) {
  const [isDiff, setIsDiff] = useState(false);
  const [one, other] = [answerOf(left), answerOf(right)];
  return (
    <section aria-labelledby="compare-answers">
      <div class="compare-head">
        <h2 id="compare-answers">Answers</h2>
        {one === other ? (
          <span class="muted">They are the same.</span>
        ) : (
          <button type="button" aria-pressed={isDiff} onClick={() => setIsDiff(!isDiff)}>
            Show what is different
          </button>
        )}
      </div>
      {isDiff && one !== other ? (
        <EditDiff edit={{ path: 'the answer', before: one, after: other }} />
      ) : (
        <div class="compare-sides">
          <Answer side="A" text={one} />
          <Answer side="B" text={other} />
        </div>
      )}
    </section>
  );
}

function Answer({ side, text }: { side: string; text: string }) {
  return (
    <section class="card" aria-label={`Answer of ${side}`}>
      <h3>
        <span class="badge">{side}</span>
      </h3>
      {text === '' ? <p class="muted">No answer yet</p> : <RichText text={text} isInSight />}
    </section>
  );
}

function answerOf({ turns }: Compared): string {
  return turns.at(-1)?.answer.text ?? '';
}

/** The common beginning of both, folded away. */
function Common({ count, left, right }: { count: number; left: Compared; right: Compared }) {
  const [isShown, setIsShown] = useState(false);
  const text = `${counted(count, 'turn')} at the beginning in common`;
  // Two copies have them from a third run.
  const owner = [left, right].find(({ run }) => run.forked_from === undefined);
  if (owner === undefined) return <p class="muted">{text}</p>;
  return (
    <details
      class="compare-common"
      open={isShown}
      onToggle={({ currentTarget }) => setIsShown(currentTarget.open)}
    >
      <summary>{text}</summary>
      {isShown &&
        owner.turns
          .slice(0, count)
          .map((block) => <ComparedTurn key={block.turn.number} side="" run={owner.run} block={block} />)}
    </details>
  );
}
