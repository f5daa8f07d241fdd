import { execFile } from 'node:child_process';
import { constants, existsSync, readFileSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import type { LimitsPerDay } from '../../core/records/limits-per-day.ts';
import { counted } from '../../counted.ts';
import { hasLocalStore, openLocalStore } from '../../places/local/local-store.ts';
import { fileFault } from '../../places/local/workspace/file-fault.ts';
import { findProgram } from '../../places/local/workspace/find-program.ts';
import { sandboxFault } from '../../places/local/sandbox.ts';
import { hideEnvironment } from '../../tools/reach/hidden-environment.ts';
import { checkLimits } from './check-limits.ts';
import { check, ok, warning, wrong, type Finding } from './finding.ts';

const run = promisify(execFile);

/** As package.json has it. */
const OLDEST_NODE = [20, 19] as const;

/** Browsers that the tests of the page take. */
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

/** This machine, and the folder in which the command is called. */
export async function checkMachine(
  cwd: string,
  { trusted, isTrusted, perDay }: { trusted: readonly string[]; isTrusted: boolean; perDay: LimitsPerDay },
): Promise<Finding[]> {
  const checks = [
    check('Node.js', () => nodeVerdict(process.versions.node)),
    check('git', () => gitVerdict(cwd)),
    check('bubblewrap', async () => {
      const fault = await sandboxFault(process.env['PATH'], cwd);
      return fault === undefined ? ok('commands can be isolated') : warning('does not work', fault);
    }),
    check('esbuild', () =>
      isInstalled('esbuild', cwd)
        ? ok('installed')
        : warning(
            'not installed here',
            'functions that are modules fail, here and when deployed: npm install -D esbuild',
          ),
    ),
    check('trust', () => {
      const reach =
        trusted.length === 0 ? 'agents reach this folder alone' : `agents may lead to ${trusted.join(', ')}`;
      const programs = isTrusted
        ? 'may start servers and modules'
        : 'start no servers or modules until you run cadre trust';
      return ok(`${reach}, and ${programs}`);
    }),
    check('store', () => storeVerdict(cwd)),
    check('keys in variables', () =>
      hideEnvironment()
        ? ok('hidden from what agents start')
        : warning(
            'can be looked up by what agents start',
            'run agents that have commands or servers in a container, or as a user of their own',
          ),
    ),
  ];
  if (isOwnClone(cwd)) checks.push(check('chromium', browserVerdict));
  // Where the store cannot be read, the check of it has said so.
  return [...(await Promise.all(checks)), ...(await limitFindings(cwd, perDay).catch(() => []))];
}

async function limitFindings(cwd: string, perDay: LimitsPerDay): Promise<Finding[]> {
  if (!hasLocalStore(cwd)) return [];
  const local = await openLocalStore(cwd);
  try {
    return await checkLimits(perDay, local.runs, Date.now());
  } finally {
    await local.close();
  }
}

/** Node.js would read package.json, which may be a pipe in a folder that was cloned. */
function isInstalled(name: string, folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', name))) return true;
  return folder !== dirname(folder) && isInstalled(name, dirname(folder));
}

function nodeVerdict(version: string) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isNew ? ok(version) : wrong(version, `install Node.js ${OLDEST_NODE.join('.')} or newer`);
}

/** The one that agents would use, never one that a cloned project has put into PATH. */
async function gitVerdict(cwd: string) {
  const git = findProgram('git', process.env['PATH'] ?? '', cwd);
  const found = git && (await run(git, ['--version'], { timeout: 10_000 }).catch(() => undefined));
  if (!found) return warning('not found', 'agents cannot read the history of a repository: install git');
  return ok(found.stdout.trim().split('\n')[0] ?? '');
}

async function storeVerdict(cwd: string) {
  if (!hasLocalStore(cwd)) {
    const fault = await access(cwd, constants.W_OK).then(() => undefined, fileFault);
    if (fault === undefined) return ok('no runs in this folder yet');
    return wrong(`cannot be made here: ${fault}`, 'run cadre in a folder in which it may write');
  }
  const local = await openLocalStore(cwd);
  try {
    let open = 0;
    const left: string[] = [];
    for await (const [top] of await local.runs.openTrees()) {
      if (top === undefined) continue;
      open += 1;
      if (!(await local.isCarriedOut(top.root))) left.push(top.root);
    }
    const [first] = left;
    if (first === undefined) return ok(`${counted(open, 'tree')} under way`);
    return warning(`no process carries ${counted(left.length, 'tree')} under way`, `cadre resume ${first}`);
  } finally {
    await local.close();
  }
}

function isOwnClone(cwd: string): boolean {
  const file = join(cwd, 'package.json');
  // Which is also false of a link that leads to itself.
  const isFile = existsSync(file) && statSync(file).isFile();
  if (!isFile || !existsSync(join(cwd, 'test/doors/console'))) return false;
  const Named = v.pipe(v.string(), v.parseJson(), v.object({ name: v.literal('cadre') }));
  return v.is(Named, readFileSync(file, 'utf8'));
}

function browserVerdict() {
  const folders = (process.env['PATH'] ?? '').split(':');
  const found = folders.flatMap((folder) => BROWSERS.map((name) => join(folder, name))).find(existsSync);
  if (found !== undefined) return ok(found);
  return warning('not found', 'the tests of the page are left out: install chromium');
}
