import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { replayRun } from '../../../src/doors/cli/commands/replay.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { answer, openQuestions } from '../../fixtures/questions.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { replayed } from '../../fixtures/replayed.ts';
import { call, openStage, use, type Role, type Stage } from '../../fixtures/stage.ts';

const WEATHER = `[[functions]]
name = "weather"
description = "Tells the weather"
file = "weather.ts"
parameters = { type = "object", properties = { city = { type = "string" } }, required = ["city"] }
`;
const LEAD = `system_prompt = "You lead.\\nBe brief.\\nBe kind."\ntools = ["read_file"]\nsub_agents = ["kid"]\n${WEATHER}`;
const KID = 'system_prompt = "You help."\ntools = ["write_file"]\n';

const lead: Role = ({ turn, results }) => {
  if (turn === 1) return [use('weather', { city: 'Ulm' }), use('read_file', { path: 'note.txt' })];
  return turn === 2 ? [call('kid', 'write it down')] : results.join();
};
const kid: Role = ({ turn, results }) =>
  turn === 1 ? [use('write_file', { path: 'out.txt', content: 'rain' })] : results.join();

/** A tree that has called tools and a sub-agent. */
async function ran(): Promise<{
  stage: Stage;
  id: string;
  rewrite: (agent: string, keys: string) => Promise<void>;
}> {
  const files = { 'weather.ts': 'export const handler = () => "rain";', 'note.txt': 'take an umbrella' };
  const stage = await openStage({ top: lead, kid }, { top: LEAD, kid: KID }, files);
  const { code, run } = await stage.run();
  expect(code).toBe(0);
  const rewrite = (agent: string, keys: string) =>
    writeFile(
      join(stage.cwd, `agents/${agent}.toml`),
      `name = "${agent}"\nmodel = "stage/${agent}"\n${keys}`,
    );
  return { stage, id: run.id, rewrite };
}

async function replayIn(cwd: string, run = 'last', json = false) {
  const io = recordedIo(cwd);
  const code = await withEnvironment(io, {}, (environment) => replayRun(run, environment, { json }, io));
  return { code, out: io.out };
}

const child = (id: string) => `${id.replace('top', 'kid')}-t2c1`;

test('a run replays without a difference, and without its models and tools', async () => {
  const { stage, id } = await ran();
  const asked = stage.asked.length;
  for (const file of ['weather.ts', 'note.txt', 'out.txt']) await rm(join(stage.cwd, file));
  expect(await replayIn(stage.cwd)).toEqual({ code: 0, out: 'no difference: 2 runs, 5 turns\n' });
  expect(await replayIn(stage.cwd, child(id), true)).toEqual({
    code: 0,
    out: `${JSON.stringify({ run: id, same: true, runs: 2, turns: 5, never_began: 0, difference: null })}\n`,
  });
  expect(stage.asked).toHaveLength(asked);
});

describe('the first difference is shown, where it is:', () => {
  test('a system prompt', async () => {
    const { stage, id, rewrite } = await ran();
    await rewrite('top', LEAD.replace('Be brief.', 'Be precise.'));
    expect(await replayIn(stage.cwd)).toEqual({
      code: 1,
      out: `the first difference is the system prompt
  in run ${id}, agent "top", before its first turn
--- recorded
+++ now
@@ -1,3 +1,3 @@
 You lead.
-Be brief.
+Be precise.
 Be kind.
`,
    });
  });

  test.each([
    ['the description of a tool', 'Tells the weather', 'Tells what the weather is like'],
    ['the schema of a tool', 'city = { type = "string" }', 'city = { type = "string", maxLength = 9 }'],
  ])('%s', async (_, before, after) => {
    const { stage, id, rewrite } = await ran();
    await rewrite('top', LEAD.replace(before, after));
    const { difference } = await replayed(id, stage);
    expect(difference).toMatchObject({ at: { run: id, path: '', agent: 'top' }, what: 'the tools' });
    expect((await replayIn(stage.cwd)).out).toMatch(/^[+] .*(maxLength|what the weather)/m);
  });

  test('whether a call waits for approval, and for the calls before it', async () => {
    const { stage, id, rewrite } = await ran();
    await rewrite('kid', `${KID}[permissions]\nask = ["write_file"]\n`);
    const { difference } = await replayed(id, stage);
    expect(difference).toMatchObject({ at: { run: child(id), turn: 1, call: 1 } });
    expect(difference?.now).toContain('"gate": true');

    await rewrite('kid', KID);
    await rewrite('top', LEAD.replace('file = "weather.ts"', 'file = "weather.ts"\nwrites = false'));
    expect(await replayed(id, stage)).toMatchObject({
      difference: {
        at: { run: id, turn: 1, call: 1 },
        recorded: expect.stringContaining('"writes": true'),
        now: expect.stringContaining('"writes": false'),
      },
    });
  });
});

