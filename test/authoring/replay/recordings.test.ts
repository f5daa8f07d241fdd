import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordRun } from '../../../src/doors/cli/commands/record.ts';
import { testRecordings } from '../../../src/doors/cli/commands/test.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { fromFixture } from '../../../src/authoring/replay/fixture.ts';
import { answer, openQuestions } from '../../fixtures/questions.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { openStage, use, type Stage } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const TOP = 'system_prompt = "You are top."\ntools = ["read_file", "ask_user"]\n';
const agent = (keys: string) => `name = "top"\nmodel = "stage/top"\n${keys}`;

const SECRETS = {
  OPENAI_API_KEY: 'sk-0123456789abcdef',
  DOCS_TOKEN: 'token-of-the-docs',
  DB_PASSWORD: 'correct horse battery',
};
const CONFIG = `[providers.anthropic]\napi_key = "sk-ant-from-the-file"\n[secrets]\nOTHER = "another-secret"\n`;
const ALL_SECRETS = [...Object.values(SECRETS), 'sk-ant-from-the-file', 'another-secret'];

/** A run that was told secrets by its prompt, by a file and by a person. */
async function ran(): Promise<Stage> {
  const stage = await openStage(
    {
      top: ({ turn, results }) => {
        if (turn === 1)
          return [use('read_file', { path: '.env' }), use('ask_user', { question: 'Password?' })];
        return `done with ${results.join()}`;
      },
    },
    { top: TOP },
    {
      '.env': `OPENAI_API_KEY="${SECRETS.OPENAI_API_KEY}"\nOTHER=another-secret\n`,
      'config/cadre/config.toml': CONFIG,
    },
  );
  const ended = stage.run({ prompt: `use ${SECRETS.DOCS_TOKEN} and sk-ant-from-the-file` });
  const [question] = await openQuestions(stage.pipeline.store, 1);
  if (question !== undefined) await answer(stage.cwd, question, SECRETS.DB_PASSWORD, 'ann@example.com');
  expect((await ended).code).toBe(0);
  return stage;
}

async function record(cwd: string, file: string, force = false) {
  const io = recordedIo(cwd, { env: { ...SECRETS, XDG_CONFIG_HOME: join(cwd, 'config') } });
  const code = await withEnvironment(io, {}, (environment) =>
    recordRun('last', file, environment, { force }, io),
  );
  return { code, err: io.err };
}

async function play(cwd: string, files: string[], options = {}) {
  const io = recordedIo(cwd);
  const code = await testRecordings(files, options, io);
  return { code, out: io.out, err: io.err };
}

test('a recording is replayed where there is nothing else but the agents', async () => {
  const { cwd } = await ran();
  expect(await record(cwd, 'one.json')).toEqual({
    code: 0,
    err: 'recorded 1 run in one.json; read it before you share it\n',
  });
  await expect(record(cwd, 'one.json')).rejects.toThrow(
    'cannot write one.json: it is there already; write over it with --force',
  );
  await record(cwd, 'one.json', true);
  const text = await readFile(join(cwd, 'one.json'), 'utf8');
  const elsewhere = await tempFolder({ 'agents/top.toml': agent(TOP), 'tests/one.json': text });
  expect(await play(elsewhere, ['tests/one.json'])).toEqual({
    code: 0,
    out: 'same      tests/one.json (1 run, 2 turns)\n1 recording: 1 same, 0 different\n',
    err: '',
  });
});

