import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENTS = ['README.md', 'docs/package.md', 'templates/base/README.md'];

test('every example of code that uses the package compiles', async () => {
  const texts = await Promise.all(DOCUMENTS.map((path) => readFile(join(ROOT, path), 'utf8')));
  const examples = texts.flatMap((text, index) =>
    [...text.matchAll(/^```ts\n([\s\S]*?)\n```$/gm)].map(([, code = ''], number) => [
      `${DOCUMENTS[index]?.replaceAll('/', '_')}-${number + 1}.ts`,
      code,
    ]),
  );
  expect(examples.length).toBeGreaterThanOrEqual(5);
  const src = join(ROOT, 'src/doors/library');
  const folder = await tempFolder({
    ...Object.fromEntries(examples),
    node_modules: { linkTo: join(ROOT, 'node_modules') },
    'tsconfig.json': JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        noUnusedLocals: false,
        paths: { cadre: [join(src, 'index.ts')], 'cadre/testing': [join(src, 'testing/index.ts')] },
      },
      include: ['*.ts'],
    }),
  });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
});
