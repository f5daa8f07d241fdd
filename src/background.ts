/** Work that goes on without being awaited by those who begin it, and its failures. */
interface Background {
  begin(work: Promise<unknown>): void;
  /** Takes a failure, which `rested` throws. */
  report(thrown: unknown): void;
  /** Waits until nothing is left, as work may begin more. Failures stay where they are. */
  done(): Promise<void>;
  /** The same. @throws the first failure that there was */
  rested(): Promise<void>;
}

export function createBackground(): Background {
  const underWay = new Set<Promise<void>>();
  const faults: unknown[] = [];
  const report = (thrown: unknown) => void faults.push(thrown);
  const done = async () => {
    while (underWay.size > 0) await Promise.all(underWay);
  };
  return {
    begin(work) {
      const ended = work
        .then(() => {})
        .catch(report)
        .finally(() => underWay.delete(ended));
      underWay.add(ended);
    },
    report,
    done,
    async rested() {
      await done();
      if (faults.length > 0) throw faults[0];
    },
  };
}
