import { targetTexts, type Target } from '../../core/agent-schema/targets.ts';
import { ConfigError } from '../../errors.ts';
import type { FolderTrust } from '../../places/local/folder-trust.ts';
import { isInside } from '../../places/local/workspace/inside.ts';
import { realPathOf } from '../../places/local/workspace/open-inside.ts';
import { shellWord } from '../../shell-word.ts';
import { configFolder } from '../config/config-folder.ts';
import { holdsHome, isTrustedFolder, trustNow } from './trusted-folders.ts';

export interface FolderTrustOptions {
  /** Absolute: all that agents, records of runs and working directories of programs come from. */
  folders: readonly string[];
  /** `CADRE_TRUST=1` trusts every folder. */
  env: Readonly<Record<string, string | undefined>>;
  /** Puts a question to the user that is answered with yes or no; absent: nobody can be asked. */
  confirm?: ((question: string) => Promise<boolean>) | undefined;
}

/** Trust in the folders that a command works with, as the user has given it. */
export function createFolderTrust({ folders, env, confirm }: FolderTrustOptions): FolderTrust {
  let asked: Promise<boolean> | undefined;

  function untrusted(): string[] {
    if (env['CADRE_TRUST'] === '1') return [];
    const own = realPathOf(configFolder(env));
    const real = folders.map((folder) => realPathOf(folder));
    return [...new Set(real)].filter((each) => !isInside(each, own) && !isTrustedFolder(each, env));
  }

  /** Once, whatever is to be started later: what is trusted is the folder. */
  async function ask(wanted: readonly string[], programs: readonly Target[]): Promise<boolean> {
    if (confirm === undefined || wanted.some((folder) => holdsHome(folder, env))) return false;
    const isTrusted = await confirm(question(wanted, programs));
    if (isTrusted) for (const folder of wanted) trustNow(folder, env);
    return isTrusted;
  }

  return {
    isTrusted: () => untrusted().length === 0,
    async assertTrusted(findPrograms) {
      const wanted = untrusted();
      if (wanted.length === 0) return;
      const programs = await findPrograms();
      if (programs.length === 0 || (await (asked ??= ask(wanted, programs)))) return;
      const names = [...new Set(programs.map(({ name }) => name))].join(', ');
      const way = wanted.some((folder) => holdsHome(folder, env))
        ? 'your home cannot be trusted as a whole: pass --trust'
        : `look at what they are, then run: cadre trust ${wanted.map(shellWord).join(' ')}`;
      throw new ConfigError(
        `agents of ${wanted.join(' and ')} need your trust to start programs (${names}); ${way}`,
      );
    },
  };
}

function question(folders: readonly string[], programs: readonly Target[]): string {
  return [
    `You have not trusted ${folders.map(shellWord).join(' and ')} yet. Its agents would start, with your rights:`,
    ...targetTexts(programs).map((line) => `  ${line}`),
    'Trust it, with everything in it, from now on?',
  ].join('\n');
}
