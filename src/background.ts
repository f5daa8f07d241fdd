/** Work that goes on without being awaited by those who begin it, and its failures. */
interface Background {
  begin(work: Promise<unknown>): void;
  /** Takes a failure, which `rested` throws unless there was one before. */
  report(thrown: unknown): void;
  /** Waits until nothing is left, as work may begin more. Failures stay where they are. */
  done(): Promise<void>;
  /** The same. @throws the first failure since this threw one */
  rested(): Promise<void>;
}

export function createBackground(): Background {
  const underWay = new Set<Promise<void>>();
  let first: { thrown: unknown } | undefined;
  const report = (thrown: unknown) => void (first ??= { thrown });
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
      const fault = first;
      first = undefined;
      if (fault !== undefined) throw fault.thrown;
    },
  };
}
