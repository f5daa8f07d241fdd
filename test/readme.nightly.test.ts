import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import cdk from '../cdk.json' with { type: 'json' };
import project from '../package.json' with { type: 'json' };
import { tempFolder } from './fixtures/temp-folder.ts';

const ROOT = join(import.meta.dirname, '..');
const README = await readFile(join(ROOT, 'README.md'), 'utf8');

/** The commands in the README's shell blocks, one by one. */
const COMMANDS = [
  ...new Set(
    [...README.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].flatMap(([, block = '']) => block.split(/\n| && /)),
  ),
];
const startingWith = (words: string) => COMMANDS.filter((command) => command.startsWith(words));

/**
 * Runs a command with the project's own programs, as npx finds them, in a folder that has what the project has: with
 * no account, no keys and no network.
 */
async function type(command: string): Promise<{ code: unknown; out: string; err: string }> {
  const linked = ['README.md', 'agents', 'cdk.json', 'dist', 'infra', 'node_modules', 'package.json'];
  const cwd = await tempFolder({
    ...Object.fromEntries(linked.map((name) => [name, { linkTo: join(ROOT, name) }])),
    'programs/cadre': { linkTo: join(ROOT, project.bin.cadre) },
  });
  const env = {
    PATH: [join(cwd, 'programs'), join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(':'),
    HOME: cwd,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_NOTICES: 'false',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    // The global setup has built the bundles.
    CDK_BUILD: 'true',
    // `npm run lint` holds the template to CDK's rules.
    CDK_VALIDATION: 'false',
  };
  return new Promise((resolve) => {
    execFile('sh', ['-c', command.replace(/^npx /, '')], { cwd, env }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
  });
}

test('the README shows no command that is not tried here', () => {
  expect(COMMANDS).toEqual(['npm ci', ...startingWith('npx cadre run '), ...startingWith('npx cdk ')]);
});

test.each(startingWith('npx cadre run '))('%s answers in whole sentences of its input', async (command) => {
  const { code, out } = await type(command);
  expect(code).toBe(0);
  // Links are shown by their words.
  const words = README.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const text = words.replaceAll(/[*`]|\s+/g, ' ').replaceAll(/ +/g, ' ');
  const points = out.split('\n\n');
  expect(points.length).toBeGreaterThanOrEqual(3);
  for (const point of points) {
    expect(point).toMatch(/^[A-Z`].*[.!?]$/);
    expect(text).toContain(point.replaceAll(/[*`]/g, ' ').replaceAll(/ +/g, ' '));
  }
});

test('every command of cdk names an environment that there is', () => {
  const environments = Object.keys(cdk.context.environments);
  for (const command of startingWith('npx cdk ')) {
    expect(environments).toContain(/ -c env=(\S+)/.exec(command)?.[1]);
  }
});

// Each takes seconds, and all of them begin by running the app.
test.each(startingWith('npx cdk ').slice(0, 1))(
  '%s gets as far as the account',
  async (command) => {
    const err = expect.stringMatching(/Unable to resolve AWS account to use\..*\n$/);
    expect(await type(command)).toMatchObject({ code: 1, err });
  },
  120_000, // of a machine that does other work, too
);
