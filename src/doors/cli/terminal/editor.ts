import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../errors.ts';
import { ownSearchPath } from '../../../tools/reach/search-path.ts';
import type { Io } from './io.ts';

/** What an editor is started with. */
export type EditorPorts = Pick<Io, 'cwd' | 'env'>;

/**
 * Opens a file in the user's editor on this terminal, and waits for its end.
 * @throws {ConfigError} if none is set, or it fails
 */
export async function editFile(path: string, { cwd, env }: EditorPorts): Promise<void> {
  const name = env['VISUAL']?.trim() ? 'VISUAL' : 'EDITOR';
  const editor = env[name]?.trim();
  if (!editor) throw new ConfigError('$EDITOR environment variable is not set');
  const listenAgain = ignoreInterrupts();
  try {
    // Through a shell, as git does, since it may have options: code --wait. Neither shell nor editor may come from a
    // project.
    const own = { ...env, PATH: ownSearchPath(env['PATH'] ?? '', cwd) };
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { cwd, env: own, stdio: 'inherit' });
    const code = await new Promise<number | null>((resolve, reject) =>
      child.on('exit', resolve).on('error', reject),
    );
    if (code === 0) return;
    throw new ConfigError(`$${name} (${editor}) ended with ${code === null ? 'a signal' : `code ${code}`}`);
  } finally {
    listenAgain();
  }
}

/**
 * Opens the arguments of a call, as JSON, in the user's editor.
 * @param keep told the text as the editor left it, even if it failed
 * @throws {ConfigError} as editFile
 */
export async function editArguments(
  text: string,
  keep: (edited: string) => void,
  ports: EditorPorts,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cadre-edit-'));
  const path = join(folder, 'arguments.json');
  try {
    await writeFile(path, text, { mode: 0o600 });
    try {
      await editFile(path, ports);
    } finally {
      keep(await readFile(path, 'utf8').catch(() => text));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Ctrl-C goes to all programs of a terminal: typed in an editor, it is meant for the editor. */
function ignoreInterrupts(): () => void {
  const listeners = process.listeners('SIGINT');
  const ignore = () => {};
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  return () => {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  };
}
