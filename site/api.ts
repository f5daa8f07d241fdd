// Writes pages about what programs import, from its types and their comments.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Application, Converter, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';

const ROOT = join(import.meta.dirname, '..');

/** What programs import, by what exports it, and the document that describes it. */
export const MODULES = [
  { name: 'cadre', entry: 'src/doors/library', path: 'docs/reference/cadre.md' },
  { name: 'cadre/testing', entry: 'src/doors/library/testing', path: 'docs/reference/cadre-testing.md' },
  { name: 'cadre/cdk', entry: 'infra', path: 'docs/reference/cadre-cdk.md' },
];

/** The text of each of these documents. @throws if there is none, because a type does not fit */
export async function describeModules(): Promise<{ path: string; text: string }[]> {
  const options: Partial<PluginOptions> & TypeDocOptions & Record<string, unknown> = {
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: MODULES.map(({ entry }) => join(ROOT, entry, 'index.ts')),
    tsconfig: join(ROOT, 'tsconfig.package.json'),
    // The gate has checked the types, with the compiler that they are written for.
    skipErrorChecking: true,
    // Its index has the types of every service of AWS, which are most of what there would be to read.
    compilerOptions: { paths: { 'aws-cdk-lib': [join(ROOT, 'node_modules/aws-cdk-lib/core')] } },
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    router: 'module',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    useCodeBlocks: true,
    // It warns of types that exported ones name and that are not exported.
    logLevel: 'Error',
  };
  const app = await Application.bootstrapWithPlugins(options);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) {
      const { path } = MODULES.find(({ entry }) => entry === module.name) ?? {};
      if (path !== undefined) module.name = basename(path, '.md');
    }
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('the types of the package could not be read');
  const folder = mkdtempSync(join(tmpdir(), 'cadre-api-'));
  try {
    await app.outputs.writeOutput({ name: 'markdown', path: folder }, project);
    if (app.logger.hasErrors()) throw new Error('the types of the package could not be described');
    return MODULES.map(({ name, path }) => {
      const text = readFileSync(join(folder, basename(path)), 'utf8');
      return { path, text: text.replace(/^# .*$/m, `# ${name}`) };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
