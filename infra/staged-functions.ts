import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadedAgent } from '../src/core/agent-schema/agent-source.ts';
import { PAGE_FOLDER } from '../src/places/aws/variables.ts';
import { ConfigError, messageOf } from '../src/errors.ts';
import { VERIFICATION_AGENTS, VERIFICATION_SCRIPTS } from '../src/authoring/verify/agents.ts';
import { PACKED_SCRIPTS, packScripts } from '../src/authoring/verify/packed-scripts.ts';
import {
  PACKED_AGENTS,
  PACKED_ROLLOUT,
  PACKED_TEXTS,
  packAgents,
  packRollout,
  packTexts,
} from '../src/authoring/loading/folders/packed-agents.ts';
import { copySkill } from '../src/authoring/skills/copy-skill.ts';
import { agentsRoot, deployedFolders } from './deployed-agents.ts';
import { unpackFunctions } from './packed-functions.ts';
import { DOCKERFILE, SANDBOX_DOCKERFILE } from './sandbox-image.ts';
import type { UserModule } from './project.ts';
import { everyAgent, type NextPack } from './rollout.ts';
import { stageModules } from './user-modules.ts';

/** The functions that read agents. */
const READERS = ['api', 'doors', 'open'];
/** The function that serves the page. */
const SERVER = 'api';
/** The functions that carry out calls and run commands, and so have what models load of skills. */
const CALLERS = ['tool', 'sandbox'];
/** The function that commands run in. */
const SANDBOX = 'sandbox';
/** The function that asks models, or plays scripts. */
const PLAYER = 'turn';

export interface StagedFunctions {
  /** Absolute: the functions' bundles as they were built, a folder each, or all of them packed into one file. */
  bundles: string;
  agents: ReadonlyMap<string, LoadedAgent>;
  /** Those that a share of new trees takes in place of them; absent: none does. */
  next?: NextPack | undefined;
  modules: readonly UserModule[];
  /** Whether the agents of `cadre verify` are deployed beside them, with the scripts that they play. */
  verify?: boolean;
  /** Absolute. Skills lie in it, or beside it in skills/. */
  agentsFolder: string;
  /** Absolute: the page's files as they were built; absent: the API serves no page. */
  page?: string | undefined;
}

/**
 * Lays the functions out as they are deployed, a folder each: those that read agents have them beside their bundle,
 * and each module that an agent names is one of its own.
 * @param folder absolute; replaced if it is there
 * @throws {ConfigError} if a skill cannot be read, or a module is wrong
 */
export async function stageFunctions(
  folder: string,
  { bundles, agents, next, modules, verify = false, agentsFolder, page }: StagedFunctions,
): Promise<void> {
  const root = agentsRoot(agentsFolder);
  await rm(folder, { recursive: true, force: true });
  if ((await stat(bundles)).isFile()) await unpackFunctions(bundles, folder);
  else for (const name of await readdir(bundles)) await linkBundle(join(bundles, name), join(folder, name));
  await stageModules(folder, modules, root);
  if (verify) await writeFile(join(folder, PLAYER, PACKED_SCRIPTS), packScripts(VERIFICATION_SCRIPTS));
  if (page !== undefined) await cp(page, join(folder, SERVER, PAGE_FOLDER), { recursive: true });
  // A name that is in both packs is shown as it is in the current one.
  await writeFile(
    join(folder, SERVER, PACKED_TEXTS),
    packTexts(new Map([...(next?.agents ?? []), ...agents])),
  );
  const all = everyAgent(agents, next);
  for (const caller of CALLERS) await copyListed(all, root, join(folder, caller));
  if ([...all.values()].some(({ agent }) => agent.sandbox.image !== '')) {
    await writeFile(join(folder, SANDBOX, DOCKERFILE), SANDBOX_DOCKERFILE);
  }
  const verifying = verify ? VERIFICATION_AGENTS : [];
  const packed = packAgents(new Map([...agents, ...verifying]));
  const rollout = next && packRollout(next.rollout, new Map([...next.agents, ...verifying]));
  const places = new Set(
    [agentsFolder, ...(next === undefined ? [] : [next.folder])].flatMap(deployedFolders),
  );
  for (const reader of READERS) {
    await writeFile(join(folder, reader, PACKED_AGENTS), packed);
    if (rollout !== undefined) await writeFile(join(folder, reader, PACKED_ROLLOUT), rollout);
    // A skill is the name of a folder in skills/, or the path of a file, such as one beside its agent.
    for (const place of [...places].filter((name) => existsSync(join(root, name)))) {
      await copySkills(join(root, place), join(folder, reader, place));
    }
  }
}

/** The whole folders of the skills that agents may load, where they lie from the agents' root. */
async function copyListed(agents: ReadonlyMap<string, LoadedAgent>, root: string, to: string): Promise<void> {
  const folders = [...agents.values()].flatMap(({ skills = [] }) => skills.map(({ folder }) => folder));
  for (const folder of new Set(folders)) await copySkill(join(root, folder), join(to, folder));
}

/** The folders of a bundle become links, which CDK follows. */
async function linkBundle(bundle: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(bundle, { withFileTypes: true })) {
    const [from, to] = [join(bundle, entry.name), join(folder, entry.name)];
    // A junction is a link that Windows lets every user make.
    await (entry.isDirectory() ? symlink(from, to, 'junction') : copyFile(from, to));
  }
}

/** @throws {ConfigError} for a link that leads nowhere and what else cannot be read */
async function copySkills(from: string, to: string): Promise<void> {
  try {
    const filter = (path: string) => !path.endsWith('.toml');
    await cp(from, to, { recursive: true, dereference: true, filter });
  } catch (error) {
    throw new ConfigError(`failed to copy skills: ${messageOf(error)}`, { cause: error });
  }
}
