/** Stands in for what is being loaded, as high as that will be. @param height in pixels, of each line of it */
export function Skeleton({ height, lines = 1 }: { height: number; lines?: number }) {
  return (
    <div role="status" class="skeletons">
      <span class="spoken">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="skeleton" style={{ height: `${height}px` }} />
      ))}
    </div>
  );
}
