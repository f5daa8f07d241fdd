import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocksIn } from '../../../scripts/documents/markdown.ts';
import { DOCUMENTS } from '../../documents/documents.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What Cadre's own sources are compiled with, which stand in for the package. */
const SOURCES = {
  module: 'esnext',
  moduleResolution: 'bundler',
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  lib: ['es2023', 'es2024.string'],
};

/** What stands around the examples that are parts of something: other examples, and packages that are not here. */
const AROUND = `
declare const agent: import('@ag-ui/client').HttpAgent;
declare const cadre: import('cadre/cdk').CadreEnvironment;
declare const secret: import('aws-cdk-lib/aws-secretsmanager').Secret;
declare const stack: import('aws-cdk-lib').Stack;
declare const stations: import('aws-cdk-lib/aws-dynamodb').Table;
declare const table: import('aws-cdk-lib/aws-dynamodb').Table;
declare module '@copilotkit/runtime/v2' {
  export const CopilotRuntime: any, createCopilotRuntimeHandler: any, InMemoryAgentRunner: any;
}
`;

test('every example of code in TypeScript compiles', async () => {
  const template = 'templates/base/README.md';
  const texts = [...DOCUMENTS, [template, readFileSync(join(ROOT, template), 'utf8')] as const];
  const examples = texts.flatMap(([path, text]) =>
    codeBlocksIn(text).flatMap(({ language, code, line }) =>
      language === 'ts' ? [[`${path.replaceAll('/', '_')}-${line}.ts`, `${code}\nexport {};\n`]] : [],
    ),
  );
  expect(examples.length).toBeGreaterThanOrEqual(15);
  const src = join(ROOT, 'src/doors/library');
  const folder = await tempFolder({
    ...Object.fromEntries(examples),
    'around.d.ts': AROUND,
    'forecast.ts':
      'export declare function forecast(city: string, days: number): Promise<object | undefined>;',
    node_modules: { linkTo: join(ROOT, 'node_modules') },
    'tsconfig.json': JSON.stringify({
      // As a project of one's own has it.
      extends: join(ROOT, 'templates/base/tsconfig.json'),
      compilerOptions: {
        ...SOURCES,
        paths: {
          cadre: [join(src, 'index.ts')],
          'cadre/testing': [join(src, 'testing/index.ts')],
          'cadre/cdk': [join(ROOT, 'infra/index.ts')],
        },
      },
      include: ['*.ts', 'around.d.ts'],
    }),
  });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
});
