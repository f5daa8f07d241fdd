import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from './skeleton.tsx';

/**
 * A component whose code is loaded when it is first shown. Its styles are in the page's sheet already.
 * @param load imports its module, which becomes a chunk together with what only it needs
 */
export function onDemand<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return function OnDemand(props: Props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(
      loaded === undefined ? 'loading' : 'loaded',
    );
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setState('loaded');
        },
        () => setState('failed'),
      );
    }, []);
    if (loaded !== undefined) {
      const Loaded = loaded;
      return <Loaded {...props} />;
    }
    if (state === 'loading') return <Skeleton height={400} />;
    return (
      <p role="alert" class="nowhere">
        This part of the page could not be loaded: the server does not answer, or has a newer page.{' '}
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    );
  };
}
