import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../scripts/openapi-document.ts';
import { CONCEPT_PICTURES } from '../../scripts/pictures/concepts.ts';
import { commandsPage } from '../../scripts/reference/commands.ts';
import { httpPage } from '../../scripts/reference/http.ts';
import { toolsPage } from '../../scripts/reference/tools.ts';
import { ROOT } from './documents.ts';

const GENERATED: [path: string, write: () => Promise<string> | string][] = [
  ['docs/reference/commands.md', commandsPage],
  ['docs/reference/http.md', httpPage],
  ['docs/reference/tools.md', toolsPage],
  ['schemas/openapi.json', openApiDocument],
  ...Object.entries(CONCEPT_PICTURES).map(([name, draw]): [string, () => string] => [
    `docs/pictures/${name}`,
    draw,
  ]),
];

test.each(GENERATED)('%s is what npm run generate writes', async (path, write) => {
  expect(readFileSync(join(ROOT, path), 'utf8'), 'run: npm run generate').toBe(await write());
});
