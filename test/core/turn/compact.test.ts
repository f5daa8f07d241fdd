import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fit, type Fitting, type Sizes } from '../../../src/core/turn/compact.ts';
import { compacted } from '../../../src/core/turn/compacted.ts';
import type { Compaction, Summary } from '../../../src/core/records/compaction.ts';
import { skillsIn } from '../../../src/core/records/loaded-skills.ts';
import { showingOf } from '../../../src/core/attachments/showing.ts';
import type { Attachment } from '../../../src/core/records/attachment.ts';
import { attachmentsIn, bytesOf } from '../../../src/core/records/message-texts.ts';
import type { Message } from '../../../src/core/records/message.ts';
import { API_RULES, breaches } from '../../providers/api-rules.ts';
import { cases } from '../../fixtures/cases.ts';

const user = (text: string): Message => ({ role: 'user', text });
const answer = (text: string, ...ids: string[]): Message => ({
  role: 'assistant',
  text,
  calls: ids.map((id) => ({ id, name: 'read_file', arguments: {} })),
});
const results = (...texts: [id: string, text: string][]): Message => ({
  role: 'tool',
  results: texts.map(([callId, text]) => ({ callId, name: 'read_file', text, isError: false })),
});
const summaryOf = (turn: number, messages: number, text: string): Summary => ({
  turn,
  messages,
  text,
  usage: { inputTokens: 1, outputTokens: 1 },
});

/** Sizes in bytes, one of which is a token here. */
const sizes = (limit: number, messages: readonly Message[]): Sizes => ({
  limit,
  tokens: bytesOf(messages),
  fixed: 0,
});

