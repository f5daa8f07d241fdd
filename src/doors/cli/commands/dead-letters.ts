import { counted } from '../../../counted.ts';
import { ConfigError, StoreError } from '../../../errors.ts';
import { pauseText } from '../../../core/records/pause.ts';
import { PausedError } from '../../../places/environment-errors.ts';
import type { Again, DeadLetter, DeadLetters } from '../../../places/dead-letters.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';

export interface DeadLettersOptions {
  /** A deployed environment. */
  env: string;
  retry?: boolean;
  delete?: boolean;
  json?: boolean;
}

/**
 * `cadre dead-letters --env <environment>`: lists work that was tried for hours and given up; repeats it, or deletes
 * it.
 * @returns the exit code: 1 if anything is left that was to be repeated
 * @throws {PausedError} for `--retry` while the environment is paused, which would lose ticks of schedules
 */
export async function deadLetters(
  { env, retry = false, delete: removes = false, json = false }: DeadLettersOptions,
  io: RunIo,
): Promise<number> {
  if (retry && removes) throw new ConfigError('cannot do both, --retry and --delete');
  const { openDeadLetters } = await import('../../../places/aws/cloud-dead-letters.ts');
  const open = await openDeadLetters(env);
  let done = 0;
  try {
    const pause = retry ? await open.pause() : undefined;
    if (pause !== undefined) throw new PausedError(`nothing is sent again: ${pauseText(pause)}`);
    if (json) io.stdout(`${jsonLine(open.letters.map(toReport))}\n`);
    for (const letter of open.letters) {
      if (!json) io.stdout(`${lineOf(letter)}\n`);
      if (removes) await open.delete(letter);
      else if (!(retry && isRepeatable(letter) && (await isSentAgain(letter, open, io)))) continue;
      done += 1;
    }
  } finally {
    await open.close();
  }
  const left = open.letters.length - done;
  if (removes) io.stderr(`${counted(done, 'dead letter')} deleted\n`);
  else if (retry) {
    io.stderr(
      `${counted(done, 'dead letter')} sent again${left > 0 ? `; ${left} cannot be: see docs/runbook.md#replaying-dead-letters` : ''}\n`,
    );
  } else io.stderr(`${summary(left, env)}\n`);
  return retry && left > 0 ? EXIT.agent : EXIT.success;
}

/** One whose function or machine is gone, or may not be called, stands in the way of no other. */
async function isSentAgain(letter: Repeatable, open: DeadLetters, io: RunIo): Promise<boolean> {
  try {
    await open.retry(letter);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof StoreError)) throw thrown;
    io.stderr(`Error: ${oneLine(thrown.message)}\n`);
    return false;
  }
}

function summary(count: number, env: string): string {
  if (count === 0) return 'no dead letters';
  const command = `cadre dead-letters --env ${env}`;
  return `${counted(count, 'dead letter')}; once the reason is mended: ${command} --retry; to forget them: ${command} --delete`;
}

type Repeatable = DeadLetter & { again: Again };

function isRepeatable(letter: DeadLetter): letter is Repeatable {
  return letter.again !== undefined;
}

function lineOf({ at, what, run, why, again }: DeadLetter): string {
  const about = run === undefined ? '' : ` (run ${run})`;
  const note = again === undefined ? '; it cannot be sent again' : '';
  return oneLine(`${new Date(at).toISOString()}  ${what}${about}: ${why}${note}`);
}

function toReport({ id, at, what, run, why, again }: DeadLetter) {
  return {
    id,
    at: new Date(at).toISOString(),
    what,
    ...(run !== undefined && { run_id: run }),
    why,
    can_retry: again !== undefined,
  };
}
