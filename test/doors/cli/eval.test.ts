import type { Try } from '../../../src/core/reports/eval-report.ts';
import { createCaseLines } from '../../../src/doors/cli/eval/eval-text.ts';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { EvalList } from '../../../src/doors/api/answers.ts';
import { EvalReport } from '../../../src/core/reports/eval-report.ts';
import { addCase } from '../../../src/doors/cli/commands/eval-add.ts';
import { evaluateFiles } from '../../../src/doors/cli/commands/eval.ts';
import { runCommandLine } from '../../../src/doors/cli/command-line.ts';
import { png } from '../../fixtures/images.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed, typedServer } from '../../fixtures/typed.ts';

const WRITE = { name: 'write_file', arguments: { path: 'out.txt', content: 'volume 7 grows' } };

/** An agent that plays a conversation for each prompt. */
function project(conversations: object[], evaluation: string, more: Record<string, string> = {}) {
  return tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "scripted/scripts/top.json"\ntools = ["files", "ask_user"]\n',
    'scripts/top.json': JSON.stringify({ conversations }),
    'evals/e.toml': `agent = "top"\n${evaluation}`,
    ...more,
  });
}

async function report(words: string[], cwd: string): Promise<EvalReport> {
  const { out } = await typed(['eval', 'evals/e.toml', '--json', ...words], cwd);
  return v.parse(EvalReport, JSON.parse(out));
}

const CASES = `
[[cases]]
name = "full disk"
prompt = "the disk is full"
files = "repo"
expect = [
  { contains = "volume 7" }, { matches = "volume \\\\d" }, { schema = "s.json" },
  { file = "out.txt", contains = "grows" }, { file = "README.md", matches = "^hello" },
  { calls = "write_file", at_most = 1 }, { calls = "*_file" }, { not_calls = "delete_*" },
  { turns_at_most = 2 }, { usd_at_most = 0 }, { seconds_at_most = 60 },
]

[[cases]]
name = "wrong"
prompt = "no"
expect = [
  { contains = "yes" }, { matches = "^yes" }, { schema = "s.json" }, { file = "out.txt" },
  { calls = "write_file" }, { not_calls = "read_*" }, { turns_at_most = 1 },
]
`;

const CONVERSATIONS = [
  { match: 'full', turns: [{ calls: [WRITE] }, { text: '{"cause": "volume 7"}' }] },
  { turns: [{ calls: [{ name: 'read_file', arguments: { path: 'a' } }] }, { text: 'no' }] },
];

const MORE = {
  'evals/repo/README.md': 'hello',
  'evals/s.json': '{"type": "object", "required": ["cause"]}',
};

