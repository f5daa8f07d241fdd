import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import type { Environment } from '../../../places/environment.ts';
import { localConfig } from '../../../authoring/loading/local-sources.ts';
import { toFixture } from '../../../authoring/replay/fixture.ts';
import { secretsOf } from '../../../authoring/replay/secrets.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { counted } from '../../../counted.ts';
import type { Io } from '../terminal/io.ts';
import { assertOverwritable } from './write-new-file.ts';
import { recordedTree } from './replay.ts';

export interface RecordOptions {
  /** Whether a file that is there is written over. */
  force?: boolean;
}

/**
 * `cadre record`: writes the whole tree of a run to a file that `cadre test` replays.
 * @param word which run: see findRun
 * @throws {ConfigError} if there is no such run, it is being carried out, or the file cannot be written
 */
export async function recordRun(
  word: string,
  file: string,
  environment: Environment,
  { force = false }: RecordOptions,
  io: Io,
): Promise<number> {
  const recording = await recordedTree(word, environment);
  const config = await localConfig(io);
  const text = toFixture(recording, [...secretsOf(io.env), ...config.secretsOfFile]);
  if (force) assertOverwritable(resolve(io.cwd, file), `cannot write ${file}`);
  try {
    await writeFile(resolve(io.cwd, file), text, { flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const why = isThere ? 'it is there already; write over it with --force' : fileFault(cause);
    throw new ConfigError(`cannot write ${file}: ${why}`, { cause });
  }
  io.stderr(`recorded ${counted(recording.runs.length, 'run')} in ${file}; read it before you share it\n`);
  return EXIT.success;
}
