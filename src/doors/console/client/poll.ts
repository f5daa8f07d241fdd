/**
 * Does something now, repeats it with a pause, and at once when a hidden page is seen again.
 * @param work throws nothing
 * @param hiddenMs how often to do it on a hidden page; absent: never
 * @returns a function that ends that
 */
export function poll(work: () => Promise<unknown>, everyMs: number, hiddenMs?: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const go = async () => {
    clearTimeout(timer);
    await work();
    clearTimeout(timer);
    const wait = document.hidden ? hiddenMs : everyMs;
    if (!isOver && wait !== undefined) timer = setTimeout(() => void go(), wait);
  };
  const onSight = () => {
    if (!document.hidden) void go();
    else if (hiddenMs === undefined) clearTimeout(timer);
  };
  document.addEventListener('visibilitychange', onSight);
  void go();
  return () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onSight);
  };
}
