import { counted } from '../../../counted.ts';
import type { PackInUse, RolloutState } from '../../../places/store/rollout-share.ts';
import { inColumns } from '../terminal/columns.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';

export interface RolloutOptions {
  env: string;
  /** From 0 to 1. */
  next?: number;
  promote?: boolean;
  back?: boolean;
  json?: boolean;
}

/**
 * `cadre rollout`: shows or sets the share of new trees that take the next pack of agents.
 * @returns the exit code
 */
export async function rollout(options: RolloutOptions, io: RunIo): Promise<number> {
  const { cloudRollout } = await import('../../../places/aws/cloud-rollout.ts');
  const next = options.promote ? 1 : options.back ? 0 : options.next;
  const change = next === undefined ? undefined : { next, by: io.user ?? 'somebody' };
  const state = await cloudRollout(options.env, change);
  if (options.json) {
    io.stdout(`${jsonLine(state)}\n`);
    return EXIT.success;
  }
  for (const line of stateLines(state, io.columns)) io.stdout(`${line}\n`);
  for (const hint of wayToEnd(state)) io.stderr(`${hint}\n`);
  return EXIT.success;
}

/** Both packs in columns, and who has set their shares. */
export function stateLines({ current, next, set }: RolloutState, columns: number | undefined): string[] {
  const packs = [current, next];
  const cells = (cell: (pack: PackInUse) => string) => packs.map(cell);
  const lines = inColumns(
    [
      { cells: cells(({ pack }) => oneLine(pack)) },
      { cells: cells(({ share }) => `${Number((share * 100).toFixed(2))} % of new trees`), align: 'right' },
      { cells: cells(({ trees }) => `${counted(trees, 'tree')} at work`), align: 'right' },
    ],
    columns,
  );
  return set === undefined ? lines : [...lines, `set by ${oneLine(set.by)}, ${set.at}`];
}

/** What ends a rollout whose outcome has been decided; nothing while both packs get new trees. */
export function wayToEnd({ current, next }: RolloutState): string[] {
  const [kept, left] = next.share === 1 ? [next, current] : [current, next];
  if (left.share > 0) return [];
  const folder = (pack: PackInUse) => pack.pack.slice(0, pack.pack.lastIndexOf('@'));
  if (left.trees > 0) {
    return [
      `${left.pack} stays deployed until what is at work of it has ended: ${counted(left.trees, 'tree')}`,
    ];
  }
  const put =
    kept === next ? `put the files of ${folder(next)} in place of those of ${folder(current)}, ` : '';
  return [
    `no tree at work needs ${left.pack} any more; to end the rollout, ${put}take "rollout" out of cdk.json, and deploy`,
  ];
}
