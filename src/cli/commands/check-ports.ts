import type { AgentSource } from '../../agent/agent-source.ts';
import type { CheckPorts } from '../../agent/check-agent.ts';
import { checkScript } from '../../pipeline/local-sources.ts';
import { checkModule } from '../../workspace/check-module.ts';
import { openFolderWorkspace } from '../../workspace/folder-workspace.ts';
import { skillsIn } from '../../workspace/skill-file.ts';
import type { Io } from '../terminal/io.ts';

/** Where commands look up what agents refer to. */
export function checkPorts(
  { source, providers }: { source: AgentSource; providers: readonly string[] },
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
  };
}
