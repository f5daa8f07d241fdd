import { useEffect, useState } from 'preact/hooks';
import { ProblemText } from '../shared/problem-text.tsx';
import { useTitle } from '../shared/use-title.ts';
import { counted } from '../../../counted.ts';
import { RunDetail } from '../detail/run-detail.tsx';
import { usePlaceIn } from '../detail/use-arrival.ts';
import { hrefOf } from '../route.ts';
import { go } from '../use-route.ts';
import { dollars, tokenCount } from '../shared/figures.ts';
import { Skeleton } from '../shared/skeleton.tsx';
import { useFound } from './search.ts';
import { RunSymbol } from './run-symbol.tsx';
import { SpanPatterns } from './span-fills.tsx';
import { lookOf, nameOf, stateWords } from './state-words.ts';
import { costOf, tokensOf } from './totals.ts';
import { TreeTools } from './tree-tools.tsx';
import type { TreeNode } from './tree-store.ts';
import { TreeView } from './tree-view.tsx';
import { useCursor } from './use-cursor.ts';
import { useTree } from './use-tree.ts';
import { visible } from '../shared/visible.ts';

export interface RunViewProps {
  /** The run at the top of the tree. */
  top: string;
  /** The run that is looked at: the top, or one below it. */
  selected: string;
}

/** A run with everything below it, and the selected run of it in place. */
export function RunView({ top, selected }: RunViewProps) {
  const { tree, problem } = useTree(top);
  const { root } = tree;
  const node = tree.node(selected);
  const cursor = useCursor(selected);
  const [words, setWords] = useState('');
  const found = useFound(tree, words);
  const isKnown = node !== undefined;
  useEffect(() => {
    if (node !== undefined && cursor.active !== selected) cursor.reveal(node);
  }, [selected, isKnown]);
  useTitle(root?.run.agent);
  // If there is room for only one of them, a reader goes from the tree to an agent and back.
  const place = usePlaceIn(selected);
  const first = selected === top && place === undefined ? 'tree' : 'agent';
  const [step, setStep] = useState<'tree' | 'agent'>(first);
  useEffect(() => setStep(first), [selected, place?.turn, place?.call]);
  const onSelect = (id: string) => {
    cursor.moveTo(id);
    setStep('agent');
    go({ view: 'run', top, selected: id });
  };
  const isAlone = root?.totals.runs === 1;
  return (
    <div class={`run ${isAlone ? 'alone' : `at-${step}`}`}>
      {/* Apart from the tree: what is not drawn has no patterns for others either. */}
      <SpanPatterns />
      <div class="whole">
        <nav aria-label="Place">
          <a href={hrefOf({ view: 'runs' })}>All runs</a>
        </nav>
        {root === undefined && <h1>Run</h1>}
        <ProblemText text={problem} />
        {root === undefined && problem === undefined && <Skeleton height={46} lines={6} />}
        {root !== undefined && (
          <>
            <Summary root={root} />
            <TreeTools
              tree={tree}
              root={root}
              cursor={cursor}
              words={words}
              onWords={setWords}
              found={found}
              onSelect={onSelect}
            />
            <TreeView
              tree={tree}
              root={root}
              selected={selected}
              onSelect={onSelect}
              cursor={cursor}
              found={found}
            />
            <p class="keys muted" aria-hidden="true">
              ↑ ↓ move · → ← unfold, fold · Enter opens · a click on a bar opens its agent
            </p>
          </>
        )}
      </div>
      {root !== undefined && (
        <section class="detail" aria-label="Selected agent">
          {!isAlone && (
            <button type="button" class="to-tree" onClick={() => setStep('tree')}>
              ← All agents of this run
            </button>
          )}
          {node === undefined ? (
            <p role="alert">There is no agent “{selected}” in this run.</p>
          ) : (
            <RunDetail run={node.run} tree={tree} />
          )}
        </section>
      )}
    </div>
  );
}

/** The state of the whole tree, in a sentence that is read out whenever it changes. */
function Summary({ root }: { root: TreeNode }) {
  const { run, totals } = root;
  const { tone } = lookOf(run);
  const cost = costOf(totals);
  const states = [
    ...(totals.atWork > 0 ? [`${totals.atWork} at work`] : []),
    ...(totals.asking > 0 ? [`${totals.asking} waiting for you`] : []),
    ...(totals.failures > 0 ? [`${totals.failures} failed`] : []),
  ];
  return (
    <header class="summary">
      <h1>{nameOf(run)}</h1>
      <p role="status">
        <RunSymbol run={run} />{' '}
        {tone === 'bad' && run.error !== undefined && <strong class="bad">{visible(run.error)}</strong>}
        {tone === 'bad' && run.error !== undefined && ' · '}
        {stateWords(root)}
        {totals.runs > 1 && `. ${counted(totals.runs, 'agent')}`}
        {totals.runs > 1 && states.length > 0 && `: ${states.join(', ')}`}
      </p>
      <p class="muted">
        {tokenCount(tokensOf(totals))} · {cost === null ? 'cost not known' : dollars(cost)}
        {totals.unpriced > 0 && cost !== null && ` and ${counted(totals.unpriced, 'agent')} of unknown cost`}
      </p>
      {run.task !== '' && <p class="task">{visible(run.task)}</p>}
    </header>
  );
}
