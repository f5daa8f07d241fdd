import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { tempFolder } from '../fixtures/temp-folder.ts';

test('one broken agent among good ones stops the app in a line, before there is a template', async () => {
  const project = join(import.meta.dirname, '../..');
  const copy = await tempFolder({
    'agents/fine.toml': 'name = "fine"\nmodel = "offline/extractive"\n',
    'agents/x.toml': 'name = "x"\nmodel = "offline/extractive"\nsub_agents = ["gone"]\n',
    ...Object.fromEntries(
      ['dist', 'node_modules', 'package.json', 'src'].map((name) => [name, { linkTo: join(project, name) }]),
    ),
  });
  await cp(join(project, 'infra'), join(copy, 'infra'), { recursive: true });
  const app = promisify(execFile)(process.execPath, ['--import', 'tsx', 'infra/app.ts'], {
    cwd: copy,
    env: {
      ...process.env,
      CDK_CONTEXT_JSON: JSON.stringify({ ...cdk.context, localAgents: [], env: 'dev' }),
      CDK_OUTDIR: join(copy, 'out'),
    },
  });
  await expect(app).rejects.toMatchObject({
    code: 1,
    stderr: 'Error: agents/x.toml:3:15: agent config not found: gone\n',
  });
  expect(await readdir(join(copy, 'out'))).not.toContain('cadre-dev.template.json');
});
