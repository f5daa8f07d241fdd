import { useState } from 'preact/hooks';
import { hrefOf, type Place } from '../route.ts';
import type { SelectedRun } from '../selected-run.ts';
import { CopyButton } from '../shared/copy-button.tsx';
import { ForkDialog } from './fork-dialog.tsx';

export interface PlaceLinkProps extends SelectedRun {
  at: Place;
  /** Names the place: `turn 3`. */
  what: string;
}

/** Copies a link that opens at a turn or a call. */
export function PlaceLink({ run, tree, at, what }: PlaceLinkProps) {
  const { run_id: selected } = run;
  const top = tree.root?.run.run_id ?? selected;
  const { href } = new URL(hrefOf({ view: 'run', top, selected, at }), location.href);
  return <CopyButton text={href} what={`to ${what}`} label="Copy link" />;
}

export interface TurnToolsProps extends SelectedRun {
  number: number;
  /** Fetches the words that the turn was made for; "" if it was made for results alone. */
  words: () => Promise<string>;
}

/** The tools of a turn: a link to it, and a fork that continues from there. */
export function TurnTools({ run, tree, number, words }: TurnToolsProps) {
  const [isForking, setIsForking] = useState(false);
  return (
    <div class="turn-tools">
      <PlaceLink run={run} tree={tree} at={{ turn: number }} what={`turn ${number}`} />
      <button type="button" class="plain" aria-haspopup="dialog" onClick={() => setIsForking(true)}>
        Fork from here…
      </button>
      {isForking && (
        <ForkDialog run={run} number={number} words={words} onClose={() => setIsForking(false)} />
      )}
    </div>
  );
}
