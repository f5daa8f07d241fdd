import { localSources } from '../../src/authoring/loading/local-sources.ts';
import type { Folder } from '../../src/places/local/local-environment.ts';
import type { LocalStore } from '../../src/places/local/local-store.ts';
import { openFolder } from '../../src/places/local/open-folder.ts';
import { systemTime, type LocalTime } from '../../src/places/time.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { playedModels } from '../fixtures/stage.ts';
import { CONTRACT_AGENTS } from './contract-agents.ts';
import { stageRoles } from './contract-stage.ts';

/** The files of a folder with the agents of the contract. */
export const CONTRACT_FILES = Object.fromEntries(
  Object.entries(CONTRACT_AGENTS).map(([name, keys]) => [
    `agents/${name}.toml`,
    `name = "${name}"\nmodel = "stage/${name}"\n${keys}`,
  ]),
);

/** A process in the folder. */
export async function openProcess(
  cwd: string,
  local: LocalStore,
  time: LocalTime = systemTime,
): Promise<Folder> {
  // A user could not name the provider of these models, so only the form of their names is looked at.
  const { modelFaults: _ofUsers, ...others } = await localSources(recordedIo(cwd));
  const { models } = playedModels(stageRoles(time), others.models);
  return openFolder({ cwd, local, time, sources: async () => ({ ...others, models }) });
}
