import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Difference } from '../../../src/authoring/replay/difference.ts';
import { recordingOf, type Recording, type RecordedRun } from '../../../src/authoring/replay/recording.ts';
import { replayRun } from '../../../src/doors/cli/commands/replay.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { replayed, replayedAs } from '../../fixtures/replayed.ts';
import { call, openStage, use, type Role } from '../../fixtures/stage.ts';

const TOP =
  'system_prompt = "You lead.\\nBe brief.\\nBe kind."\ntools = ["read_file"]\nsub_agents = ["kid"]\n';
const KID = 'system_prompt = "You help."\ntools = ["write_file"]\n';

const top: Role = ({ turn, results }) => {
  if (turn === 1) return [use('read_file', { path: 'note.txt' }), use('read_file', { path: 'none.txt' })];
  return turn === 2 ? [call('kid', 'write it down')] : results.join();
};
const kid: Role = ({ turn, results }) =>
  turn === 1 ? [use('write_file', { path: 'out.txt', content: 'rain' })] : results.join();

/** A tree that has called tools and a sub-agent: `rewrite` changes its agents, and `look` what was recorded of it. */
async function ran() {
  const stage = await openStage({ top, kid }, { top: TOP, kid: KID }, { 'note.txt': 'take an umbrella' });
  const { code, run, tree } = await stage.run();
  expect(code).toBe(0);
  const recording = await recordingOf(run.id, stage.pipeline.store);
  return {
    stage,
    id: run.id,
    tokens: tree.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0),
    inTop: { run: run.id, path: '', agent: 'top' },
    inKid: { run: `${run.id.replace('top', 'kid')}-t2c1`, path: 't2c1', agent: 'kid' },
    async rewrite(top: string, kid = KID) {
      for (const [agent, keys] of Object.entries({ top, kid })) {
        const file = join(stage.cwd, `agents/${agent}.toml`);
        await writeFile(file, `name = "${agent}"\nmodel = "stage/${agent}"\n${keys}`);
      }
      return replayed(run.id, stage);
    },
    /** What replaying shows if something else had been recorded of the top. */
    async look(change: (top: RecordedRun) => void) {
      const {
        runs: [own = expect.fail(), ...others],
      }: Recording = structuredClone(recording);
      change(own);
      return replayedAs({ runs: [own, ...others] }, stage.cwd);
    },
  };
}

async function replayIn(cwd: string, run = 'last', json = false) {
  const io = recordedIo(cwd);
  const code = await withEnvironment(io, {}, (environment) => replayRun(run, environment, { json }, io));
  return { code, out: io.out };
}

test('the first difference that a change of agents makes is shown, where it is', async () => {
  const { stage, id, tokens, rewrite, inTop, inKid } = await ran();
  const plan = (other: object) => JSON.stringify({ ...other }, undefined, 2);
  const invoke = { isRepeatable: true, kind: 'invoke', seconds: 60 };
  const all = { runs: 2, turns: 5, skipped: 0 };
  const untilKid = { runs: 1, turns: 2, skipped: 0 };
  const none = { runs: 0, turns: 0, skipped: 0 };
  expect(await rewrite(TOP)).toEqual(all);
  expect(await rewrite(TOP, KID.replace('help', 'write'))).toEqual({
    ...untilKid,
    difference: { at: inKid, what: 'the system prompt', recorded: 'You help.', now: 'You write.' },
  });
  expect(await rewrite(`${TOP}[permissions]\ndeny = ["read_file(none.*)"]\n`)).toEqual({
    ...none,
    runs: 1,
    difference: {
      at: { ...inTop, turn: 1, call: 2 },
      what: 'what is done about the call of read_file',
      recorded: plan({ ...invoke, subject: 'none.txt', writes: false }),
      now: plan({
        isError: true,
        kind: 'done',
        text: 'Permission denied: "read_file" is denied by the rule read_file(none.*).',
      }),
    },
  });
  expect(await rewrite(TOP, `${KID}[permissions]\nask = ["write_file"]\n`)).toEqual({
    ...untilKid,
    runs: 2,
    difference: {
      at: { ...inKid, turn: 1, call: 1 },
      what: 'what is done about the call of write_file',
      recorded: plan({ ...invoke, subject: 'out.txt', writes: true }),
      now: plan({ gate: true, ...invoke, subject: 'out.txt', writes: true }),
    },
  });
  expect(await rewrite(TOP, `${KID}[params]\ntemperature = 0.5\n`)).toEqual({
    ...untilKid,
    difference: { at: inKid, what: 'the temperature', recorded: '', now: '0.5' },
  });
  const tooMuch = (recorded: string, now: string) => ({
    ...none,
    difference: {
      at: inTop,
      what: 'the budget',
      recorded: `the tree used ${recorded}`,
      now: `it may use ${now}`,
    },
  });
  expect(await rewrite(`${TOP}[budget]\nmax_turns = 4\n`)).toEqual(tooMuch('5 turns', '4 turns'));
  expect(
    await rewrite(`${TOP}[budget]\nmax_turns = 5\nmax_tool_calls = 4\nmax_tokens = ${tokens}\n`),
  ).toEqual(all);
  expect(await rewrite(`${TOP}[budget]\nmax_tool_calls = 3\n`)).toEqual(
    tooMuch('4 tool calls', '3 tool calls'),
  );
  expect(await rewrite(`${TOP}[budget]\nmax_tokens = ${tokens - 1}\n`)).toEqual(
    tooMuch(`${tokens} tokens`, `${tokens - 1} tokens`),
  );

  await rewrite(TOP);
  await rm(join(stage.cwd, 'agents/kid.toml'));
  const difference: Difference = {
    at: inKid,
    what: 'whether it can be opened',
    recorded: 'it was opened',
    now: 'failed to load agent "kid": agent config not found: kid',
  };
  const report = { run: id, same: false, runs: 1, turns: 2, never_began: 0, difference };
  expect(await replayIn(stage.cwd, inKid.run, true)).toEqual({ code: 1, out: `${JSON.stringify(report)}\n` });
  expect(await replayIn(stage.cwd)).toEqual({
    code: 1,
    out: `the first difference is whether it can be opened
  in run ${inKid.run}, agent "kid" at t2c1, before its first turn
--- recorded
+++ now
@@ -1,1 +1,1 @@
-it was opened
+failed to load agent "kid": agent config not found: kid
`,
  });
});

