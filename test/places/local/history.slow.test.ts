import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelError } from '../../../src/errors.ts';
import type { RenderedEvent } from '../../../src/asl/executions/descriptions.ts';
import { cases } from '../../fixtures/cases.ts';
import { call, openStage, type Line, type Role } from '../../fixtures/stage.ts';
import { utf16 } from '../../fixtures/random-texts.ts';

const MARK = 'mark-of-the-conversation';
const KB = 1024;

const text = fc.oneof(
  utf16({ maxLength: 400 }),
  fc.constantFrom('', '"\\', '\ud800', '漢字', '😀', '\u0001\u0000', ' \n', 'x'.repeat(2 * KB)),
);
/** The visible part of a task comes first; nothing behind it may be seen. */
const behindPreview = (shown: string) => `x${shown.slice(0, 400)}${'y'.repeat(800)}${MARK}`;

/** The texts of a conversation: everything that the machine must not carry. */
const conversation = fc.record({ task: text, other: text });
type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never;

const wide = 'a'.repeat(64);

/** Plays conversations of two turns with so many calls in the first, each as deep as told. */
async function stageOf(calls: number) {
  let texts: Conversation = { task: '', other: '' };
  const first = (): Line => ({
    text: `${MARK}${texts.other}`,
    calls: Array.from({ length: calls }, (_, index) =>
      call(wide, behindPreview(`${index}${texts.task}`), `${MARK}${texts.other}`),
    ),
  });
  const top: Role = ({ turn }) => (turn === 1 ? first() : `${MARK}${texts.other}`);
  const stage = await openStage(
    { top, [wide]: ({ message }) => `${MARK}${texts.other}${message}` },
    { top: `sub_agents = ["${wide}"]\nsystem_prompt = "${MARK}"\n`, [wide]: `system_prompt = "${MARK}"\n` },
  );
  return async (chosen: Conversation) => {
    texts = chosen;
    const { code, run } = await stage.run({ prompt: `${MARK}${chosen.other}`, context: MARK });
    const histories = stage.histories(run.id);
    return { code, histories, top: histories.get(run.id) ?? [] };
  };
}

/** Bytes of the largest input or output of a state. */
function largest(histories: Iterable<RenderedEvent[]>): number {
  const sizes = [...histories].flat().flatMap((event) => {
    const details = event['stateEnteredEventDetails'] ?? event['stateExitedEventDetails'];
    if (typeof details !== 'object' || details === null || Array.isArray(details)) return [];
    return [details['input'], details['output']].map((value) =>
      typeof value === 'string' ? Buffer.byteLength(value) : 0,
    );
  });
  return Math.max(...sizes);
}

test('every state stays under 4 KB with one call, and has no text of the conversation', async () => {
  const play = await stageOf(1);
  await fc.assert(
    fc.asyncProperty(conversation, async (texts) => {
      const { code, histories, top } = await play(texts);
      expect(code).toBe(0);
      expect(top.filter(({ type }) => type.endsWith('StateEntered'))).toHaveLength(8);
      expect(largest(histories.values())).toBeLessThan(4 * KB);
      expect(JSON.stringify([...histories])).not.toContain(MARK);
    }),
    { numRuns: cases(20), endOnFailure: true },
  );
});

test('every state stays under 40 KB with a hundred calls, and has no text of the conversation', async () => {
  const play = await stageOf(100);
  await fc.assert(
    fc.asyncProperty(conversation, async (texts) => {
      const { code, histories } = await play(texts);
      expect(code).toBe(0);
      expect(largest(histories.values())).toBeLessThan(40 * KB);
      expect(JSON.stringify([...histories])).not.toContain(MARK);
    }),
    { numRuns: 2, endOnFailure: true },
  );
});

test('every state stays under 4 KB where a model fails with a page of text, of which the beginning is told', async () => {
  const stage = await openStage(
    {
      top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'told'),
      kid() {
        throw new ModelError('server', '漢'.repeat(2000));
      },
    },
    { top: 'sub_agents = ["kid"]\n' },
  );
  const { code, out, run } = await stage.run();
  expect({ code, out }).toEqual({ code: 0, out: 'told' });
  expect(stage.asked.at(-1)?.results[0]).toContain(`server: ${'漢'.repeat(500)}….`);
  expect(largest(stage.histories(run.id).values())).toBeLessThan(4 * KB);
});
