import { openAgentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { openFolderWorkspace } from '../../../places/local/workspace/folder-workspace.ts';
import { ConfigError } from '../../../errors.ts';
import type { Environment } from '../../../places/environment.ts';
import { recordingOf, type Recording } from '../../../authoring/replay/recording.ts';
import { replay, type Replayed } from '../../../authoring/replay/replay.ts';
import { shownTree } from '../../../core/reports/shown-tree.ts';
import { AT_WORK, isIn } from '../../../core/records/phase.ts';
import { placeText } from '../terminal/closing-text.ts';
import { differenceText } from '../terminal/difference-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { counted } from '../../../counted.ts';
import type { Io } from '../terminal/io.ts';
import { jsonLine } from '../terminal/printable.ts';
import { findRun, runNotFound } from './find-run.ts';
import { defined } from '../../../defined.ts';

export interface ReplayOptions {
  agentsDir?: string;
  json?: boolean;
}

/**
 * `cadre replay`: repeats the turns of a run's whole tree with the current agents.
 * @param word which run: see findRun
 * @returns the exit code: 1 if anything is different
 */
export async function replayRun(
  word: string,
  environment: Environment,
  options: ReplayOptions,
  io: Io,
): Promise<number> {
  const recording = await recordedTree(word, environment);
  const replayed = await replayHere(recording, options, io);
  const { difference } = replayed;
  if (options.json) io.stdout(`${jsonLine({ run: recording.runs[0]?.run.id, ...toReport(replayed) })}\n`);
  else if (difference === undefined) io.stdout(`no difference: ${extent(replayed)}\n`);
  else io.stdout(`${differenceText(difference)}\n`);
  return difference === undefined ? EXIT.success : EXIT.agent;
}

/**
 * The recording of the whole tree that a run belongs to.
 * @throws {ConfigError} if there is no such run, or its tree is being carried out
 */
export async function recordedTree(word: string, environment: Environment): Promise<Recording> {
  const { root } = await findRun(word, environment);
  const top = await environment.records.run(root);
  if (top === undefined) throw runNotFound(root, [], environment.name);
  const shown = await shownTree(top, environment.records);
  const atWork = shown.find((run) => isIn(AT_WORK, run));
  if (atWork !== undefined) {
    const stop = `cadre stop ${root}${placeText({ env: environment.name })}`;
    throw new ConfigError(`run "${atWork.id}" is running; wait for it, or stop it first: ${stop}`);
  }
  return recordingOf(root, environment.records);
}

/** Replays with the agents and files of the folder that the command is called in. */
export function replayHere(
  recording: Recording,
  { agentsDir }: Pick<ReplayOptions, 'agentsDir'>,
  { cwd, env }: Io,
): Promise<Replayed> {
  const source = openAgentFolders({ cwd, env, ...defined({ agentsDir }) });
  return replay(recording, { cwd, source, openWorkspace: openFolderWorkspace });
}

/** How much was made again, in words. */
export function extent({ runs, turns, skipped }: Replayed): string {
  const left = skipped === 0 ? '' : `; ${counted(skipped, 'run')} never began`;
  return `${counted(runs, 'run')}, ${counted(turns, 'turn')}${left}`;
}

export function toReport({ runs, turns, skipped, difference }: Replayed) {
  return {
    same: difference === undefined,
    runs,
    turns,
    never_began: skipped,
    difference: difference ?? null,
  };
}
