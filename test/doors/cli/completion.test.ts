import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SHELLS, type Shell } from '../../../src/doors/cli/commands/completion-script.ts';
import { TEMPLATE_NAMES } from '../../../src/doors/cli/commands/project-templates.ts';
import { testUnlessLacking } from '../../fixtures/lacking.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const PROJECT = {
  'agents/digest.toml': 'name = "digest"\nmodel = "offline/extractive"\n',
  'agents/review.toml': 'name = "review"\nmodel = "offline/extractive"\n',
};

async function complete(...words: string[]): Promise<string[]> {
  const { out, err, code } = await typed(['complete', '--', ...words], await tempFolder(PROJECT));
  expect({ err, code }).toEqual({ err: '', code: 0 });
  return out.split('\n').slice(0, -1);
}

test('words are completed by the command that they belong to', async () => {
  expect(await complete('ru')).toEqual(['run', 'runs']);
  expect(await complete('agents', '')).toEqual(['list', 'show', 'diff', 'init', 'edit', 'check', 'help']);
  expect(await complete('run', '')).toEqual(['digest', 'review']);
  expect(await complete('run', '--json', '-p', 'digest', 'r')).toEqual(['review']);
  expect(await complete('agents', 'check', 'digest', 'rev')).toEqual(['review']);
  expect(await complete('show', '')).toEqual(['last']);
  expect(await complete('run', 'digest', '--max')).toEqual(['--max-tokens', '--max-usd']);
  expect(await complete('init', '--template', '')).toEqual(TEMPLATE_NAMES);
  expect(await complete('completion', 'z')).toEqual(['zsh']);
  expect(await complete('run', '--workdir', '')).toEqual([]);
  expect(await complete('nothing', 'x')).not.toContain('complete');
});

const BIN = join(import.meta.dirname, '../../../bin/cadre.js');
const COMMAND = `"${process.execPath}" "${BIN}"`;

/** Lines that a shell prints which completes `cadre run di`. */
const COMPLETING = {
  bash: [
    '--norc',
    '-c',
    `cadre() { ${COMMAND} "$@"; }
    eval "$(cadre completion bash)"
    COMP_WORDS=(cadre run di) COMP_CWORD=2
    _cadre
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Its own completion needs a terminal: what would be offered is printed.
  zsh: [
    '-f',
    '-c',
    `cadre() { ${COMMAND} "$@"; }
    compdef() { }
    compadd() { shift; print -l -- "$@"; }
    eval "$(cadre completion zsh)"
    words=(cadre run di) CURRENT=3
    _cadre`,
  ],
  fish: [
    '--no-config',
    '-c',
    `function cadre; ${COMMAND} $argv; end
    cadre completion fish | source
    complete -C 'cadre run di'`,
  ],
} satisfies Record<Shell, string[]>;

for (const shell of SHELLS) {
  const isThere = spawnSync(shell, ['--version']).error === undefined;
  const lacking = isThere ? undefined : `apt-get install ${shell}`;
  testUnlessLacking(lacking, `${shell} completes by what the command says`, async () => {
    const cwd = await tempFolder(PROJECT);
    const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: cwd };
    expect(execFileSync(shell, COMPLETING[shell], { cwd, env, encoding: 'utf8' })).toBe('digest\n');
  });
}

test('a shell that is not known is refused', async () => {
  const { code, err } = await typed(['completion', 'tcsh'], await tempFolder());
  expect(code).toBe(2);
  expect(err).toContain('Allowed choices are bash, zsh, fish.');
});
