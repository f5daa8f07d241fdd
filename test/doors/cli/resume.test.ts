import { expect, test } from 'vitest';
import { resume, type ResumeCommandOptions } from '../../../src/doors/cli/commands/resume.ts';
import { runAgent } from '../../../src/doors/cli/commands/run.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const scripted = (...turns: object[]) => JSON.stringify({ conversations: [{ turns }] });

/** A project whose agent has a model that fails, and another that would not. */
const project = (category: string) =>
  tempFolder({
    'agents/a.toml': 'name = "a"\nmodel = "scripted/refuses.json"\n',
    'refuses.json': scripted({ error: { category, message: 'no such model' } }),
    'answers.json': scripted({ text: 'done' }),
  });

test('a run whose model refuses it is recommended another model, and goes on with that', async () => {
  const cwd = await project('bad_request');
  const failed = recordedIo(cwd);
  expect(await runAgent('a', {}, failed)).toBe(1);
  const [, id = ''] = /cadre resume (\S+)/.exec(failed.err) ?? [];
  expect(failed.err).toContain(
    `; continue it with another model: cadre resume ${id} --model <provider/model>\n`,
  );
  expect((await typed(['show', id], cwd)).out).toContain(
    `continue it with another model: cadre resume ${id} --model <provider/model>\n`,
  );
  const resumed = async (options: ResumeCommandOptions) => {
    const io = recordedIo(cwd);
    return { code: await resume(id, options, io), out: io.out };
  };
  expect(await resumed({})).toEqual({ code: 1, out: '' });
  await expect(resumed({ model: 'anthropc/x' })).rejects.toThrow(
    /^unsupported provider "anthropc": .*; did you mean "anthropic"\?$/,
  );
  expect(await resumed({ model: 'scripted/answers.json' })).toEqual({ code: 0, out: 'done' });
  const { out } = await typed(['show', id, '--json'], cwd);
  expect(JSON.parse(out)).toMatchObject({ model: 'scripted/answers.json', status: 'succeeded' });
});

test('a run whose model fails for a while is recommended as it is', async () => {
  const io = recordedIo(await project('overloaded'));
  await runAgent('a', {}, io);
  expect(io.err).toMatch(/; continue it with: cadre resume a-\w+\n$/);
});

test('a run that has met its budget is recommended more of it, and goes on with that', async () => {
  const cwd = await tempFolder({
    'agents/a.toml':
      'name = "a"\nmodel = "scripted/a.json"\n[params]\nmax_tokens = 100\n[budget]\nmax_tokens = 50\n',
    'a.json': scripted({ text: 'done' }, { text: 'done' }),
  });
  const io = recordedIo(cwd);
  expect(await runAgent('a', {}, io)).toBe(4);
  const [, id = ''] = /cadre send (\S+)/.exec(io.err) ?? [];
  const next = `continue it with more tokens: cadre send ${id} "…" --max-tokens <count>\n`;
  expect(io.err).toContain(`; ${next}`);
  expect((await typed(['show', id], cwd)).out).toContain(next);
  expect(await typed(['send', id, 'go on', '--max-tokens', '90000'], cwd)).toMatchObject({
    code: 0,
    out: 'done',
  });
});
