import type { CheckPorts } from '../../agent/check-agent.ts';
import { checkScript } from '../../pipeline/local-sources.ts';
import { checkModule } from '../../workspace/check-module.ts';
import { openFolderWorkspace } from '../../workspace/folder-workspace.ts';
import { skillsIn } from '../../workspace/skill-file.ts';
import type { Io } from '../terminal/io.ts';

/** Where commands look up what agents refer to. */
export function checkPorts(
  { source, providers, secrets }: Required<Pick<CheckPorts, 'providers' | 'secrets' | 'source'>>,
  { cwd }: Pick<Io, 'cwd'>,
): CheckPorts {
  return {
    source,
    skillsIn,
    checkModule,
    checkScript: (path) => checkScript(cwd, path),
    cwd,
    openWorkspace: openFolderWorkspace,
    providers,
    secrets,
  };
}
