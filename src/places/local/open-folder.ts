import type { LiveBus } from '../../core/events/live.ts';
import type { RunRequest } from '../../core/records/request.ts';
import type { StartedAgent } from '../start-recorded.ts';
import { telemetrySettings } from '../telemetry/settings.ts';
import { systemTime, type LocalTime } from '../time.ts';
import { assertAgentsTrusted } from './folder-trust.ts';
import { checkRequest, type AgentsToRun } from './check-request.ts';
import { createLocalEnvironment, type Folder } from './local-environment.ts';
import type { LocalPortsOptions } from './local-ports.ts';
import { shareLocalStore, type LocalStore } from './local-store.ts';

/** Where a folder's agents and models are. */
export type FolderSources = Omit<LocalPortsOptions, 'cwd' | 'local' | 'notice' | 'telemetry' | 'time'> &
  AgentsToRun;

export interface FolderOptions extends Pick<LocalPortsOptions, 'notice'> {
  /** Absolute: its store lies in its `.cadre/` folder. */
  cwd: string;
  /** Asked for with the first run that is to be carried out. */
  sources: () => Promise<FolderSources>;
  /** The folder's store, closed with the environment; absent: that of the process, made with the first write. */
  local?: LocalStore;
  /**
   * Whether this process stays to carry out what others have left: absent: it does. In a command that is about to end,
   * killing an agent sets nothing going.
   */
  carries?: boolean;
  /** Absent: the system's. */
  time?: LocalTime;
  /** Finds the agent of a request, and its faults; absent: as `checkRequest` does. */
  check?: (request: RunRequest) => Promise<StartedAgent>;
  /** Called with failures of work that is not awaited; absent: callers that wait for the tree get them. */
  report?: (thrown: unknown) => void;
}

/**
 * Opens the environment of a folder: its store, and this process, which carries out what is started or continued here.
 * Looking at records loads no interpreter and no models, and makes nothing.
 */
export async function openFolder(options: FolderOptions): Promise<Folder> {
  const { cwd, sources, carries = true, time = systemTime, notice, report } = options;
  const local = options.local ?? (await shareLocalStore(cwd));
  return createLocalEnvironment({
    local,
    carries,
    time,
    async load() {
      const [{ openLocalPipeline }, { createLocalCarrier }, found] = await Promise.all([
        import('./local-pipeline.ts'),
        import('./local-carrier.ts'),
        sources(),
      ]);
      const telemetry = await telemetryOf(found.env, local, notice);
      const pipeline = await openLocalPipeline({ ...found, cwd, local, time, notice, telemetry });
      return createLocalCarrier(pipeline, () => time.now(), report);
    },
    check: options.check ?? (async (request) => (await checkRequest(request, cwd, await sources())).agent),
    limits: async () => (await sources()).limits,
    assertTrusted: async (agent) => assertAgentsTrusted([agent], await sources()),
  });
}

/** Loaded only where an endpoint is set. */
async function telemetryOf(
  env: FolderSources['env'],
  { runs, feed }: LocalStore,
  notice: FolderOptions['notice'],
) {
  const settings = telemetrySettings(env);
  if (settings === undefined) return undefined;
  const { openTelemetry } = await import('../telemetry/local-telemetry.ts');
  const live: LiveBus = {
    tell(event) {
      feed.tell(event);
      if (event.type === 'warning') notice?.(event);
    },
  };
  return openTelemetry({ records: runs, settings, live });
}