describe('no difference is', () => {
  test('an answer that had to be corrected, unless its schema has changed', async () => {
    const schema = (type: string) =>
      `[output]\nschema = { type = "object", properties = { n = { type = "${type}" } }, required = ["n"] }\n`;
    const stage = await openStage(
      { top: ({ turn }) => (turn === 1 ? '{"n":"one"}' : '{"n":1}') },
      { top: schema('integer') },
    );
    const { out, run } = await stage.run();
    expect(JSON.parse(out)).toEqual({ n: 1 });
    expect(await replayed(run.id, stage)).toEqual({ runs: 1, turns: 2, skipped: 0 });
    const agent = `name = "top"\nmodel = "stage/top"\n${schema('number')}`;
    await writeFile(join(stage.cwd, 'agents/top.toml'), agent);
    expect(await replayed(run.id, stage)).toMatchObject({ difference: { what: 'the form of its answer' } });
  });

  test("people's answers, approvals and changed arguments", async () => {
    const stage = await openStage(
      {
        top: ({ turn, results }) => {
          if (turn === 1) return [use('ask_user', { question: 'Where?' })];
          if (turn === 2) return [use('write_file', { path: 'a', content: results.join() })];
          return results.join();
        },
      },
      { top: 'tools = ["ask_user", "write_file"]\n[permissions]\nask = ["write_file"]\n' },
    );
    const ended = stage.run();
    const [question] = await openQuestions(stage.pipeline.store, 1);
    if (question !== undefined) await answer(stage.cwd, question, 'here', 'ann');
    const [approval] = await openQuestions(stage.pipeline.store, 1);
    if (approval !== undefined) {
      await answer(stage.cwd, approval, 'approve', 'ann', { path: 'b', content: 'there' });
    }
    const { out, run } = await ended;
    expect(out).toContain('created "b"');
    expect(await replayed(run.id, stage)).toEqual({ runs: 1, turns: 3, skipped: 0 });
  });

  test("an agent's later memories", async () => {
    const stage = await openStage(
      { top: ({ message }) => `did ${message}` },
      { top: 'system_prompt = "You are top."\n[memory]\nenabled = true\nlast_n = 2\n' },
    );
    const runs = [];
    for (const prompt of ['one', 'two', 'three', 'four']) runs.push(await stage.run({ prompt }));
    for (const { run } of runs) {
      expect(await replayed(run.id, stage)).toEqual({ runs: 1, turns: 1, skipped: 0 });
    }
    expect(await stage.pipeline.local.memories.entries('top', 0)).toHaveLength(4);
  });

  test('how a run ended that failed or was stopped, or that never began', async () => {
    const stage = await openStage(
      {
        top: ({ turn }) => {
          if (turn === 3) throw new Error('the model is gone');
          return [call(turn === 1 ? 'kid' : 'nobody', 'help')];
        },
        kid: () => Promise.reject(new Error('no')),
      },
      { top: 'sub_agents = ["kid", "nobody"]\n' },
    );
    const { run } = await stage.run();
    expect(run.status).toBe('failed');
    expect(await replayed(run.id, stage)).toEqual({ runs: 2, turns: 2, skipped: 1 });
  });
});

test('a run that is under way is not replayed', async () => {
  const stage = await openStage(
    { top: () => [use('ask_user', { question: 'Where?' })] },
    { top: 'tools = ["ask_user"]\n' },
  );
  const ended = stage.run();
  const [open] = await openQuestions(stage.pipeline.store, 1);
  const id = open?.question.run ?? '';
  await expect(replayIn(stage.cwd)).rejects.toThrow(
    `run "${id}" is running; wait for it, or stop it first: cadre stop ${id}`,
  );
  await stage.pipeline.executions.stop((await stage.pipeline.store.run(id))?.execution ?? '', 'enough');
  await ended;
  expect((await replayIn(stage.cwd, id)).code).toBe(0);
});
