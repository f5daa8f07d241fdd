import type { CheckPorts } from '../../../authoring/loading/check-agent.ts';
import { checkScript } from '../../../authoring/loading/local-sources.ts';
import { createCheckModule } from '../../../authoring/loading/folders/check-module.ts';
import type { FolderTrust } from '../../../places/local/folder-trust.ts';
import { openFolderWorkspace } from '../../../places/local/workspace/folder-workspace.ts';
import { skillsIn } from '../../../authoring/loading/folders/skill-file.ts';
import { defined } from '../../../defined.ts';
import type { Io } from '../terminal/io.ts';

export interface CheckedSources extends Pick<
  CheckPorts,
  'models' | 'providers' | 'secrets' | 'source' | 'webSearch'
> {
  /** Whether modules may be bundled, to see whether they can be called. */
  trust: Pick<FolderTrust, 'isTrusted'>;
}

/** The places where commands look up agents' references. */
export function checkPorts(
  { source, providers, secrets, models, trust, webSearch }: CheckedSources,
  { cwd }: Pick<Io, 'cwd'>,
): CheckPorts {
  return {
    source,
    skillsIn,
    checkModule: createCheckModule(trust),
    checkScript: (path) => checkScript(cwd, path),
    cwd,
    openWorkspace: openFolderWorkspace,
    secrets,
    ...defined({ providers, models, webSearch }),
  };
}