describe('a conversation that is too long', () => {
  /** An opening, then one call after another, each with a result of 1,000 characters. */
  const said = [
    user('go'),
    ...Array.from({ length: 14 }, (_, index) => [
      answer('', `c${index}`),
      results([`c${index}`, String(index).repeat(1000).slice(0, 1000)]),
    ]).flat(),
    answer('', 'last'),
  ];
  const received = [results(['last', 'x'.repeat(1000)])];
  const unsent = { said, own: 0, newest: said.length - 1, received, before: undefined };
  const fitIn = (limit: number, before?: Compaction) =>
    fit({ ...unsent, before }, sizes(limit, [...compacted(said, 0, before), ...received]));

  test('loses results that are older than the last ten calls', () => {
    const { compaction, received: told, wanted } = fitIn(20_000);
    expect({ compaction, told, wanted }).toEqual({
      compaction: { results: 5 },
      told: received,
      wanted: undefined,
    });
    const [first, ...others] = compacted(said, 0, compaction).filter(({ role }) => role === 'tool');
    expect(first).toEqual(results(['c0', '[result left out: 1000 characters]']));
    expect(others.slice(4)).toEqual(said.filter(({ role }) => role === 'tool').slice(5));
  });

  test('loses more of them where the last ten take more than half of the room', () => {
    expect(fitIn(10_000).compaction).toEqual({ results: 10 });
    expect(fitIn(6000).compaction).toEqual({ results: 12 });
  });

  test('never shows again what was left out before', () => {
    expect(fitIn(14_000, { results: 9 }).compaction).toEqual({ results: 9 });
  });

  test('says where the whole of a result is, if the model can read it', () => {
    const kept: Message = {
      role: 'tool',
      results: [
        { callId: 'a', name: 'f', text: 'x'.repeat(500), isError: false, whole: '.cadre-results/a.txt' },
      ],
    };
    expect(compacted([user('go'), answer('', 'a'), kept], 0, { results: 1 }).at(-1)).toMatchObject({
      results: [{ text: '[result left out: 500 characters; the whole result is in .cadre-results/a.txt]' }],
    });
  });

  test('keeps results that are shorter than the words for leaving them out', () => {
    const short = [user('go'), answer('', 'a'), results(['a', 'ok'])];
    expect(compacted(short, 0, { results: 1 })).toEqual(short);
  });

  describe('in which a skill was loaded', () => {
    const loaded = (text: string): Message => ({
      role: 'tool',
      results: [{ callId: 's', name: 'use_skill', text, isError: false, skill: 'pdf-forms' }],
    });
    const withSkill = (text: string) => ({
      ...unsent,
      said: [user('go'), answer('', 's'), loaded(text), ...said.slice(1)],
      newest: unsent.newest + 2,
    });
    const fitWith = (text: string, limit: number, summary?: Summary) => {
      const long = withSkill(text);
      return { ...fit(long, sizes(limit, [...long.said, ...received]), summary), said: long.said };
    };

    test('keeps its instructions where results around them are left out', () => {
      const { compaction, said: all } = fitWith('Fill in.'.repeat(100), 10_000);
      expect(compaction).toEqual({ results: 12 });
      const sent = compacted(all, 0, compaction);
      expect(sent.slice(1, 3)).toEqual([answer('', 's'), loaded('Fill in.'.repeat(100))]);
      expect(sent[4]).toEqual(results(['c0', '[result left out: 1000 characters]']));
    });

    test('keeps them in a summary, and in that of a summary', () => {
      const skills = [{ name: 'pdf-forms', text: 'Fill in.' }];
      const summary = { ...summaryOf(3, 4, 'So far.'), skills };
      const text =
        '[The conversation up to here was too long. A summary of it:]\n\nSo far.\n\n' +
        '[The skill "pdf-forms", which was loaded in it:]\n\nFill in.';
      const first = compacted(withSkill('Fill in.').said, 0, { results: 3, summary });
      expect(first[1]).toEqual({ role: 'user', text, skills });
      expect(skillsIn(withSkill('Fill in.').said)).toEqual(skills);
      expect(skillsIn(first)).toEqual(skills);
    });

    test('has its summary written with them beside it', () => {
      const talk = Array.from({ length: 9 }, () => [
        answer('y'.repeat(1000), 'c'),
        results(['c', 'ok']),
      ]).flat();
      const all = [user('go'), answer('', 's'), loaded('Fill in.'), ...talk, answer('on', 'last')];
      const long = { said: all, own: 0, newest: all.length - 1, received, before: undefined };
      const { wanted } = fit(long, sizes(9000, [...all, ...received]));
      expect(wanted?.skills).toEqual([{ name: 'pdf-forms', text: 'Fill in.' }]);
    });

    test('loses them where they take too much of the window, and keeps their names', () => {
      const { compaction, said: all } = fitWith('x'.repeat(5000), 10_000);
      expect(compaction).toMatchObject({ withoutSkills: true });
      expect(compacted(all, 0, compaction)[2]).toEqual(loaded('[result left out: 5000 characters]'));
      const summary = { ...summaryOf(3, 4, 'So far.'), skills: [{ name: 'pdf-forms', text: 'x' }] };
      const [, told] = compacted(all, 0, { ...compaction, summary });
      expect(told).toEqual({
        role: 'user',
        text: '[The conversation up to here was too long. A summary of it:]\n\nSo far.',
        skills: [{ name: 'pdf-forms', text: 'x' }],
      });
    });
  });

  test('is summarised where leaving out results does not suffice', () => {
    const talk = [
      user('go'),
      ...Array.from({ length: 9 }, (_, turn) => [
        answer('y'.repeat(1000), `c${turn}`),
        results([`c${turn}`, 'ok']),
      ]).flat(),
    ];
    const newest = talk.length;
    const long = {
      said: [...talk, answer('on', 'last')],
      own: 0,
      newest,
      received: [results(['last', 'ok'])],
      before: undefined,
    };
    const { wanted } = fit(long, sizes(9000, [...long.said, ...long.received]));
    expect(wanted?.older).toEqual(talk);
    const summary = summaryOf(10, newest, 'I said y');
    const { compaction, wanted: more } = fit(long, sizes(9000, [...long.said, ...long.received]), summary);
    expect({ compaction, more }).toEqual({ compaction: { results: 9, summary }, more: undefined });
    expect(compacted([...long.said, ...long.received], 0, compaction)).toEqual([
      user('go'),
      user('[The conversation up to here was too long. A summary of it:]\n\nI said y'),
      answer('on', 'last'),
      results(['last', 'ok']),
    ]);
  });

  test('keeps its own first message, and not those of conversations that it inherits', () => {
    const inherited = [
      user('parent'),
      answer('', 'p'),
      results(['p', 'ok']),
      user('yours is'),
      answer('on', 'c'),
    ];
    const compaction = { results: 0, summary: summaryOf(2, 4, 'so far') };
    expect(compacted(inherited, 3, compaction).map((message) => 'text' in message && message.text)).toEqual([
      'yours is',
      expect.stringMatching(/so far$/),
      'on',
    ]);
  });

  test('is told less of what is new where that alone is too long', () => {
    const told = [results(['a', 'x'.repeat(9000)], ['b', 'short'], ['c', 'y'.repeat(2000)])];
    const fresh = {
      said: [user('go'), answer('', 'a', 'b', 'c')],
      own: 0,
      newest: 1,
      received: told,
      before: undefined,
    };
    const { received: shown } = fit(fresh, sizes(6000, [...fresh.said, ...told]));
    const [message] = shown;
    const texts = message?.role === 'tool' ? message.results.map(({ text }) => text) : [];
    expect(texts[0]).toMatch(/^x+\n\n\[\d+ of 9000 characters left out\]\n\nx+$/);
    expect(texts.slice(1)).toEqual(['short', 'y'.repeat(2000)]);
    expect(bytesOf([...fresh.said, ...shown])).toBeLessThanOrEqual(6000);
  });
});

interface Spoken {
  /** Lengths. */
  text: number;
  calls: { arguments: number; result: number }[];
  /** Whether a user says something after the results. */
  isAddressed: boolean;
}

