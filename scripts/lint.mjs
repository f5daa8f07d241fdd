// Runs oxlint (.oxlintrc.json), knip (knip.json: unused files, exports, dependencies), redocly (the OpenAPI document),
// actionlint (the workflows) and a linter of Dockerfiles, which are in tools/, looks for what src/ says twice, holds the template to CDK's rules and cdk-nag's,
// and checks the lockfile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { installed, installTools } from './tools.mjs';

const root = join(import.meta.dirname, '..');

installTools();
// oxlint looks for its type-aware half in the project's own node_modules only.
process.env.OXLINT_TSGOLINT_PATH = join(installed, 'oxlint-tsgolint/bin/tsgolint.js');
await run(join(installed, 'oxlint/bin/oxlint'), '--deny-warnings', ...process.argv.slice(2));
// It asks its registry for newer versions and reports that it ran, unless it is told not to.
Object.assign(process.env, { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' });
process.env.CDK_DISABLE_CLI_TELEMETRY = 'true';
const knip = [join(installed, 'knip/bin/knip.js'), '--no-progress'];
// Templates are made of the functions' bundles.
await run(join(import.meta.dirname, 'build.mjs'));
// Each of these is busy with one processor, or waits.
await Promise.all([
  run(...knip),
  // What only tests use is unused.
  run(...knip, '--production'),
  run(join(import.meta.dirname, 'repetitions.mjs')),
  run(
    join(installed, '@redocly/cli/bin/cli.js'),
    'lint',
    'schemas/openapi.json',
    '--extends=recommended-strict',
    '--format=stylish',
  ),
  run(join(installed, 'dockerfile-utils/bin/dockerfile-utils'), 'lint', 'templates/base/Dockerfile'),
  run('--import', 'tsx', join(import.meta.dirname, 'workflows.mjs')),
  run('--import', 'tsx', join(import.meta.dirname, 'nag.mjs')),
  // Tests synthesise without the rules, which take longer than all else of it.
  run(join(root, 'node_modules/aws-cdk/bin/cdk'), 'synth', '--quiet', '--no-notices', '-c', 'env=prod'),
]);

for (const name of missingFromLockfile()) {
  console.error(
    `package-lock.json lacks ${name}: \`npm ci\` would break where it is needed; pin a version that has it`,
  );
  process.exitCode = 1;
}

/** Optional packages, such as binaries for other platforms, that npm left out because a registry lacked them. */
function missingFromLockfile() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const packages = Object.entries(JSON.parse(lock).packages);
  const present = new Set(packages.map(([path]) => path.replace(/^.*node_modules\//, '')));
  const optional = packages.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies));
  return optional.filter((name) => !present.has(name));
}

/** Runs a program and shows its output. All faults are reported, not only those of the first program that finds any. */
async function run(...args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = Promise.all([buffer(child.stdout), buffer(child.stderr)]);
  const [status] = await once(child, 'close');
  const [out, err] = await output;
  process.stdout.write(out);
  process.stderr.write(err);
  if (status !== 0) process.exitCode = 1;
}
