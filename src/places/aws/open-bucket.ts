import type { OpenBucket } from '../../core/batches/join-bucket.ts';
import { AlreadyStartedError, type Executions } from '../../core/machine/executions.ts';

/**
 * Opens buckets by an execution each, which has the bucket's name: it is started once.
 * @param executions of the machine that looks after them
 */
export function createOpenBucket(executions: Pick<Executions, 'start'>): OpenBucket {
  return async (bucket, model) => {
    try {
      await executions.start(bucket, { bucket, model });
    } catch (thrown) {
      if (!(thrown instanceof AlreadyStartedError)) throw thrown;
    }
  };
}