test('a recording contains no secret that is known, nor who ran it and where', async () => {
  const { cwd, pipeline } = await ran();
  await record(cwd, 'one.json');
  const text = await readFile(join(cwd, 'one.json'), 'utf8');
  expect(ALL_SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
  for (const name of [...Object.keys(SECRETS), 'OTHER', 'ANTHROPIC_API_KEY'])
    expect(text).toContain(`[${name}]`);
  expect(text).not.toMatch(/ann@example|arn:aws/);
  for await (const { execution } of pipeline.store.roots(1)) expect(execution).toMatch(/^arn:aws/);
});

test('a secret is found in any form that it is written in, and also within the address of a service', async () => {
  const pem = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nAgEAAoIBAQC7VJTUt9Us8cKj\n-----END KEY-----';
  const env = {
    SIGNING_KEY: pem,
    SMTP_PASS: 'open "sesame7" a\\slash',
    DATABASE_URL: 'postgres://app:p%40ss-of-the-base@db.example:5432/app',
    GIT_AUTHOR_NAME: 'Ada Lovelace',
  };
  const texts = [
    JSON.stringify({ deep: JSON.stringify({ text: env.SMTP_PASS, pem }) }),
    encodeURIComponent(env.SMTP_PASS),
    pem
      .split('\n')
      .map((line, index) => `${index + 1}: ${line}`)
      .join('\n'),
    'the base has p%40ss-of-the-base, that is p@ss-of-the-base',
  ];
  const stage = await openStage(
    {
      top: ({ turn }) =>
        turn === 1
          ? [use('glob', { pattern: texts.join('\n'), [env.SMTP_PASS]: 'a key' })]
          : `by Ada Lovelace: ${texts.join('\n')}`,
    },
    { top: 'tools = ["glob"]\n' },
  );
  await stage.run();
  const io = recordedIo(stage.cwd, { env });
  await withEnvironment(io, {}, (environment) => recordRun('last', 'one.json', environment, {}, io));
  const text = await readFile(join(stage.cwd, 'one.json'), 'utf8');
  const parts = ['MIIEvQIB', 'AgEAAoIB', 'sesame7', 'slash', 'ss-of-the-base'];
  expect(parts.filter((part) => text.includes(part))).toEqual([]);
  expect(text).toContain('Ada Lovelace');
  expect(text).toContain('"[SMTP_PASS]": "a key"');
  expect(fromFixture(text, '').runs).toHaveLength(1);
});

test('many recordings are reported one by one, and anything that is different fails them all', async () => {
  const { cwd } = await ran();
  await record(cwd, 'one.json');
  const text = await readFile(join(cwd, 'one.json'), 'utf8');
  const id = fromFixture(text, '').runs[0]?.run.id;
  await writeFile(join(cwd, 'other.json'), text.replace('You are top.', 'You were top.'));
  const { code, out } = await play(cwd, ['one.json', 'other.json']);
  expect(code).toBe(1);
  expect(out).toBe(`same      one.json (1 run, 2 turns)
different other.json
  the first difference is the system prompt
    in run ${id}, agent "top", before its first turn
  --- recorded
  +++ now
  @@ -1,1 +1,1 @@
  -You were top.
  +You are top.
2 recordings: 1 same, 1 different
`);
  const json = await play(cwd, ['one.json', 'other.json'], { json: true });
  expect(
    json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { file: 'one.json', same: true, runs: 1, turns: 2, never_began: 0, difference: null },
    {
      file: 'other.json',
      same: false,
      runs: 0,
      turns: 0,
      never_began: 0,
      difference: {
        at: { run: id, path: '', agent: 'top' },
        what: 'the system prompt',
        recorded: 'You were top.',
        now: 'You are top.',
      },
    },
  ]);
});

test('a file that is no recording is named, and the others are replayed all the same', async () => {
  const { cwd } = await ran();
  await record(cwd, 'one.json');
  const recorded = JSON.parse(await readFile(join(cwd, 'one.json'), 'utf8'));
  const { runs } = recorded;
  const odd = {
    'text.json': 'no JSON',
    'other.json': '{"name": "other"}',
    'newer.json': JSON.stringify({ ...recorded, recording: 2 }),
    'older.json': JSON.stringify({ ...recorded, recording: 0 }),
    'cut.json': JSON.stringify({ ...recorded, runs: [{ ...runs[0], turns: [{ number: 1 }] }] }),
  };
  for (const [name, text] of Object.entries(odd)) await writeFile(join(cwd, name), text);
  const { code, out, err } = await play(cwd, [...Object.keys(odd), 'gone.json', 'one.json']);
  expect(code).toBe(2);
  expect(out).toBe('same      one.json (1 run, 2 turns)\n7 recordings: 1 same, 0 different, 6 unreadable\n');
  expect(err.split('\n')).toEqual([
    'Error: text.json is not JSON',
    'Error: other.json is not a recording; write one with: cadre record <run> <file>',
    'Error: newer.json is a recording of format 2, and this version of cadre reads format 1; update cadre',
    'Error: older.json is a recording of format 0, and this version of cadre reads format 1; record the run again',
    'Error: cut.json is damaged: runs.0.turns.0: is no turn; record the run again',
    expect.stringMatching(/^Error: cannot read gone.json: there is no such file/),
    '',
  ]);
  expect(await play(cwd, ['text.json'], { json: true })).toEqual({
    code: 2,
    out: '{"file":"text.json","error":"text.json is not JSON"}\n',
    err: 'Error: text.json is not JSON\n',
  });
});
