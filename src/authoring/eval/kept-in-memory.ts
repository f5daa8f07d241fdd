import { basename, join } from 'node:path';
import { newRunId } from '../../core/records/run-id.ts';
import type { KeptEvals } from './kept.ts';
import { once } from './kept-in-folder.ts';

/** Keeps nothing for later. @param folder absolute: for the files of runs */
export function keptInMemory(folder: string): KeptEvals {
  return {
    played: async () => undefined,
    keepPlayed: async () => {},
    judged: once(async (_, ask) => ask()),
    keepWorkspace: async (_, from) => from,
    workspaceOf: async () => undefined,
    begin: async (_, file, now) => ({
      id: newRunId(basename(file, '.toml'), now),
      startedAt: new Date(now).toISOString(),
      finished: () => undefined,
      begun: () => undefined,
      workOf: (run) => join(folder, run),
      begin: () => {},
      finish: () => {},
      end: async () => {},
    }),
  };
}
