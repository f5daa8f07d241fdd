import { PHASES, type ShownPhase } from '../../src/core/reports/words/phase-words.ts';
import { arrow, box, svg, text } from './svg.ts';

/** The pictures of docs/concepts.md, by the names of their files in docs/pictures/. */
export const CONCEPT_PICTURES: Readonly<Record<string, () => string>> = {
  'turn.svg': turn,
  'tree.svg': tree,
  'share.svg': share,
  'phases.svg': phases,
};

function turn(): string {
  return svg(760, 250, 'An agent as a loop of turns, plans, steps and results', [
    box(20, 40, 150, 64, 'Turn', 'ask the model'),
    box(305, 40, 150, 64, 'Plans', 'one for each call'),
    box(590, 40, 150, 64, 'Steps', 'tools, agents, people'),
    box(20, 180, 150, 50, 'Answer', '', 'good'),
    arrow([170, 72], [305, 72]),
    text(237, 58, 'calls', { anchor: 'middle', ink: 'muted', size: 13 }),
    arrow([455, 72], [590, 72]),
    text(522, 58, 'allowed', { anchor: 'middle', ink: 'muted', size: 13 }),
    arrow([665, 104], [665, 142], [130, 142], [130, 104]),
    text(400, 158, 'results begin the next turn', { anchor: 'middle', ink: 'muted', size: 13 }),
    arrow([70, 104], [70, 180]),
    text(80, 168, 'no calls', { ink: 'muted', size: 13 }),
    text(380, 18, 'stored before anything acts on it', { anchor: 'middle', ink: 'accent', size: 13 }),
    '<path d="M95 40V18H270" fill="none" stroke="var(--accent)" stroke-dasharray="3 4"/>',
    '<path d="M380 28V40" fill="none" stroke="var(--accent)" stroke-dasharray="3 4"/>',
  ]);
}

function tree(): string {
  const run = (x: number, y: number, name: string, phase: ShownPhase, about: string) => {
    const { symbol, tone } = PHASES[phase];
    return [
      box(x, y, 170, 60, name, about),
      text(x + 14, y + 20, symbol, { ink: tone === 'work' ? 'accent' : tone, isBold: true }),
    ].join('\n');
  };
  const below = (from: readonly [number, number], ...to: readonly (readonly [number, number])[]) =>
    to.map(([x, y]) => arrow(from, [from[0], y - 30], [x, y - 30], [x, y]));
  return svg(760, 340, 'A tree of runs: a top, sub-agents below it, and one that failed', [
    run(295, 20, 'review', 'running', 'the top'),
    ...below([380, 80], [105, 140], [380, 140], [655, 140]),
    run(20, 140, 'security', 'running', 'waits for one below'),
    run(295, 140, 'tests', 'succeeded', 'its result is stored'),
    run(570, 140, 'docs', 'asking', 'asks a person'),
    ...below([105, 200], [105, 260], [380, 260]),
    run(20, 260, 'packages', 'failed', 'its caller read why'),
    run(295, 260, 'packages', 'succeeded', 'called once more'),
  ]);
}

function share(): string {
  const WIDTH = 720;
  const bar = (y: number, from: number, to: number, fill: string) =>
    `<rect x="${20 + from * WIDTH}" y="${y}" width="${(to - from) * WIDTH}" height="26" fill="var(--${fill})" stroke="var(--edge)"/>`;
  const words = { anchor: 'middle', size: 13 } as const;
  const middle = (from: number, to: number) => 20 + ((from + to) / 2) * WIDTH;
  return svg(760, 250, 'Shares of a budget of one dollar', [
    text(20, 20, 'review: a budget of $1.00', { isBold: true }),
    bar(36, 0, 0.2, 'selected'),
    bar(36, 0.2, 0.5, 'raised'),
    bar(36, 0.5, 0.8, 'raised'),
    bar(36, 0.8, 1, 'surface'),
    text(middle(0, 0.2), 49, 'spent $0.20', words),
    text(middle(0.2, 0.5), 49, 'held by security', words),
    text(middle(0.5, 0.8), 49, 'held by tests', words),
    text(middle(0.8, 1), 49, 'free', words),
    ...[0.2, 0.5].map((from) => arrow([middle(from, from + 0.3), 62], [middle(from, from + 0.3), 112])),
    text(middle(0.2, 0.5), 126, 'security: a share of $0.30', { anchor: 'middle', isBold: true, size: 14 }),
    bar(142, 0.2, 0.32, 'selected'),
    bar(142, 0.32, 0.42, 'attention-soft'),
    bar(142, 0.42, 0.5, 'surface'),
    text(middle(0.2, 0.32), 155, 'spent', words),
    text(middle(0.32, 0.42), 155, 'reserved', words),
    text(middle(0.42, 0.5), 155, 'free', words),
    text(middle(0.5, 0.8), 126, 'tests: a share of $0.30', { anchor: 'middle', isBold: true, size: 14 }),
    bar(142, 0.5, 0.7, 'selected'),
    bar(142, 0.7, 0.8, 'surface'),
    text(middle(0.5, 0.7), 155, 'spent', words),
    text(middle(0.7, 0.8), 155, 'free', words),
    text(20, 200, 'Reserved: what the answer that is being asked for can cost at most.', {
      ink: 'muted',
      size: 13,
    }),
    text(20, 222, 'What a sub-agent has not used goes back to its caller when it ends.', {
      ink: 'muted',
      size: 13,
    }),
  ]);
}

/** What each phase means to a person who looks at a list of runs. */
const MEANINGS: Readonly<Record<ShownPhase, string>> = {
  running: 'it works, or waits for a tool or for other agents',
  asking: 'it waits for a person: an answer, or an approval',
  waiting: 'the model’s API asked for patience; it goes on by itself',
  idle: 'it has answered, and begins again when a message comes',
  succeeded: 'it has answered',
  budget_exceeded: 'a limit ended it; its answer so far is kept',
  failed: 'it has no answer, and says why',
  timed_out: 'its deadline passed',
  stopped: 'a person stopped it',
  killed: 'it was ended for good; nothing brings it back',
  interrupted: 'the process that carried it has died',
};

function phases(): string {
  const rows = Object.entries(MEANINGS).map(([phase, meaning]) => ({ ...lookOf(phase), meaning }));
  const LINE = 30;
  return svg(
    760,
    rows.length * LINE + 20,
    'The phases of a run, with their symbols',
    rows.flatMap(({ symbol, word, tone, meaning }, index) => {
      const y = 10 + (index + 0.5) * LINE;
      const ink = tone === 'work' ? 'accent' : tone;
      return [
        text(30, y, symbol, { ink, anchor: 'middle', isBold: true }),
        text(56, y, word, { ink, isBold: true }),
        text(220, y, meaning),
      ];
    }),
  );
}

function lookOf(phase: string) {
  const [, look] = Object.entries(PHASES).find(([name]) => name === phase) ?? [];
  if (look === undefined) throw new Error(`no phase ${phase}`);
  return look;
}
