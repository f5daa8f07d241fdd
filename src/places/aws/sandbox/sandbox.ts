import { mkdirSync, readdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import type { Workspace } from '../../../core/agent-schema/workspace.ts';
import { messageOf } from '../../../errors.ts';
import { createCommands } from '../../local/commands.ts';
import { TRANSFER_LIMITS } from '../client-limits.ts';
import { openS3Workspace } from '../s3-workspace.ts';
import { endAllBut, processesHere } from './alone.ts';
import { lookThrough } from './look-through.ts';
import type { SandboxNews, SandboxRequest } from './protocol.ts';
import { RestArchive } from './rest-archive.ts';
import { takeAway } from './take-away.ts';
import { WorkspaceCopy } from './workspace-copy.ts';

export interface SandboxMachine {
  /** Absolute: a folder of its own, for workspaces, and for the scratch files of commands. */
  base: string;
  /** The variable `PATH` of commands. */
  path: string | undefined;
  /** Whether nothing else runs on this machine: then all that a command leaves is ended, and removed from /tmp. */
  isAlone: boolean;
}

interface Running {
  /** Seconds until the answer has to be there. */
  secondsLeft: number;
  /** Takes the output, as it is written. */
  tell(text: string): void;
}

/** Kept of the time for writing back what a command has changed. */
const WRITE_BACK_SECONDS = 60;

/** Folders below `base`: copies of workspaces, which stay, and two that are emptied after each command. */
const WORK = 'work';
const SCRATCH = ['home', 'tmp'];

/**
 * Runs the commands of one tree, one at a time, each in a copy of the workspace that its agent works in.
 * @returns how a command ended, or why it did not begin
 */
export function openSandbox({ base, path, isAlone }: SandboxMachine) {
  const places = new Map<string, { copy: WorkspaceCopy; archive: RestArchive }>();

  function placeOf({ prefix }: SandboxRequest) {
    const known = places.get(prefix);
    if (known !== undefined) return known;
    // The same on every machine: programs that are installed note where they are.
    const name = createHash('sha256').update(prefix).digest('hex').slice(0, 12);
    const folder = join(base, WORK, name);
    const place = { copy: new WorkspaceCopy(folder), archive: new RestArchive(folder) };
    places.set(prefix, place);
    return place;
  }

  return async function run(request: SandboxRequest, { secondsLeft, tell }: Running): Promise<SandboxNews> {
    const end = performance.now() + secondsLeft * 1_000;
    const left = () => (end - performance.now()) / 1_000;
    const client = new S3Client({ ...TRANSFER_LIMITS, credentials: request.credentials });
    const open = (prefix: string) => openS3Workspace({ client, bucket: request.bucket, prefix });
    const [workspace, kept] = [open(request.prefix), open(request.rest)];
    const { copy, archive } = placeOf(request);
    const before = isAlone ? processesHere() : undefined;
    try {
      const laidOut = await layOut(copy, archive, { workspace, kept }, left() - WRITE_BACK_SECONDS);
      if ('refused' in laidOut) return laidOut;
      for (const name of SCRATCH) mkdirSync(join(base, name), { recursive: true });
      const [HOME = '', TMPDIR = ''] = SCRATCH.map((name) => join(base, name));
      const env = { PATH: path, HOME, TMPDIR, LANG: 'C.UTF-8' };
      const ended = await createCommands({ cwd: copy.folder, env }).run(request.command, {
        seconds: Math.min(request.seconds, left() - WRITE_BACK_SECONDS),
        signal: new AbortController().signal,
        tell,
      });
      if (before !== undefined) await endAllBut(before);
      if ('refused' in ended) return ended;
      const notes = await writeBack(copy, archive, { workspace, kept }, left());
      return { ended: { ...ended, notes: [...laidOut.notes, ...notes] } };
    } finally {
      client.destroy();
      for (const name of SCRATCH) takeAway(join(base, name));
      if (isAlone) empty('/tmp', base);
    }
  };
}

interface Kept {
  workspace: Workspace;
  /** The rest, which is not in the workspace. */
  kept: Workspace;
}

async function layOut(
  copy: WorkspaceCopy,
  archive: RestArchive,
  { workspace, kept }: Kept,
  seconds: number,
): Promise<{ notes: string[] } | { refused: string }> {
  const signal = within(seconds);
  try {
    if (await archive.isCurrent(kept)) {
      await copy.layOut(workspace, signal);
      return { notes: [] };
    }
    copy.clear();
    archive.clear();
    await copy.layOut(workspace, signal);
    const notes: string[] = [];
    try {
      await archive.unpack(kept, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      notes.push(`not there again: what .gitignore names, and node_modules (${messageOf(thrown)})`);
      copy.clear();
      await copy.layOut(workspace, signal);
    }
    archive.note((await lookThrough(copy.folder, copy.isKnown)).rest);
    return { notes };
  } catch (thrown) {
    copy.clear();
    archive.clear();
    const why = signal.aborted ? 'it took too long' : messageOf(thrown);
    return { refused: `the working directory could not be laid out for commands: ${why}` };
  }
}

async function writeBack(
  copy: WorkspaceCopy,
  archive: RestArchive,
  { workspace, kept }: Kept,
  seconds: number,
): Promise<string[]> {
  const signal = within(seconds);
  try {
    const { files, rest } = await lookThrough(copy.folder, copy.isKnown);
    const notes = await copy.writeBack(files, workspace, signal);
    return [...notes, ...(await archive.pack(rest, kept, signal))];
  } catch (thrown) {
    const why = signal.aborted ? 'it took too long' : messageOf(thrown);
    return [`some of what the command has changed may not be kept: ${why}`];
  }
}

/** Empties a folder, except for one folder in it. */
function empty(folder: string, kept: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path !== kept) takeAway(path);
  }
}

function within(seconds: number): AbortSignal {
  return AbortSignal.timeout(Math.max(0, Math.floor(seconds * 1_000)));
}
