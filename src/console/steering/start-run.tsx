/** Starts a run, from the bar. */
export function StartRun() {
  return null;
}
