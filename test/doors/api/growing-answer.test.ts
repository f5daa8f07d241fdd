import { expect, test } from 'vitest';
import { pieceEvent } from '../../../src/core/events/event.ts';
import type { TreeEvent } from '../../../src/core/events/tree-event.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createGrowingAnswer } from '../../../src/doors/api/a2a/growing-answer.ts';
import { answerArtifact, textPart } from '../../../src/doors/api/a2a/tasks.ts';
import { anOpened, aRun, aSubAgent } from '../../fixtures/records.ts';

const run = aRun();

/** A piece of a text, and how much of its text was told before. */
const piece = (
  text: string,
  characters: number,
  { of = run, kind = 'text' }: { of?: Run; kind?: 'text' | 'thinking' } = {},
): TreeEvent => ({
  at: 0,
  event: pieceEvent(of, { turn: 1, kind, text }),
  before: { characters, isVoid: false },
});

/** What is handed on of each piece, and at the end. */
async function told(pieces: TreeEvent[], answer: string, opened = anOpened()) {
  const growing = createGrowingAnswer(
    run.id,
    { taskId: 't', contextId: 'c' },
    { opened: async () => opened },
  );
  const updates = [];
  for (const each of pieces) updates.push(await growing.piece(each));
  updates.push(growing.end(answerArtifact(textPart(answer))));
  return updates.map((update) => {
    if (update?.payload?.$case !== 'artifactUpdate') return update;
    const { taskId, contextId, append, lastChunk, artifact } = update.payload.value;
    expect([taskId, contextId]).toEqual(['t', 'c']);
    const said = artifact?.parts.map(({ content }) => content?.value);
    return [...(said ?? []), ...(append ? ['appended'] : []), ...(lastChunk ? ['last'] : [])];
  });
}

test.each<[string, TreeEvent[], string, unknown[]]>([
  [
    'is told piece by piece, and then only its end',
    [piece('one', -1), piece(' two', 3)],
    'one two',
    [['one'], [' two', 'appended'], ['', 'appended', 'last']],
  ],
  [
    'replaces the text of the turn before',
    [piece('let me see', -1), piece('done', 0), piece('!', 4)],
    'done!',
    [['let me see'], ['done'], ['!', 'appended'], ['', 'appended', 'last']],
  ],
  [
    'is told whole where its pieces were those of another text',
    [piece('one', -1)],
    'two',
    [['one'], ['two', 'last']],
  ],
  ['is told whole where there were none', [], '', [['', 'last']]],
  [
    'begins with its first piece, however late who hears it came',
    [piece(' two', 3)],
    'one two',
    [[' two'], ['one two', 'last']],
  ],
  [
    'is not what another run says, nor what is thought',
    [piece('one', -1, { of: aSubAgent(run) }), piece('one', -1, { kind: 'thinking' })],
    'one',
    [undefined, undefined, ['one', 'last']],
  ],
])('an answer %s', async (_, pieces, answer, updates) => {
  expect(await told(pieces, answer)).toEqual(updates);
});

test('a value is told whole', async () => {
  const opened = anOpened({ output: { schema: { type: 'object' }, parameters: { type: 'object' } } });
  expect(await told([piece('{', -1), piece('}', 1)], '{}', opened)).toEqual([
    undefined,
    undefined,
    ['{}', 'last'],
  ]);
});
