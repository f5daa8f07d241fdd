import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../../../errors.ts';

/** Something that is asked of the server, and what became of it. */
export interface Action<Args extends unknown[]> {
  /** Until the server has answered: nothing is asked for twice meanwhile. */
  isBusy: boolean;
  /** The server's own description of the fault; undefined if there is none. */
  error: string | undefined;
  run: (...args: Args) => void;
}

export function useAction<Args extends unknown[]>(work: (...args: Args) => Promise<unknown>): Action<Args> {
  const [state, setState] = useState<Pick<Action<Args>, 'isBusy' | 'error'>>({
    isBusy: false,
    error: undefined,
  });
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const show = (isBusy: boolean, error?: string) => {
    if (isShown.current) setState({ isBusy, error });
  };
  return {
    ...state,
    run(...args) {
      if (state.isBusy) return;
      show(true);
      work(...args).then(
        () => show(false),
        (thrown: unknown) => show(false, messageOf(thrown)),
      );
    },
  };
}
