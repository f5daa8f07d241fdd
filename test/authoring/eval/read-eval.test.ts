import { expect, test } from 'vitest';
import { readEvaluation } from '../../../src/authoring/eval/read-eval.ts';
import { ConfigError } from '../../../src/errors.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const CASE = '[[cases]]\nname = "one"\nprompt = "go"\n';

async function read(text: string, more: Parameters<typeof tempFolder>[0] = {}) {
  const cwd = await tempFolder({ 'evals/e.toml': text, ...more });
  return readEvaluation('evals/e.toml', cwd);
}

test('an evaluation has its cases, those of its lines after its own', async () => {
  const { cases, ...rest } = await read(`agent = "top"\ncases_from = "more.jsonl"\n${CASE}`, {
    'evals/more.jsonl':
      '{"name": "two", "prompt": "x", "expect": [{"calls": "run_*", "at_most": 2}], "x": {"y": 1}}\n\n',
  });
  expect(rest).toEqual({
    file: 'evals/e.toml',
    agent: 'top',
    repeat: 1,
    concurrency: 4,
    thresholds: { pass: 1 },
  });
  expect(cases.map(({ written }) => written)).toEqual([
    { name: 'one', prompt: 'go', expect: [] },
    {
      name: 'two',
      prompt: 'x',
      expect: [{ kind: 'calls', tool: 'run_*', atLeast: 0, atMost: 2 }],
      x: { y: 1 },
    },
  ]);
});

test('cases_from may stand behind the last case, where TOML takes it for a key of that', async () => {
  const { cases } = await read(`agent = "top"\n${CASE}cases_from = "more.jsonl"\n`, {
    'evals/more.jsonl': '{"name": "two", "prompt": "x"}',
  });
  expect(cases.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('files are looked up beside the evaluation, and then in the project', async () => {
  const { cases } = await read(
    `agent = "top"\n${CASE}files = "repo"\nexpect = [{ function = "graders/a.ts" }, { schema = "s.json" }]\n`,
    { 'evals/repo/a': '', 'graders/a.ts': '', 'evals/s.json': '', 's.json': '' },
  );
  const [{ files, named } = { files: undefined, named: new Map() }] = cases;
  expect(files?.real).toMatch(/\/evals\/repo$/);
  expect(
    [...named.values()].map(({ real }: { real: string }) => real.replace(/^\/.*?cadre-test-[^/]*/, '')),
  ).toEqual(['/graders/a.ts', '/evals/s.json']);
});

test.each([
  ['', /^evals\/e\.toml:1:1: evaluation lacks agent$/],
  ['agent = "top"\n', /^evals\/e\.toml:1:1: there are no cases/],
  ['agent = "top"\nrepat = 3\n', /^evals\/e\.toml:2:1: unknown key "repat", did you mean "repeat"\?$/m],
  ['agent = "top"\nrepeat = 0\n', /^evals\/e\.toml:2:10: repeat must be at least 1$/m],
  ['agent = \n', /^evals\/e\.toml:1:\d+: /],
  [`agent = "top"\n${CASE}${CASE}`, /^evals\/e\.toml:6:8: cases\[1\]\.name "one" is the name of two cases$/],
  ['agent = "top"\n[[cases]]\nname = "one"\n', /^evals\/e\.toml:2:3: the case asks nothing/],
  [
    `agent = "top"\n${CASE}expect = [{ at_most = 1 }]`,
    /^evals\/e\.toml:5:11: cases\[0\]\.expect\[0\] expects nothing/,
  ],
  [
    `agent = "top"\n${CASE}expect = [{ contains = "a", at_most = 1 }]`,
    /^evals\/e\.toml:5:\d+: cases\[0\]\.expect\[0\]\.at_most has no meaning beside contains/,
  ],
  [
    `agent = "top"\n${CASE}expect = [{ matches = "(" }]`,
    /^evals\/e\.toml:5:\d+: .*must be a regular expression/,
  ],
  [`agent = "top"\n${CASE}files = "repo"`, /^evals\/e\.toml:5:9: "repo" is not there/],
  [
    `agent = "top"\n${CASE}files = "../../../etc"`,
    /^evals\/e\.toml:5:9: "..\/..\/..\/etc" (is not there|leads out)/,
  ],
  [`agent = "top"\n${CASE}files = "/etc"`, /^evals\/e\.toml:5:9: "\/etc" leads out of the project$/],
  [`agent = "top"\n${CASE}knows = "x"`, /^evals\/e\.toml:5:9: cases\[0\]\.knows is for a person/],
  [`agent = "top"\n${CASE}expect = [{ judge = "good" }]`, /case "one" has a judge: name its model/],
  [
    'cases_from = "l"\nagent = "top"\n',
    /^l:2:1: prompt must be a string$/,
    '{"name":"a","prompt":"b"}\n{"name":"c","prompt":1}',
  ],
  ['cases_from = "l"\nagent = "top"\n', /^l:1:10: it is no JSON$/, '{"name": }'],
  ['cases_from = "l"\nagent = "top"\n', /^l:1:1: a case must be a JSON object$/, '[]'],
])('a broken evaluation is told with its place: %j', async (text, message, lines = '') => {
  await expect(read(text, { 'evals/l': lines })).rejects.toThrow(message);
  await expect(read(text, { 'evals/l': lines })).rejects.toMatchObject({ name: 'ConfigError' });
});

test('a link leads to no files elsewhere', async () => {
  const linked = { 'evals/repo': { linkTo: '/etc' } };
  await expect(read(`agent = "top"\n${CASE}files = "repo"`, linked)).rejects.toThrow(
    /"repo" leads out of the project$/,
  );
});

test.each([
  ['{"name": ', '1:10: it is no JSON'],
  ['\n["one"]', '2:1: a case must be a JSON object'],
  ['{"name": "one", "prompt": 1}', '1:1: prompt must be a string'],
  ['{"name": "one", "prompt": "go", "promt": ""}', '1:1: unknown key "promt", did you mean "prompt"?'],
  ['{"name": "one"}', '1:1: the case asks nothing: give it a prompt, an input or an input_file'],
])('a line that is no case is named with its place: %s', async (line, fault) => {
  const text = 'agent = "top"\ncases_from = "more.jsonl"\n';
  await expect(read(text, { 'evals/more.jsonl': line })).rejects.toThrow(
    new ConfigError(`more.jsonl:${fault}`),
  );
});

test('a file that is no UTF-8 is told as that, and one that is no TOML with its place', async () => {
  const cwd = await tempFolder({ 'evals/e.toml': Buffer.of(0x22, 0xff), 'evals/f.toml': 'agent = \n' });
  await expect(readEvaluation('evals/e.toml', cwd)).rejects.toThrow(/UTF-8/);
  await expect(readEvaluation('evals/f.toml', cwd)).rejects.toThrow(/^evals\/f\.toml:1:9: /);
});
