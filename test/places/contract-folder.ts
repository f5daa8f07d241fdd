import { localSources } from '../../src/authoring/loading/local-sources.ts';
import type { Environment } from '../../src/places/environment.ts';
import { createLocalCarrier } from '../../src/places/local/local-carrier.ts';
import { createLocalEnvironment } from '../../src/places/local/local-environment.ts';
import { openLocalPipeline, type LocalPipeline } from '../../src/places/local/local-pipeline.ts';
import type { LocalStore } from '../../src/places/local/local-store.ts';
import { systemTime, type LocalTime } from '../../src/places/time.ts';
import { checkRequest } from '../../src/places/local/check-request.ts';
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
export interface ContractProcess {
  environment: Environment;
  /** The carrier of runs; undefined before it is loaded. */
  pipeline(): LocalPipeline | undefined;
}

export async function openProcess(
  cwd: string,
  local: LocalStore,
  time: LocalTime = systemTime,
): Promise<ContractProcess> {
  const others = await localSources(recordedIo(cwd));
  const { models } = playedModels(stageRoles(time), others.models);
  const now = () => time.now();
  let pipeline: LocalPipeline | undefined;
  const environment = createLocalEnvironment({
    local,
    now,
    async carrier() {
      pipeline = await openLocalPipeline({ ...others, cwd, local, models, time });
      return createLocalCarrier(pipeline, now);
    },
    check: (request) => checkRequest(request, cwd, others.source),
  });
  return { environment, pipeline: () => pipeline };
}
