import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { BUILT_IN_TOOLS } from '../../src/tools/built-in.ts';
import { page, propertiesTable } from './page.ts';

/** What an agent with all tools is offered: a test holds the file to what models are sent. */
const OFFERED = new URL('../../test/fixtures/tool-definitions.json', import.meta.url);

const Definitions = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ name: v.string(), description: v.string(), parameters: v.unknown() })),
);

/** docs/reference/tools.md: the definitions of tools, as models are sent them. */
export async function toolsPage(): Promise<string> {
  const offered = v.parse(Definitions, await readFile(OFFERED, 'utf8'));
  const known = new Set(offered.map(({ name }) => name));
  const others = [...BUILT_IN_TOOLS.values()].flatMap(({ definition }) =>
    known.has(definition.name) ? [] : [definition],
  );
  const all = [...offered, ...others].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return page(
    'Definitions of tools',
    'the tools in src/tools/',
    'What models read of each built-in tool. Names and choices that depend on an agent are those of one that has all of ' +
      'them. [Tools](../tools.md) says what each does and refuses.',
    ...all.flatMap(({ name, description, parameters }) => [
      `## \`${name}\``,
      description.replaceAll('<', '\\<').replaceAll('*', '\\*'),
      propertiesTable(parameters),
    ]),
  );
}
