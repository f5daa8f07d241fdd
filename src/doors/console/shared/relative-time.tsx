import { ago } from './figures.ts';

/** How long ago something was, with the moment itself for those who point at it. @param now milliseconds since 1970 */
export function RelativeTime({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ago(at, now)}
    </time>
  );
}
