// Packs the package, installs it into an empty folder as a user would, and tries what it promises there. This takes
// minutes: CI does it, `npm test` does not. Everything stays in a temporary folder, which is removed unless something
// fails.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './bundle-options.mjs';
import { installed, installTools } from './tools.mjs';

const MAX_MEGABYTES = 40;
const MAX_COMMAND_MS = 250;
const MAX_FIRST_ANSWER_MS = 60_000;
const MAX_SYNTH_MS = 8_000;
const MAX_PACK_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'cadre-package-'));
const own = join(folder, 'own');
const shop = join(own, 'shop');
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { exports, peerDependencies } = readJson('package.json');
const hasConstruct = './cdk' in exports;
/** The user's own configuration, keys and accounts are absent. */
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
  npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? folder, '.npm'),
  npm_config_userconfig: process.env.npm_config_userconfig ?? join(process.env.HOME ?? folder, '.npmrc'),
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  AWS_EC2_METADATA_DISABLED: 'true',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
};

/** Runs a command to its end. @returns what it printed on stdout */
function run(cwd, command, args, more = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...env, ...more.env },
    encoding: 'utf8',
    input: more.input ?? '',
  });
  assert.equal(status, more.status ?? 0, `${command} ${args.join(' ')} in ${cwd}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** @returns the duration of a step, in milliseconds */
function timed(step) {
  const began = performance.now();
  step();
  return performance.now() - began;
}

/** The time is only reported: a busy machine is slow. */
function report(what, value, atMost, unit) {
  console.log(`${what}: ${Math.round(value)} ${unit} (at most ${atMost}${value > atMost ? ', MISSED' : ''})`);
  if (unit !== 'ms') assert.ok(value <= atMost, `${what}: more than ${atMost} ${unit}`);
}

const cadre = (cwd, ...args) =>
  run(cwd, process.execPath, [join(own, 'node_modules/cadre/bin/cadre.js'), ...args]);

installTools();
let packed = '';
const toPack = timed(() => {
  packed = run(root, 'npm', ['pack', '--silent', '--pack-destination', folder]).trim().split('\n').at(-1);
});
report('npm pack', toPack, MAX_PACK_MS, 'ms');
const tarball = join(folder, packed);
run(folder, 'npm', ['publish', '--dry-run', tarball]);
console.log('npm publish would publish it');

const paths = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
const strays = paths.filter((path) =>
  /^package\/(src|test|functions|bench|chaos|simulate|scripts|tools)\//.test(path),
);
assert.deepEqual(strays, [], 'the package holds sources or tests');

const tool = (name) => join(installed, name);
run(root, process.execPath, [tool('publint/src/cli.js'), tarball, '--strict']);
// The package is ES modules only, which Node.js 20.19 and later can `require` too.
run(root, process.execPath, [tool('@arethetypeswrong/cli/dist/index.js'), tarball, '--profile', 'esm-only']);
console.log('publint and arethetypeswrong find nothing');

mkdirSync(own);
writeFileSync(join(own, 'package.json'), '{ "private": true, "type": "module" }\n');
const toInstall = timed(() => run(own, 'npm', ['install', tarball]));
const lock = JSON.parse(readFileSync(join(own, 'node_modules/.package-lock.json'), 'utf8'));
const scripted = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript);
assert.deepEqual(scripted, [], 'a package that is installed would run a script');
const kilobytes = Number(
  execFileSync('du', ['-sk', join(own, 'node_modules')], { encoding: 'utf8' }).split('\t')[0],
);
report('installed', kilobytes / 1024, MAX_MEGABYTES, 'MB');
const times = Array.from({ length: 5 }, () => timed(() => cadre(own, 'version')));
report('first command', Math.min(...times), MAX_COMMAND_MS, 'ms');
const isCompiled = existsSync(join(own, 'node_modules/cadre/dist/cli/compiled'));
assert.equal(isCompiled, module.enableCompileCache !== undefined, 'Node.js keeps compiled code where it can');

// A module as a tool, where esbuild is not installed.
mkdirSync(join(own, 'agents'));
const parameters = '{ type = "object", properties = {}, required = [] }';
writeFileSync(
  join(own, 'agents/bare.toml'),
  `name = "bare"\nmodel = "scripted/bare.json"\n\n[[functions]]\nname = "x"\ndescription = "x"\nfile = "x.js"\nparameters = ${parameters}\n`,
);
writeFileSync(join(own, 'x.js'), 'export const handler = () => 1;\n');
const turns = [{ calls: [{ name: 'x' }] }, { text: '{{results}}' }];
writeFileSync(join(own, 'bare.json'), JSON.stringify({ conversations: [{ turns }] }));
assert.match(cadre(own, 'run', 'bare', '--trust'), /npm install --save-dev esbuild/);

// A project of one's own, from nothing to a first answer.
const toAnswer = timed(() => {
  cadre(own, 'init', 'shop');
  // A release of Vite may have an optional dependency that the registry lacks: `npm install` leaves it out of the lockfile,
  // and `npm ci` then refuses that. The locked version is known to be whole.
  const { version } = readJson('package-lock.json').packages['node_modules/vite'];
  run(shop, 'npm', ['pkg', 'set', `overrides.vite=${version}`]);
  run(shop, 'npm', ['install']);
  assert.match(run(shop, 'npx', ['cadre', 'run', 'hello']), /\w/);
});
report('from nothing to a first answer', toInstall + toAnswer, MAX_FIRST_ANSWER_MS, 'ms');
assert.equal(cadre(shop, 'init'), '', 'init writes over what is there');
// Beside other work, a test that starts processes takes longer than the five seconds of vitest.
const TEST = ['test', '--', '--testTimeout=60000'];
run(shop, 'npm', TEST);
run(shop, 'npm', ['run', 'check']);
// Whole examples are templates, but for one that is an evaluation alone.
const examples = readdirSync(join(root, 'examples')).filter((name) => name !== 'shop');
for (const template of ['review', 'coder', ...examples]) {
  const project = join(own, template);
  cadre(own, 'init', template, '--template', template);
  // One needs a package more than others.
  if (template === 'chat') run(project, 'npm', ['install']);
  else symlinkSync(join(shop, 'node_modules'), join(project, 'node_modules'));
  // Its model needs a key: `check` compiles it.
  assert.match(readFileSync(join(project, 'ask.ts'), 'utf8'), /runAgent\('[a-z]+',/);
  run(project, 'npm', TEST);
  run(project, 'npm', ['run', 'check']);
}
console.log('every template passes its tests');

// The steps of the Dockerfile before it copies the rest, as described in docs/package.md.
cpSync(tarball, join(shop, packed));
run(shop, 'npm', ['install', `./${packed}`]);
const image = join(folder, 'image');
mkdirSync(image);
for (const file of ['package.json', 'package-lock.json', packed]) cpSync(join(shop, file), join(image, file));
const empty = { env: { npm_config_cache: join(folder, 'empty-cache') } };
run(image, 'npm', ['ci', '--omit=dev', '--ignore-scripts'], empty);
run(image, process.execPath, ['node_modules/cadre/bin/cadre.js', 'version']);
console.log('npm ci installs what the Dockerfile copies, with an empty cache');

// The same from code, with types.
writeFileSync(
  join(shop, 'asked.ts'),
  `import { openCadre, runAgent, RunError, type RunEvent } from 'cadre';
const events: RunEvent['type'][] = [];
const { content, run } = await runAgent('hello', { prompt: 'What is this?', onEvent: ({ type }) => events.push(type) });
if (content === '' || run.status !== 'succeeded' || events.at(-1) !== 'run_closed') throw new Error(content);
const cadre = await openCadre({ folder: '.' });
const thrown: unknown = await cadre.run('hello', { model: 'openai/gpt-5.1' }).catch((error: unknown) => error);
if (!(thrown instanceof RunError)) throw new Error('no RunError');
await cadre.close();
console.log(run.id);
`,
);
run(shop, 'npx', ['tsx', 'asked.ts']);
assert.match(run(shop, 'npx', ['tsx', 'ask.ts']), /\w+/);
const typed = ['asked.ts', 'ask.ts', 'test/hello.test.ts', ...(hasConstruct ? ['infra/app.ts'] : [])];
const strictly = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--ignoreConfig'];
const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
run(shop, join(root, 'node_modules/.bin/tsc'), [...strictly, ...types, ...typed]);
// The same in CommonJS: by `exports`, and by `typesVersions` for compilers that know nothing of these.
writeFileSync(
  join(shop, 'required.cts'),
  `import { runAgent, type RunResult } from 'cadre';
import { CadreEnvironment } from 'cadre/cdk';
import { openTestCadre } from 'cadre/testing';
export const answer = async (): Promise<RunResult['content']> => (await runAgent('hello')).content;
// @ts-expect-error -- types are resolved, and not any
export const wrong: number = [CadreEnvironment, openTestCadre];
`,
);
run(shop, join(root, 'node_modules/.bin/tsc'), [...strictly, ...types, 'required.cts']);
const older = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--target',
  'es2022',
  '--module',
  'commonjs',
  '--moduleResolution',
  'node10',
];
run(shop, process.execPath, [tool('typescript/lib/tsc.js'), ...older, ...types, 'required.cts']);
const [, forNode] = /^```js\n([\s\S]*?)\n```$/m.exec(readFileSync(join(root, 'docs/package.md'), 'utf8'));
writeFileSync(join(shop, 'agents.test.mjs'), forNode);
run(shop, process.execPath, ['--test', 'agents.test.mjs']);
console.log('code that uses the package runs and compiles');

if (hasConstruct) {
  const synth = (project) =>
    run(project, 'npx', ['cdk', 'synth', '--quiet', '--no-notices', '-c', 'env=dev']);
  report(
    'synth',
    timed(() => synth(shop)),
    MAX_SYNTH_MS,
    'ms',
  );
  // The one example whose stack has parts of its own.
  synth(join(own, 'pipeline'));
  const oldest = peerDependencies['aws-cdk-lib'].replace('^', '');
  run(shop, 'npm', ['install', `aws-cdk-lib@${oldest}`]);
  synth(shop);
  console.log('the oldest CDK that the package takes synthesises its stack');
}
rmSync(folder, { recursive: true, force: true });