test('the first difference from what was recorded is found, and is in the conversation where it begins', async () => {
  const { look, inTop } = await ran();
  const found = async (change: (top: RecordedRun) => void) => (await look(change)).difference;
  const plain = { role: 'user' as const, text: 'and then?' };
  const resultOf = ({ turns }: RecordedRun, turn: number) => {
    const [message] = turns[turn]?.received ?? [];
    return (message?.role === 'tool' && message.results[0]) || expect.fail();
  };
  const turnOf = ({ turns }: RecordedRun, number: number) => turns[number - 1] ?? expect.fail();
  for (const [at, what, recorded, now, change] of [
    [
      { turn: 1, call: 1 },
      'the result of read_file',
      '1: take an umbrella',
      'other',
      ({ results }) => void Object.assign(results['t1c1'] ?? {}, { text: 'other' }),
    ],
    [
      { turn: 1, call: 1 },
      'the result of read_file',
      '(error) none',
      '1: take an umbrella',
      (run) => Object.assign(resultOf(run, 1), { text: 'none', isError: true }),
    ],
    [
      { turn: 2, call: 1 },
      'the result of call_agent',
      'other',
      'created "out.txt" (4 bytes)',
      (run) => Object.assign(resultOf(run, 2), { text: 'other' }),
    ],
    [
      { turn: 2 },
      'message 4 to its model (user)',
      'and then?',
      '',
      (run) => turnOf(run, 2).received.push(plain),
    ],
    [
      { turn: 1 },
      'what is wrong with the answer',
      'one\ntwo',
      '',
      (run) => Object.assign(turnOf(run, 1), { faults: ['one', 'two'] }),
    ],
    [
      { turn: 2 },
      'whether it goes on',
      'too much',
      'it goes on after this turn',
      (run) => Object.assign(turnOf(run, 2), { exceeded: 'too much' }),
    ],
  ] satisfies [object, string, string, string, (top: RecordedRun) => unknown][]) {
    expect(await found(change)).toEqual({ at: { ...inTop, ...at }, what, recorded, now });
  }

  // What a model was sent with every turn.
  for (const [what, now, then] of [
    ['the model', 'stage/top', { model: 'other/model' }],
    ['the system prompt', 'You lead.\nBe brief.\nBe kind.', { system: 'You follow.' }],
    ['the first message', 'go', { message: 'come' }],
    ['what it inherits', '', { history: [] }],
    ['the input that it reads', '', { inputOf: 'top-2' }],
    ['the form of its answer', '', { output: { schema: true } }],
    ['the temperature', '', { temperature: 0.5 }],
    ['the most tokens of an answer', '0', { maxTokens: 7 }],
    ['the reasoning effort', '', { reasoningEffort: 'low' }],
    ['the API', '', { api: 'chat' }],
    ['the folder of its tools', '', { workdir: 'sub' }],
  ]) {
    const difference = await found(({ opened }) => Object.assign(opened ?? {}, then));
    expect(difference).toMatchObject({ at: inTop, what, now });
  }
});
