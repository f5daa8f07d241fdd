import { inPool } from '../../in-pool.ts';
import type { EvalReport } from '../../core/reports/eval-report.ts';
import { inputOf, isFailed, playTry, type AskedCase, type TryPorts } from './play-try.ts';
import type { Evaluation } from './read-eval.ts';
import { toReport, type PlayedTry } from './report.ts';
import { digestOf, fileDigest, folderDigest } from './shape.ts';
import type { Variant } from './variant.ts';

export interface EvaluatePorts extends TryPorts {
  /** Hears of each try as it ends. */
  tell(played: PlayedTry): void;
}

/**
 * Plays all cases with all variants, and grades them.
 * @param env the deployed environment; undefined where they are played here
 * @throws {ConfigError} if an agent cannot be run, or a file cannot be read
 * @throws the signal's reason: what has been played by then is kept
 */
export async function evaluate(
  evaluation: Evaluation,
  variants: readonly Variant[],
  env: string | undefined,
  ports: EvaluatePorts,
): Promise<EvalReport> {
  const { kept, now, tell } = ports;
  const { file, cases, repeat, concurrency } = evaluation;
  const inputs = await inputsOf(evaluation);
  const digest = digestOf([
    file,
    env ?? '',
    repeat,
    [...inputs],
    variants.map(({ name, agent, model, digest }) => [name, agent, model, digest]),
  ]);
  const session = await kept.begin(digest, file, now());
  const order = cases.flatMap((tested) =>
    Array.from({ length: repeat }, (_, index) =>
      variants.map((variant) => ({ tested, variant, repeat: index + 1 })),
    ).flat(),
  );
  const results = new Map<string, PlayedTry>();
  const atOf = ({ tested, variant, repeat }: Pick<AskedCase, 'repeat' | 'tested' | 'variant'>) =>
    JSON.stringify([variant.name, tested.name, repeat]);
  await inPool(order, concurrency, ports.signal, async (asked) => {
    const at = atOf(asked);
    const before = session.finished(at);
    const isDone = before !== undefined && !isFailed(before);
    const input = inputs.get(asked.tested.name) ?? '';
    const result = isDone ? before : await playTry({ ...asked, at, input }, session, evaluation, ports);
    const played = { variant: asked.variant.name, case: asked.tested.name, try: result };
    results.set(at, played);
    tell(played);
  });
  const played = order.flatMap((asked) => results.get(atOf(asked)) ?? []);
  const report = toReport(
    { id: session.id, startedAt: session.startedAt, endedAt: new Date(now()).toISOString(), env },
    evaluation,
    variants,
    played,
  );
  await session.end(report);
  return report;
}

/** The digest of what each case gives to the agent, by its name. Folders that many cases share are read once. */
async function inputsOf({ cases }: Evaluation): Promise<Map<string, string>> {
  const folders = new Map<string, Promise<string>>();
  const folderOf = (real: string) => {
    const known = folders.get(real) ?? folderDigest(real);
    folders.set(real, known);
    return known;
  };
  const digests = new Map<string, string>();
  for (const { name, written, files, attach, ...tested } of cases) {
    const { expect: _expect, x: _x, ...given } = written;
    const attached = await Promise.all(attach.map(async ({ real }) => fileDigest(real)));
    const folder = files === undefined ? '' : await folderOf(files.real);
    digests.set(name, digestOf([given, await inputOf(tested), attached, folder]));
  }
  return digests;
}
