#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/cli/main.js', import.meta.url);

if (existsSync(main)) {
  await import(main.href);
} else {
  const project = fileURLToPath(new URL('..', import.meta.url));
  console.error(`cadre: not built yet: run \`npm run build\` in ${project}`);
  process.exitCode = 2;
}
