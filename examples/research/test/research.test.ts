import { join } from 'node:path';
import { call, openTestCadre, type Script } from 'cadre/testing';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
const PAGE = 'https://nodejs.org/en/about/previous-releases';
const STATEMENT = 'Node.js 22 is supported until April 2027';

/** @param sources what the answer ends with */
function models(sources: string): Record<string, Script> {
  const ask = (task: string) => call('call_agent', { agent: 'source', task });
  return {
    research: [[ask('The end of Node.js 22'), ask('What ends then')], `${STATEMENT} [1].\n\n${sources}`],
    source: [`${STATEMENT}. ${PAGE} "April 2027"`],
  };
}

test('research divides a question, and each part is found out alone', async () => {
  const cadre = await openTestCadre({ folder, models: models(`Sources:\n[1] ${PAGE}`) });
  const { content } = await cadre.run('research', { prompt: 'When does the support of Node.js 22 end?' });
  expect(content).toBe(`${STATEMENT} [1].\n\nSources:\n[1] ${PAGE}`);
  const tasks = cadre.asked('source').map(({ prompt }) => prompt.trim());
  expect(tasks.toSorted()).toEqual(['Task: The end of Node.js 22', 'Task: What ends then']);
  await cadre.close();
});

test.each([
  ['a source that was found', `Sources:\n[1] ${PAGE}`, []],
  ['no list of sources', '', ['[1] is no source']],
  ['an address that nobody found', 'Sources:\n[1] https://a.example', ['nobody found https://a.example']],
])('the evaluation tells %s', async (_what, sources, reasons) => {
  const cadre = await openTestCadre({ folder, models: models(sources) });
  const { cases } = await cadre.evaluate('evals/research.toml');
  const grades = cases.flatMap(({ tries }) => tries.flatMap((each) => each.grades));
  expect(grades.filter(({ passed }) => !passed).map(({ reason }) => reason)).toEqual(reasons);
  await cadre.close();
});
