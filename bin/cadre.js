#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/cli/main.js', import.meta.url);

if (existsSync(main)) {
  // Node.js 22 and newer keep compiled code: within the program itself, since whoever may write it decides what runs.
  module.enableCompileCache?.(fileURLToPath(new URL('../dist/cli/compiled', import.meta.url)));
  await import(main.href);
} else {
  const project = fileURLToPath(new URL('..', import.meta.url));
  console.error(`cadre: not built yet: run \`npm run build\` in ${project}`);
  process.exitCode = 2;
}
