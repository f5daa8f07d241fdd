import type { CheckPorts } from '../../../authoring/loading/check-agent.ts';
import { checkScript } from '../../../authoring/loading/local-sources.ts';
import { checkModule } from '../../../authoring/loading/folders/check-module.ts';
import { openFolderWorkspace } from '../../../places/local/workspace/folder-workspace.ts';
import { skillsIn } from '../../../authoring/loading/folders/skill-file.ts';
import { defined } from '../../../defined.ts';
import type { Io } from '../terminal/io.ts';

/** The places where commands look up agents' references. */
export function checkPorts(
  { source, providers, secrets, models }: Pick<CheckPorts, 'models' | 'providers' | 'secrets' | 'source'>,
  { cwd }: Pick<Io, 'cwd'>,
): CheckPorts {
  return {
    source,
    skillsIn,
    checkModule,
    checkScript: (path) => checkScript(cwd, path),
    cwd,
    openWorkspace: openFolderWorkspace,
    secrets,
    ...defined({ providers, models }),
  };
}
