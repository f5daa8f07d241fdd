import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withoutClosingLine } from '../../fixtures/closing-line.ts';
import { startCommand } from '../../fixtures/command.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

// What only the command as it is built can show, in a process of its own.

test('the process ends with the code of a command line that cannot be used, and with 0 after help', async () => {
  const cwd = await tempFolder();
  const command = await startCommand(['run'], cwd).ended();
  expect(command).toEqual(await typed(['run'], cwd));
  expect(command.code).toBe(2);
  expect(await startCommand(['help'], cwd).ended()).toEqual(await typed(['help'], cwd));
});

test('front matter and the places of complaints are read as built, too', async () => {
  const folder = await tempFolder({
    'agents/x.toml': 'name = "x"\nmodel = "offline/extractive"\nmodle = 1\n',
    'skills/s/SKILL.md': '---\ndescription: >\n  two\n  lines\n---\n',
  });
  const list = (what: string) => startCommand([what, 'list'], folder).ended();
  expect(await list('skills')).toEqual({ code: 0, out: 's - two lines\n', err: '' });
  expect(await list('agents')).toEqual({
    code: 0,
    out: '',
    err: 'Error: agents/x.toml:3:1: unknown key "modle", did you mean "model"?\n',
  });
});

test('a folder that was removed is told in one line', async () => {
  const root = await tempFolder({ gone: emptyFolder });
  const gone = join(root, 'gone');
  // a shell stays in a folder that it removes, which no process can be started in
  const script = 'rmdir "$PWD" && exec "$0" "$@"';
  const bin = join(import.meta.dirname, '../../../bin/cadre.js');
  const fails = () =>
    execFileSync('sh', ['-c', script, process.execPath, bin, 'run', 'top'], {
      cwd: gone,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(fails).toThrow(
    expect.objectContaining({
      status: 2,
      stderr: 'Error: the current folder no longer exists; change to another\n',
    }),
  );
});

test('a schema in a file of its own is refused with both places', async () => {
  const cwd = await tempFolder({
    'agents/x.toml': 'name = "x"\nmodel = "openai/gpt-5.1"\n\n[output]\nschema = "schemas/x.json"\n',
    'schemas/x.json': '{"type": "object",\n  "required": [1]}',
  });
  expect(await startCommand(['agents', 'check'], cwd).ended()).toMatchObject({
    code: 2,
    err: 'Error: agents/x.toml:5:10: schemas/x.json:2:15: required must be a list of names, got [1]\n',
  });
});

test('a store that cannot be used is told in one line, with code 1', async () => {
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "offline/extractive"\n',
    '.cadre': 'a file',
  });
  const { code, out, err } = await startCommand(['run', 'top', '-p', 'go'], cwd).ended();
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toBe(`Error: ${cwd}/.cadre is a regular file, not a folder; move it away\n`);
});

describe('an answer on stdout', () => {
  const files = {
    'agents/top.toml': 'name = "top"\nmodel = "scripted/script.json"\n',
    'script.json': JSON.stringify({ conversations: [{ turns: [{ text: 'x'.repeat(900_000) }] }] }),
  };

  test('that is not read to its end, nor what is told on stderr, is no fault', async () => {
    const command = startCommand(['run', 'top', '-p', 'go', '-v'], await tempFolder(files));
    command.process.stdout?.destroy();
    await command.says('[turn 1]');
    command.process.stderr?.destroy();
    expect(await command.ended()).toMatchObject({ code: 0, out: '' });
  });

  test('that cannot be written is a fault, told in one line', async () => {
    const cwd = await tempFolder(files);
    const readOnly = await open(`${cwd}/script.json`, 'r');
    const { code, err } = await startCommand(['run', 'top', '-p', 'go'], cwd, {}, readOnly.fd).ended();
    await readOnly.close();
    expect(code).toBe(1);
    expect(withoutClosingLine(err)).toMatch(/^Error: cannot write to stdout: EBADF[^\n]+\n$/);
  });
});
