/** How often the store is looked at while something waits: another process may have written there. */
const POLL_MS = 100;

/** Looks into the store repeatedly, as long as there is something to look for. */
export interface Poll {
  /** Goes on looking, now that there is something to look for. */
  go(): void;
  /** Looks no more. */
  close(): void;
}

/**
 * @param look the work of each round
 * @param isWanted whether anything waits for it
 * @param report called with failures meanwhile
 * @param leftMs how soon it has to look again, if that is sooner than usual
 */
export function createPoll(
  look: () => Promise<void>,
  isWanted: () => boolean,
  report: (thrown: unknown) => void,
  leftMs: () => number = () => POLL_MS,
): Poll {
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function lookOnce(): Promise<void> {
    try {
      await look();
    } catch (thrown) {
      report(thrown);
    } finally {
      timer = undefined;
      go();
    }
  }

  function go(): void {
    if (timer !== undefined || !isWanted() || isClosed) return;
    timer = setTimeout(() => void lookOnce(), Math.max(0, Math.min(POLL_MS, leftMs())));
  }

  return {
    go,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