test('cases are played in copies of their files, and each grader says what failed and why', async () => {
  const cwd = await project(CONVERSATIONS, CASES, MORE);
  const io = recordedIo(cwd);
  const code = await evaluateFiles(['evals/e.toml'], { junit: 'ci/new/o.xml', html: 'o.html' }, io);
  const { out } = io;
  const [failed = ''] = /FAIL.*\n(?: {6}.*\n)*/.exec(out) ?? [];
  expect(code).toBe(1);
  expect(failed.replaceAll(/top-\w+|[\d.]+s/g, '…')).toBe(
    `FAIL  wrong  …
      contains "yes": the answer does not: no (cadre show …)
      matches /^yes/: the answer does not: no (cadre show …)
      schema s.json: the answer is no JSON: no (cadre show …)
      file out.txt: there is no such file (cadre show …)
      calls write_file: it was not called (cadre show …)
      not_calls read_*: it called read_file with {"path":"a"} (cadre show …)
      turns_at_most 1: it took 2 turns (cadre show …)
`,
  );
  expect(out).toMatch(/^pass {2}full disk {2}[\d.]+s$/m);
  expect(out).toMatch(/^50 % passed \(95 % between 9.5 % and 90.5 %\), 2 cases, /m);
  expect(out).toMatch(/^below its threshold: pass is 0.5, wanted is at least 1$/m);
  expect(existsSync(join(cwd, 'out.txt'))).toBe(false);
  expect(await readFile(join(cwd, 'ci/new/o.xml'), 'utf8')).toMatch(
    /<testcase classname="top" name="wrong" time="[\d.]+">\n +<failure type="contains &quot;yes&quot;, matches \/\^yes\/,/,
  );
  const page = await readFile(join(cwd, 'o.html'), 'utf8');
  expect(page.match(/(?<=<div class="message )[^<]*<b>.*?(?=<\/pre>)/g)).toEqual([
    'user"><b>user</b><pre>no',
    'error"><b>error</b><pre>read_file: Error: there is no file or folder &quot;a&quot;',
    'assistant"><b>assistant</b><pre>no',
  ]);
  expect(page).not.toContain('the disk is full');
  expect(await evaluateFiles(['evals/e.toml'], { only: 'full*' }, recordedIo(cwd))).toBe(0);
});

test('a case is played in a copy of its files without the pipes among them', async () => {
  const cwd = await project(CONVERSATIONS, CASES, MORE);
  execFileSync('mkfifo', [join(cwd, 'evals/repo/pipe')]);
  expect(await evaluateFiles(['evals/e.toml'], { only: 'full*' }, recordedIo(cwd))).toBe(0);
});

test('a case that was played with the same bytes is not played again', async () => {
  const cwd = await project(CONVERSATIONS, `repeat = 2\n${CASES}`, MORE);
  const first = await report([], cwd);
  const again = await report([], cwd);
  const runsOf = ({ cases }: EvalReport) => cases.map(({ tries }) => tries.map((each) => each.run_id));
  expect(runsOf(again)).toEqual(runsOf(first));
  expect(first.variants.map(({ cached, tries }) => [cached, tries])).toEqual([[0, 4]]);
  expect(again.variants.map(({ cached, tries }) => [cached, tries])).toEqual([[4, 4]]);
  expect(again.cases.map(({ passed }) => passed)).toEqual([2, 0]);
  // Another grade is no other case; other files are.
  await writeFile(join(cwd, 'evals/e.toml'), `agent = "top"\n${CASES.replace('"yes"', '"no"')}`);
  expect((await report([], cwd)).variants[0]?.cached).toBe(2);
  await writeFile(join(cwd, 'evals/repo/README.md'), 'hello!');
  expect((await report([], cwd)).variants[0]?.cached).toBe(1);
  await writeFile(
    join(cwd, 'agents/top.toml'),
    `${await readFile(join(cwd, 'agents/top.toml'), 'utf8')}description = "x"\n`,
  );
  expect((await report([], cwd)).variants[0]?.cached).toBe(0);
  await writeFile(join(cwd, 'evals/e.toml'), `agent = "top"\ncache = false\n${CASES}`);
  expect((await report([], cwd)).variants[0]?.cached).toBe(0);
});

test('what is attached is given with the prompt, and other bytes of it make another case', async () => {
  const evaluation = '[[cases]]\nname = "a"\nprompt = "look"\nattach = ["note.txt", "dot.png"]\n';
  const cwd = await project([{ turns: [{ text: '{{prompt}}' }] }], evaluation, { 'evals/note.txt': 'milk' });
  await writeFile(join(cwd, 'evals/dot.png'), png(1, 1));
  const first = await report([], cwd);
  expect(first.cases[0]?.tries[0]?.answer).toContain('milk');
  expect((await report([], cwd)).variants[0]?.cached).toBe(1);
  await writeFile(join(cwd, 'evals/dot.png'), png(2, 1));
  expect((await report([], cwd)).variants[0]?.cached).toBe(0);
});

test('a changed file of a skill makes another case', async () => {
  const skill = (text: string) => `---\nname: forms\ndescription: Fills forms\n---\n${text}\n`;
  const cwd = await project([{ turns: [{ text: 'ok' }] }], '[[cases]]\nname = "a"\nprompt = "b"\n', {
    'agents/top.toml': 'name = "top"\nmodel = "scripted/scripts/top.json"\nskills = ["forms"]\n',
    'skills/forms/SKILL.md': skill('Fill them.'),
    'skills/forms/list.md': 'one',
  });
  await report([], cwd);
  expect((await report([], cwd)).variants[0]?.cached).toBe(1);
  await writeFile(join(cwd, 'skills/forms/list.md'), 'two');
  expect((await report([], cwd)).variants[0]?.cached).toBe(0);
});

test('requests that failed are neither kept nor graded', async () => {
  const failing = [{ turns: [{ error: { category: 'auth', message: 'no key' } }] }];
  const cwd = await project(failing, '[[cases]]\nname = "a"\nprompt = "b"\nexpect = [{ not_calls = "*" }]\n');
  for (const _ of ['first', 'again']) {
    const { cases, variants } = await report([], cwd);
    expect(variants[0]?.cached).toBe(0);
    expect(cases[0]?.tries[0]).toMatchObject({
      passed: false,
      status: 'failed',
      error: 'failed: auth: no key',
      grades: [{ grader: 'not_calls *', passed: false, reason: 'not graded: the run gave no whole answer' }],
    });
  }
});

test('an evaluation that was broken off goes on where it was', async () => {
  const slow = [{ match: 'b', turns: [{ text: 'b', delay_ms: 150 }] }, { turns: [{ text: 'ok' }] }];
  const cases = ['a', 'b', 'c'].map((name) => `[[cases]]\nname = "${name}"\nprompt = "${name}"\n`);
  const cwd = await project(slow, `concurrency = 1\ncache = false\n${cases.join('')}`);
  const io = recordedIo(cwd);
  await runCommandLine(['eval', 'evals/e.toml'], {
    ...io,
    stdout(text) {
      io.stdout(text);
      if (text.startsWith('pass  a')) io.interrupt();
    },
  });
  expect(io.out).toMatch(/^pass {2}a {2}[\d.]+s {2}expects nothing\n$/);
  expect(io.err).toBe('Error: interrupted by the user; call it again to go on where it was\n');
  const runs = async () =>
    v.parse(
      v.array(v.object({ run_id: v.string() })),
      JSON.parse((await typed(['runs', '--json'], cwd)).out),
    );
  const before = await runs();
  const { id, cases: played } = await report([], cwd);
  const used = played.flatMap(({ tries }) => tries.map(({ run_id: run }) => run));
  expect(used.toSorted()).toEqual((await runs()).map(({ run_id: run }) => run).toSorted());
  expect(used).toEqual(expect.arrayContaining(before.map(({ run_id: run }) => run)));
  expect(readdirSync(join(cwd, '.cadre/evals/reports'))).toEqual([`${id}.json`]);
  // With other bytes it is another evaluation.
  expect((await report([], cwd)).id).not.toBe(id);
});

test('an agent answers in the place of a person, who has one conversation and approves what it may', async () => {
  const ask = { calls: [{ name: 'ask_user', arguments: { question: 'Which?', choices: ['6', '7'] } }] };
  const evaluation = `
[[cases]]
name = "answered"
prompt = "go"
person = "customer"
knows = "it is the 7th"
expect = [{ contains = "written" }, { file = "out.txt" }]

[[cases]]
name = "unanswered"
prompt = "go"
expect = [{ contains = "written" }]
`;
  const cwd = await project(
    [{ turns: [ask, { calls: [WRITE], expect: '' }, { text: 'written: {{results}}' }] }],
    evaluation,
    {
      'agents/top.toml':
        'name = "top"\nmodel = "scripted/scripts/top.json"\ntools = ["files", "ask_user"]\n[permissions]\nask = ["write_file"]\n',
      'agents/customer.toml': 'name = "customer"\nmodel = "scripted/scripts/customer.json"\n',
      'scripts/customer.json': JSON.stringify({
        conversations: [{ match: 'it is the 7th', turns: [{ text: '7' }, { text: 'approve' }] }],
      }),
    },
  );
  const { cases } = await report([], cwd);
  expect(cases.map(({ tries }) => tries.map(({ passed }) => passed))).toEqual([[true], [true]]);
  expect(cases[1]?.tries[0]?.answer).toContain('needs approval and nobody gave it in time');
  const { out } = await typed(['show', '--messages', 'customer'], cwd).catch(() => ({ out: '' }));
  expect(out).toContain(
    'You have asked an assistant for this:\ngo\n\nWhat you know:\nit is the 7th\n\nThe assistant asks you:\nWhich?',
  );
});

test("a judge's verdict is a run of its own, and is asked for once", async () => {
  const evaluation = `repeat = 2\n[judge]\nmodel = "scripted/scripts/judge.json"\n[[cases]]\nname = "a"\nprompt = "say"\nexpect = [{ judge = "is kind", at_least = 4 }]\n`;
  const cwd = await project([{ turns: [{ text: 'hm' }] }], evaluation, {
    'scripts/judge.json': JSON.stringify({
      conversations: [{ turns: [{ text: '{"score": 3, "reason": "it is curt"}' }] }],
    }),
  });
  const { cases } = await report([], cwd);
  const grades = cases.flatMap(({ tries }) => tries.flatMap((each) => each.grades));
  expect(grades.map(({ run_id: _run, ...grade }) => grade)).toEqual([
    { grader: 'judge "is kind"', passed: false, score: 3, reason: 'it is curt' },
    { grader: 'judge "is kind"', passed: false, score: 3, reason: 'it is curt' },
  ]);
  expect(grades[0]?.run_id).toBe(grades[1]?.run_id);
  const { out } = await typed(['show', '--messages', grades[0]?.run_id ?? ''], cwd);
  expect(out).toContain(
    '<criterion>\nis kind\n</criterion>\n\n<task>\nsay\n</task>\n\n<calls>\nnone\n</calls>\n\n<answer>\nhm\n</answer>',
  );
});

test('models are compared case by case', async () => {
  const cases = ['a', 'b'].map(
    (name) => `[[cases]]\nname = "${name}"\nprompt = "${name}"\nexpect = [{ contains = "ok" }]\n`,
  );
  const cwd = await project([{ turns: [{ text: 'ok' }] }], cases.join(''), {
    'scripts/half.json': JSON.stringify({
      conversations: [{ match: 'a', turns: [{ text: 'ok' }] }, { turns: [{ text: 'no' }] }],
    }),
  });
  const models = ['scripted/scripts/top.json', 'scripted/scripts/half.json'];
  const { comparisons, variants, thresholds } = await report(['--models', models.join(',')], cwd);
  expect(variants.map(({ name, model, pass }) => [name, model, pass.rate])).toEqual([
    [models[0], models[0], 1],
    [models[1], models[1], 0.5],
  ]);
  expect(comparisons.map(({ low: _low, high: _high, ...rest }) => rest)).toEqual([
    { from: models[0], to: models[1], difference: -0.5, changed: [{ case: 'b', from: 1, to: 0 }] },
  ]);
  expect(thresholds.map(({ passed }) => passed)).toEqual([true, false]);
});

test('the project is compared with another folder of it', async () => {
  const cwd = await project(
    [{ turns: [{ text: 'ok' }] }],
    '[[cases]]\nname = "a"\nprompt = "a"\nexpect = [{ contains = "ok" }]\n',
    {
      'before/agents/top.toml': 'name = "top"\nmodel = "scripted/top.json"\n',
      'before/top.json': JSON.stringify({ conversations: [{ turns: [{ text: 'no' }] }] }),
    },
  );
  const { comparisons, passed } = await report(['--against', 'before'], cwd);
  expect(comparisons).toMatchObject([
    { from: 'before', to: 'current', difference: 1, changed: [{ case: 'a', from: 0, to: 1 }] },
  ]);
  expect(passed).toBe(true);
});

test('the API of the folder lists evaluations with what failed, the newest first', async () => {
  const cwd = await project(CONVERSATIONS, CASES, MORE);
  const first = await report([], cwd);
  const second = await report(['--only', 'full*'], cwd);
  const { url } = await typedServer(['serve', '--port', '0'], cwd);
  const { evals } = v.parse(EvalList, await (await fetch(`${url}/evals`)).json());
  const { cases: _cases, ...overview } = second;
  expect(evals).toMatchObject([
    { ...overview, failed: [] },
    { id: first.id, passed: false },
  ]);
  expect(evals[1]?.failed).toEqual([
    {
      case: 'wrong',
      variant: 'current',
      run_id: first.cases[1]?.tries[0]?.run_id,
      reasons: expect.arrayContaining([
        'contains "yes": the answer does not: no',
        'turns_at_most 1: it took 2 turns',
      ]),
    },
  ]);
});

test('a run becomes a case, which expects the calls that it made', async () => {
  const cwd = await project(CONVERSATIONS, '');
  await rm(join(cwd, 'evals/e.toml'));
  await typed(['run', 'top', '-p', 'the disk is full'], cwd);
  for (const _ of ['first', 'again']) await typed(['eval', 'add', 'top', 'evals/e.toml'], cwd);
  expect((await readFile(join(cwd, 'evals/e.toml'), 'utf8')).replaceAll(/top-\w+/g, '<run>'))
    .toBe(`agent = "top"

# It answered: "{\\"cause\\": \\"volume 7\\"}"
[[cases]]
name = "the disk is full"
prompt = "the disk is full"
expect = [{ calls = "write_file", at_most = 1 }]

# It answered: "{\\"cause\\": \\"volume 7\\"}"
[[cases]]
name = "the disk is full (<run>)"
prompt = "the disk is full"
expect = [{ calls = "write_file", at_most = 1 }]
`);
  expect((await report([], cwd)).passed).toBe(true);
});

test('of cases that are added at once to a new file none is lost', async () => {
  const cwd = await project(CONVERSATIONS, '');
  await rm(join(cwd, 'evals/e.toml'));
  const prompts = ['one', 'two', 'three'];
  for (const prompt of prompts) await typed(['run', 'top', '-p', prompt], cwd);
  const { out } = await typed(['runs', '--json'], cwd);
  const runs = v.parse(v.pipe(v.string(), v.parseJson(), v.array(v.object({ run_id: v.string() }))), out);
  const adding = runs.map(({ run_id: id }) => addCase(id, 'evals/e.toml', {}, recordedIo(cwd)));
  const added = (await Promise.allSettled(adding)).flatMap(({ status }, index) =>
    status === 'fulfilled' ? [prompts.at(-1 - index)] : [],
  );
  const text = await readFile(join(cwd, 'evals/e.toml'), 'utf8');
  expect(new Set([...text.matchAll(/^name = "(.*)"/gm)].map(([, name]) => name))).toEqual(new Set(added));
});

test('a run that was shown files becomes a case that says so, and a case that expects nothing is told as such', async () => {
  const cwd = await project([{ turns: [{ text: 'ok' }] }], '', {
    'agents/top.toml': 'name = "top"\nmodel = "scripted/scripts/top.json"\nfiles = ["*.md"]\n',
    'README.md': 'hello',
    'a\u007f.md': 'odd',
  });
  await typed(['run', 'top', '-p', 'go'], cwd);
  expect(await typed(['eval', 'add', 'last', 'evals/e.toml'], cwd)).toMatchObject({ code: 0 });
  expect(await readFile(join(cwd, 'evals/e.toml'), 'utf8')).toBe(`agent = "top"

# It answered: "ok"
# It was shown README.md, a\ufffd.md: files = "…" names a folder that has what the case needs
[[cases]]
name = "go"
prompt = "go"
expect = []
`);
  expect((await typed(['eval', 'evals/e.toml'], cwd)).out).toMatch(
    /^pass {2}go {2}[\d.]+s {2}expects nothing\n/,
  );
});

test.each([
  [['eval', 'evals/none.toml'], 'evaluation not found: evals/none.toml'],
  [['eval', 'evals/e.toml', '--only', 'x*'], 'evals/e.toml: no case has a name that fits "x*"'],
  [['eval', 'evals/e.toml', '--against', 'nowhere'], '--against nowhere: there is no such folder'],
  [['eval', 'evals/e.toml', '--against', 'git:HEAD'], 'is in no repository of git that can be read here'],
  [['eval', 'evals/e.toml', '--models', 'x/y'], 'unsupported provider'],
  [['eval', 'evals/e.toml', '--agents', 'nobody'], 'agent config not found: nobody'],
  [['eval', 'evals/e.toml', '--agents', 'top, top'], 'It names top twice'],
  [['eval', 'evals/e.toml', '--models', 'x/y,x/y'], 'It names x/y twice'],
  [['eval'], "missing required argument 'files'"],
])('%j is refused with what is wrong, before anything is played', async (words, message) => {
  const cwd = await project([{ turns: [{ text: 'ok' }] }], '[[cases]]\nname = "a"\nprompt = "b"\n');
  const { code, err, out } = await typed(words, cwd);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
});

test('cases are listed without an agent being read', async () => {
  const cwd = await project([], '[[cases]]\nname = "a"\nprompt = "b"\n[[cases]]\nname = "b"\nprompt = "b"\n');
  expect(await typed(['eval', 'evals/e.toml', '--list', '--only', 'b'], cwd)).toEqual({
    code: 0,
    out: 'b\n',
    err: '',
  });
});

test('evaluations in which no case is chosen are left out, unless there is none in any', async () => {
  const other = 'agent = "top"\n[[cases]]\nname = "c"\nprompt = "b"\n';
  const cwd = await project([], '[[cases]]\nname = "a"\nprompt = "b"\n', { 'evals/f.toml': other });
  const list = (only: string) =>
    typed(['eval', 'evals/e.toml', 'evals/f.toml', '--list', '--only', only], cwd);
  expect(await list('c')).toEqual({ code: 0, out: 'c\n', err: '' });
  expect(await list('x*')).toEqual({
    code: 2,
    out: '',
    err: 'Error: evals/e.toml, evals/f.toml: no case has a name that fits "x*"\n',
  });
});

test('a journal that came with a repository has no folder of others removed', async () => {
  const elsewhere = await tempFolder({ 'kept.txt': 'kept' });
  const cwd = await project(
    [{ turns: [{ text: 'ok', delay_ms: 500 }] }],
    '[[cases]]\nname = "a"\nprompt = "b"\n',
  );
  const reports = join(cwd, '.cadre/evals/reports');
  const io = recordedIo(cwd);
  const broken = runCommandLine(['eval', 'evals/e.toml'], io);
  while (!existsSync(reports) || readdirSync(reports).length === 0)
    await new Promise((done) => setImmediate(done));
  io.interrupt();
  await broken;
  const [name = ''] = readdirSync(reports);
  const [head = '', ...rest] = (await readFile(join(reports, name), 'utf8')).split('\n');
  await writeFile(
    join(reports, name),
    [JSON.stringify({ ...JSON.parse(head), work: elsewhere }), ...rest].join('\n'),
  );
  expect((await report([], cwd)).passed).toBe(true);
  expect(existsSync(join(elsewhere, 'kept.txt'))).toBe(true);
});

test('a case that failed in an environment says how to see its run there', () => {
  const fails: Try = {
    repeat: 1,
    run_id: 'x-1',
    status: 'failed',
    passed: false,
    cached: false,
    seconds: 1,
    turns: 1,
    usd: 0,
    answer: '',
    error: 'no answer',
    grades: [],
  };
  const lines = createCaseLines({ repeat: 1 }, 1, 'dev');
  expect(lines({ variant: 'current', case: 'a', try: fails })).toBe(
    'FAIL  a  1.0s\n      no answer (cadre show x-1 --env dev)\n',
  );
});

test('what works with agents of this folder only is refused for an environment, and comparisons go one by one', async () => {
  const files = 'files = "repo"\nexpect = [{ contains = "x" }]\n';
  const functions = 'functions = "stand-ins.mjs"\n';
  const refused = async (evaluation: string, ...words: string[]) => {
    const cwd = await project([], evaluation, { ...MORE, 'evals/stand-ins.mjs': '' });
    const { code, err } = await typed(['eval', 'evals/e.toml', ...words], cwd);
    return [code, err];
  };
  const plain = '[[cases]]\nname = "a"\nprompt = "go"\n';
  const one = `${plain}expect = [{ contains = "x" }]\n`;
  expect([
    await refused(one, '--env', 'dev', '--against', 'other'),
    await refused(plain + files, '--env', 'dev'),
    await refused(functions + one, '--env', 'dev'),
    await refused(one, '--against', 'other', '--models', 'a/b,a/c'),
  ]).toEqual([
    [2, 'Error: --against works with agents of this folder only; omit --env\n'],
    [2, 'Error: evals/e.toml: case "a" has files, which only work on this machine; omit --env\n'],
    [2, 'Error: evals/e.toml: functions stand in for those of agents of this folder only; omit --env\n'],
    [2, 'Error: --against, --models and --agents each make a comparison of their own: use one of them\n'],
  ]);
});
