import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  call,
  openTestCadre,
  type Asked,
  type Script,
  type ScriptedCall,
} from '../../../src/doors/library/testing/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FILES = {
  'src/export.js': 'rows.slice(1); // without the heading\n',
  'src/mail.js': 'export const LIMIT_MB = 5;\n',
};
const TICKET = 'The export lacks my first customer, and is not mailed any more. I want my money back!';

const draft = (content: string, path = 'drafts/4711.md') => call('write_file', { path, content });
const readers = ['src/export.js', 'src/mail.js'].map((task) => call('call_agent', { agent: 'reader', task }));

/** Reads the file that is its task, and takes a minute to think about it. */
const reader: Script = ({ prompt, turn, results }) =>
  turn === 1
    ? call('read_file', { path: /^Task: (\S+)/.exec(prompt)?.[1] })
    : { text: results.join(), takes: 60_000 };

/** The messages that tell an agent how others have ended. */
const ends = ({ request }: Asked) =>
  request.messages.flatMap((one) =>
    one.role === 'user' && one.text.startsWith('[Agent ') ? [one.text] : [],
  );

/** Makes the first calls at once, and the others one after another when both readers have ended. */
const triage =
  (meanwhile: readonly ScriptedCall[], later: readonly ScriptedCall[]): Script =>
  (asked) => {
    if (asked.turn === 1) return [...readers];
    if (asked.turn === 2) return [...meanwhile];
    if (ends(asked).length < readers.length) return 'Both parts are being looked into.';
    const made = asked.request.messages.flatMap((one) => (one.role === 'assistant' ? one.calls : []));
    return later[made.length - readers.length - meanwhile.length] ?? 'Done.';
  };

async function open(models: Record<string, Script>) {
  const cadre = await openTestCadre({ folder: ROOT, files: FILES, models });
  onTestFinished(() => cadre.close());
  const questionsAsked: string[] = [];
  return {
    ...cadre,
    questionsAsked,
    /** @param answer to each question @returns with the calls of triage after its first turn */
    async lookInto(answer: string) {
      const { content, run } = await cadre.run('triage', {
        prompt: 'Ticket 4711',
        input: TICKET,
        async onEvent(event) {
          if (event.type !== 'question_asked') return;
          questionsAsked.push(event.question);
          await cadre.answer(event, answer);
        },
      });
      const calls = await cadre.calls(run.id);
      return { content, run, calls: calls.filter(({ agent }) => agent === 'triage').slice(readers.length) };
    },
  };
}

test('triage works on while readers look into a ticket, by a skill, and remembers what it has learned', async () => {
  const learned = 'Exports of more than 5 MB are not mailed.';
  const cadre = await open({
    reader,
    triage: triage(
      [
        call('use_skill', { name: 'answer-ticket' }),
        call('read_skill_file', { name: 'answer-ticket', path: 'references/draft.md' }),
        call('memory_search', { query: 'mailed export' }),
      ],
      [draft('Severity: high'), call('memory_save', { text: learned })],
    ),
  });
  const { content, run, calls } = await cadre.lookInto('deny');
  expect(content).toBe('Done.');
  expect(calls.map(({ tool, result, isError }) => [tool, result, isError])).toEqual([
    ['use_skill', expect.stringContaining('# Answer a ticket'), false],
    ['read_skill_file', expect.stringContaining('Severity: low | medium | high'), false],
    ['memory_search', '(nothing found)', false],
    ['write_file', 'created "drafts/4711.md" (14 bytes)', false],
    ['memory_save', expect.stringMatching(/^Saved: \w+$/), false],
  ]);
  expect(cadre.questionsAsked).toEqual([]);

  const told = cadre.asked('triage').map(ends);
  expect(told.map(({ length }) => length)).toEqual([0, 0, 0, 2, 2, 2]);
  const id = run.id.replace('triage', 'reader');
  expect(told.at(-1)?.toSorted()).toEqual([
    `[Agent "reader" (${id}-t1c1) has finished: succeeded]\n\n1: rows.slice(1); // without the heading`,
    `[Agent "reader-2" (${id}-t1c2) has finished: succeeded]\n\n1: export const LIMIT_MB = 5;`,
  ]);
  expect(cadre.asked('reader')[0]?.prompt).toBe(`Task: src/export.js\n\nInput:\n${TICKET}`);

  const next = await cadre.lookInto('deny');
  expect(next.calls.find(({ tool }) => tool === 'memory_search')?.result).toContain(learned);
});

test.each([
  ['approve', 'created "drafts/4711.md" (17 bytes)', 'You get a refund.'],
  [
    'deny a colleague decides',
    'Permission denied: "write_file" was denied by the user: a colleague decides',
    'no such file',
  ],
])(
  'a hook keeps triage from writing keys and other files, and has a person decide about promises: %s',
  async (answer, result, written) => {
    const later = [
      draft('exit', '.git/hooks/pre-commit'),
      draft('exit', 'drafts/../src/mail.js'),
      draft('Use AKIAIOSFODNN7EXAMPLE.'),
      draft('You get a refund.'),
    ];
    const cadre = await open({ reader, triage: triage([call('memory_search', { query: 'refund' })], later) });
    const { calls } = await cadre.lookInto(answer);
    const denied = 'Permission denied: hook "agents/hooks/check-draft.ts" denied write_file:';
    expect(calls.slice(1).map((made) => made.result)).toEqual([
      `${denied} drafts are written to drafts/<ticket>.md`,
      `${denied} drafts are written to drafts/<ticket>.md`,
      `${denied} the draft has a key in it`,
      result,
    ]);
    expect(cadre.questionsAsked).toEqual([
      'Allow write_file: drafts/4711.md? (hook "agents/hooks/check-draft.ts": the draft promises something)',
    ]);
    expect(await readFile(join(cadre.folder, 'drafts/4711.md'), 'utf8').catch(() => 'no such file')).toBe(
      written,
    );
    expect(await readFile(join(cadre.folder, 'src/mail.js'), 'utf8')).toBe(FILES['src/mail.js']);
  },
);
