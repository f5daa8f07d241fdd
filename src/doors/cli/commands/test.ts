import { ConfigError } from '../../../errors.ts';
import { fromFixture } from '../../../authoring/replay/fixture.ts';
import type { Replayed } from '../../../authoring/replay/replay.ts';
import { differenceText } from '../terminal/difference-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { counted } from '../../../counted.ts';
import type { Io } from '../terminal/io.ts';
import { jsonLine } from '../terminal/printable.ts';
import { readNamedFile } from './read-named-file.ts';
import { extent, replayHere, toReport, type ReplayOptions } from './replay.ts';

/**
 * `cadre test`: replays recordings, each to its end or to its first difference.
 * @returns the exit code: 1 where anything is different, 2 where a file is no recording
 */
export async function testRecordings(
  files: readonly string[],
  options: ReplayOptions,
  io: Io,
): Promise<number> {
  const codes: number[] = [];
  for (const file of files) codes.push(await testRecording(file, options, io));
  const count = (wanted: number) => codes.filter((code) => code === wanted).length;
  const parts = [
    `${count(EXIT.success)} same`,
    `${count(EXIT.agent)} different`,
    ...(count(EXIT.configuration) === 0 ? [] : [`${count(EXIT.configuration)} unreadable`]),
  ];
  if (!options.json) io.stdout(`${counted(files.length, 'recording')}: ${parts.join(', ')}\n`);
  return Math.max(...codes);
}

async function testRecording(file: string, options: ReplayOptions, io: Io): Promise<number> {
  try {
    const replayed = await replayHere(fromFixture(await readNamedFile(file, io.cwd), file), options, io);
    io.stdout(`${options.json ? jsonLine({ file, ...toReport(replayed) }) : resultText(file, replayed)}\n`);
    return replayed.difference === undefined ? EXIT.success : EXIT.agent;
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    io.stderr(`Error: ${thrown.message}\n`);
    if (options.json) io.stdout(`${jsonLine({ file, error: thrown.message })}\n`);
    return EXIT.configuration;
  }
}

function resultText(file: string, replayed: Replayed): string {
  const { difference } = replayed;
  if (difference === undefined) return `same      ${file} (${extent(replayed)})`;
  return `different ${file}\n${differenceText(difference).replaceAll(/^/gm, '  ')}`;
}