const spoken: fc.Arbitrary<Spoken> = fc.record({
  text: fc.nat({ max: 2000 }),
  calls: fc.array(fc.record({ arguments: fc.nat({ max: 300 }), result: fc.nat({ max: 9000 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
  isAddressed: fc.boolean(),
});

/** The prompts of a model turn after turn, if none may be longer than the limit. */
function live(turns: readonly Spoken[], limit: number) {
  const said: Message[] = [user('go')];
  let before: Compaction | undefined;
  const sent: { messages: Message[]; fitting: Fitting | undefined }[] = [];
  turns.forEach(({ text, calls, isAddressed }, number) => {
    const made = calls.map((made, index) => ({
      id: `c${number}_${index}`,
      name: 'f',
      arguments: { a: 'a'.repeat(made.arguments) },
    }));
    said.push({ role: 'assistant', text: 'y'.repeat(text), calls: made });
    const received: Message[] = [
      {
        role: 'tool',
        results: calls.map(({ result }, index) => ({
          callId: `c${number}_${index}`,
          name: 'f',
          text: 'x'.repeat(result),
          isError: false,
        })),
      },
      ...(isAddressed ? [user('and a word')] : []),
    ];
    const newest = said.length - 1;
    const asItIs = [...compacted(said, 0, before), ...received];
    let told = received;
    let fitting: Fitting | undefined;
    if (bytesOf(asItIs) > limit) {
      const unsent = { said, own: 0, newest, received, before };
      const measured = sizes(limit, asItIs);
      fitting = fit(unsent, measured);
      const { wanted } = fitting;
      if (wanted !== undefined) {
        const summary = summaryOf(number, newest, 's'.repeat(Math.floor(wanted.summaryBytes)));
        fitting = fit(unsent, measured, summary);
      }
      told = fitting.received;
    }
    before = fitting?.compaction ?? before;
    said.push(...told);
    sent.push({ messages: compacted(said, 0, before), fitting });
  });
  return sent;
}

/** The prompts in each turn of any conversation, within any limit. */
const lived = fc
  .tuple(fc.array(spoken, { maxLength: 25 }), fc.integer({ min: 8000, max: 40_000 }))
  .map(([turns, limit]) => ({ limit, sent: live(turns, limit) }));

describe('a conversation of any kind', () => {
  test('fits, and every API takes it', () => {
    fc.assert(
      fc.property(lived, ({ sent, limit }) => {
        for (const { messages, fitting } of sent) {
          expect(bytesOf(messages)).toBeLessThanOrEqual(limit);
          if (fitting !== undefined) expect(fitting.tokens).toBeCloseTo(bytesOf(messages), 0);
        }
        for (const rules of Object.values(API_RULES)) {
          expect(
            sent.slice(-3).flatMap(({ messages }) => breaches(rules, rules.toWire(messages).parts)),
          ).toEqual([]);
        }
      }),
      { numRuns: cases(60) },
    );
  });

  test('begins with the same messages from one turn to the next, but where something is left out', () => {
    fc.assert(
      fc.property(lived, ({ sent }) => {
        sent.forEach(({ messages, fitting }, index) => {
          const before = sent[index - 1]?.messages ?? [];
          if (fitting === undefined) expect(messages.slice(0, before.length)).toEqual(before);
        });
        const left = sent.flatMap(({ fitting }) =>
          fitting === undefined ? [] : [fitting.compaction.results],
        );
        expect(left).toEqual(left.toSorted((one, other) => one - other));
      }),
      { numRuns: cases(40) },
    );
  });
});

describe('a conversation with attachments', () => {
  const image = (index: number): Attachment => ({
    hash: String(index).padStart(64, '0'),
    type: 'image/png',
    bytes: 2 ** 20,
    width: 1000,
    height: 750,
  });
  const shownBy = (model: string) =>
    showingOf({ model, root: 'top' }, { attachment: async () => undefined, opened: async () => undefined });
  const shown = (index: number): Message => ({ role: 'user', text: 'Look.', attachments: [image(index)] });
  const fitted = (
    count: number,
    limit: number,
    model = 'anthropic/claude-sonnet-4-5',
    before?: Compaction,
  ) => {
    const said = Array.from({ length: count }, (_, index) => [shown(index), answer('Yes.')]).flat();
    const received = [user('And?')];
    const showing = shownBy(model);
    const sent = [...compacted(said, 0, before), ...received];
    const tokens = bytesOf(sent) / 4 + attachmentsIn(sent).length * showing.tokensOf(image(0));
    const unsent = { said, own: 0, newest: said.length - 1, received, before };
    return fit(unsent, { limit, tokens, fixed: 0, showing });
  };

  test('is sent without the oldest once there are more than a request may have, until half is left', () => {
    expect(fitted(25, Infinity).compaction).toEqual({ results: 0, attachments: 13 });
    expect(fitted(21, Infinity, 'bedrock/amazon.nova-pro-v1:0').compaction).toEqual({
      results: 0,
      attachments: 11,
    });
  });

  test('is sent without the oldest once it is longer than the window, before results are left out', () => {
    const { compaction, tokens } = fitted(10, 8_000);
    expect(compaction).toEqual({ results: 0, attachments: 6 });
    expect(tokens).toBeLessThan(8_000);
  });

  test('says what is left out in its place', () => {
    const words = '[image/png left out: 1048576 bytes]';
    expect(compacted([shown(0), shown(1)], 0, { results: 0, attachments: 1 })).toEqual([
      { role: 'user', text: `Look.\n\n${words}`, attachments: [] },
      shown(1),
    ]);
  });
});
