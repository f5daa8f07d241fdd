import { describe, expect, test } from 'vitest';
import { grouped } from '../../../../src/doors/console/steering/approval-groups.ts';
import {
  emptyValue,
  faultsIn,
  fieldSchema,
  NO_JSON,
} from '../../../../src/doors/console/steering/field-schema.ts';
import { parseArguments } from '../../../../src/doors/console/steering/parse-arguments.ts';
import { isShown } from '../../../../src/doors/console/steering/shown-file.ts';
import { aQuestion } from '../pictures/answers.ts';

const MAIL = {
  type: 'object',
  required: ['to', 'copies', 'plan'],
  additionalProperties: false,
  properties: {
    to: { type: 'array', title: 'Readers', items: { type: 'string', format: 'email' } },
    subject: { type: 'string', description: 'One line' },
    copies: { type: 'integer', minimum: 1, maximum: 3 },
    share: { type: 'number', title: ' ' },
    urgent: { type: 'boolean' },
    size: { enum: ['small', 2] },
    plan: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
};

const NONE = { title: undefined, description: undefined };

describe('a form made from a JSON Schema', () => {
  const schema = fieldSchema(MAIL);

  test('has a field for each member that it can show, and JSON for the others', () => {
    const member = (name: string, isRequired: boolean, of: object) => ({
      name,
      isRequired,
      schema: { about: NONE, ...of },
    });
    const number = { kind: 'number', min: undefined, max: undefined };
    expect(schema).toEqual({
      kind: 'object',
      about: NONE,
      takesMore: false,
      members: [
        member('to', true, {
          kind: 'list',
          about: { ...NONE, title: 'Readers' },
          items: { kind: 'text', about: NONE, isLong: false },
        }),
        member('subject', false, {
          kind: 'text',
          about: { ...NONE, description: 'One line' },
          isLong: true,
        }),
        member('copies', true, { ...number, isWhole: true, min: 1, max: 3 }),
        member('share', false, { ...number, isWhole: false }),
        member('urgent', false, { kind: 'flag' }),
        member('size', false, { kind: 'choice', choices: ['small', 2] }),
        member('plan', true, { kind: 'json' }),
      ],
    });
    expect(fieldSchema({ type: 'object', properties: { a: { type: 'boolean' } } })).toMatchObject({
      takesMore: true,
    });
  });

  test.each([
    true,
    null,
    { type: 'null' },
    { type: 'object' },
    { enum: [] },
    { type: 'array', prefixItems: [{ type: 'string' }] },
    { type: 'string', $ref: '#/a' },
  ])('is JSON alone for %j', (of) => expect(fieldSchema(of)).toEqual({ kind: 'json', about: NONE }));

  test('is JSON below four levels of lists or objects', () => {
    const list = (items: object) => ({ type: 'array', items });
    const item = (items: object) => ({ type: 'object', properties: { items } });
    for (const deeper of [list, item]) {
      const five = JSON.stringify(fieldSchema([1, 2, 3, 4, 5].reduce(deeper, { type: 'boolean' })));
      expect(five).toMatch(/"kind":"json"/);
      const four = JSON.stringify(fieldSchema([1, 2, 3, 4].reduce(deeper, { type: 'boolean' })));
      expect(four).not.toMatch(/"kind":"json"/);
    }
  });

  test('begins with what is required, and asks for it to be filled in', () => {
    expect(emptyValue(schema)).toEqual({ to: [], copies: 1, plan: null });
    expect(emptyValue(fieldSchema({ enum: ['small', 2] }))).toBe('small');
    expect(emptyValue(fieldSchema({ type: 'number' }))).toBe(0);
    expect(emptyValue(fieldSchema({ type: 'boolean' }))).toBe(false);
    expect(emptyValue(fieldSchema({ type: 'string' }))).toBe('');
  });

  const WHOLE = { to: ['a@b.c'], copies: 3, plan: null, subject: '', share: 0.5, urgent: false, size: 2 };

  test.each<[object, Record<string, string>]>([
    [{}, {}],
    [{ more: 1 }, {}],
    [{ copies: 1 }, {}],
    [{ copies: 0 }, { copies: 'must be at least 1' }],
    [{ copies: 4 }, { copies: 'must be at most 3' }],
    [{ copies: 1.5 }, { copies: 'must be a whole number' }],
    [{ copies: '1' }, { copies: 'must be a number' }],
    [{ share: NaN }, { share: 'must be a number' }],
    [{ to: 'a@b.c' }, { to: 'must be a list' }],
    [{ to: ['a', 1, null] }, { 'to.1': 'must be text', 'to.2': 'must be text' }],
    [{ urgent: 'no' }, { urgent: 'must be yes or no' }],
    [{ size: '2' }, { size: 'must be one of the choices' }],
    [{ plan: NO_JSON }, { plan: 'is not JSON' }],
  ])('finds what is wrong with %j in it', (changed, faults) =>
    expect(Object.fromEntries(faultsIn({ ...WHOLE, ...changed }, schema))).toEqual(faults),
  );

  test('finds what is missing, or no object at all', () => {
    expect([...faultsIn({ copies: 2 }, schema)]).toEqual([
      ['to', 'is missing'],
      ['plan', 'is missing'],
    ]);
    for (const value of [null, [], 'x'])
      expect([...faultsIn(value, schema)]).toEqual([['', 'must be an object']]);
  });
});

test('arguments that a person writes are a JSON object', () => {
  expect(parseArguments('{"path": "a.md"}')).toEqual({ value: { path: 'a.md' } });
  for (const other of ['[1]', 'null', '"a"', '1'])
    expect(parseArguments(other)).toEqual({ fault: 'Arguments are a JSON object: { … }' });
  expect(parseArguments('{')).toEqual({ fault: expect.stringMatching(/^This is not JSON: ./) });
});

test.each([
  ['\x89PNG\r\n\x1a\n and so on', true],
  ['\xff\xd8\xff\xe0', true],
  ['GIF89a', true],
  ['GIF88a', false],
  ['RIFF\x01\x02\x03\x04WEBPVP8 ', true],
  ['RIFF\x01\x02\x03\x04WAVEfmt ', false],
  ['%PDF-1.7', true],
  ['Notes about %PDF-1.7', false],
  ['', false],
])('whether a file that begins with %j can be shown to a model is %j', async (start, expected) => {
  expect(await isShown(new Blob([Buffer.from(start, 'latin1')]))).toBe(expected);
});

describe('approvals', () => {
  let asked = 0;
  const question = (tool: string | undefined, given: Record<string, unknown>, agent = 'coder') =>
    aQuestion({
      agent,
      question_id: `t1c${(asked += 1)}`,
      ...(tool !== undefined && { tool }),
      arguments: given,
    });

  test('that are alike are answered together: of one agent, one tool and one kind of subject', () => {
    const git = [
      question('run_command', { command: 'git diff' }),
      question('run_command', { command: ' git log' }),
    ];
    const npm = question('run_command', { command: 'npm test' });
    const files = [
      question('write_file', { path: 'src/a.ts' }),
      question('write_file', { path: 'src/b.ts' }),
    ];
    const deeper = question('write_file', { path: 'src/deep/c.ts' });
    const theirs = question('write_file', { path: 'src/d.ts' }, 'tester');
    const here = [question('write_file', { path: 'a.ts' }), question('write_file', { path: 'b.ts' })];
    const pages = [
      question('fetch_url', { url: 'https://a.example:8080/1' }),
      question('fetch_url', { url: 'https://a.example:8080/2' }),
    ];
    const asking = [question(undefined, {}), question(undefined, {})];
    const results = [1, 2].map((n) => ({
      ...question('run_command', { result: n }),
      about: 'result' as const,
    }));
    const open = [npm, ...git, ...asking, ...results, ...files, deeper, theirs, ...here, ...pages];
    const { groups, others } = grouped(open);
    expect(groups.map(({ agent, tool, pattern, questions }) => [agent, tool, pattern, questions])).toEqual([
      ['coder', 'run_command', 'git', git],
      ['coder', 'write_file', 'src/', files],
      ['coder', 'write_file', '', here],
      ['coder', 'fetch_url', 'a.example:8080', pages],
    ]);
    expect(others).toEqual([npm, ...asking, ...results, deeper, theirs]);
    expect(new Set(groups.map(({ key }) => key)).size).toBe(4);
  });
});
