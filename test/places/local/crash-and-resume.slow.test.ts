import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { withoutClosingLine } from '../../fixtures/closing-line.ts';
import { startCommand } from '../../fixtures/command.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { latch, type Latch } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { nightlyTest } from '../../fixtures/nightly.ts';

const request = v.object({
  model: v.string(),
  messages: v.array(v.object({ role: v.string(), content: v.string() })),
});
type Request = v.InferOutput<typeof request>;

/** `top 2`: an agent and its turn; with the task it was given where it is not the top. */
function turnOf({ model, messages }: Request): string {
  const turn = 1 + messages.filter(({ role }) => role === 'assistant').length;
  const [first] = messages;
  return model === 'top' ? `top ${turn}` : `${model} ${turn} ${first?.content.replace('Task: ', '')}`;
}

const delegate = (agent: string, task: string) => ({
  function: { name: 'call_agent', arguments: { agent, task } },
});

/** The top asks two at once, then one of them again, and then says all that it heard. */
function answerTo({ model, messages }: Request): { content: string; tool_calls?: object[] } {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  if (model !== 'top') return { content: `${model} did ${messages[0]?.content}` };
  if (results.length === 0)
    return { content: '', tool_calls: [delegate('left', 'one'), delegate('right', 'two')] };
  if (results.length === 2) return { content: '', tool_calls: [delegate('left', 'three')] };
  return { content: results.join('; ') };
}

const ANSWER = 'left did Task: one; right did Task: two; left did Task: three';
const TURNS = ['left 1 one', 'left 1 three', 'right 1 two', 'top 1', 'top 2', 'top 3'];

/** A project and a model's server that keeps the first request for the turn `held` waiting. */
async function stageOf(held: string) {
  const asked: string[] = [];
  const arrived = latch();
  const release: Latch = latch();
  const server = await startModelServer(async ({ body }) => {
    const parsed = v.parse(request, body);
    const turn = turnOf(parsed);
    asked.push(turn);
    if (turn === held && asked.filter((other) => other === held).length === 1) {
      arrived.open();
      await release.opened;
    }
    return { body: { message: answerTo(parsed), done_reason: 'stop' } };
  });
  onTestFinished(async () => {
    release.open();
    await server.close();
  });
  const agent = (name: string, extra = '') => `name = "${name}"\nmodel = "ollama/${name}"\n${extra}`;
  const cwd = await tempFolder({
    'agents/top.toml': agent('top', 'sub_agents = ["left", "right"]\n'),
    'agents/left.toml': agent('left'),
    'agents/right.toml': agent('right'),
  });
  const env = { CADRE_OLLAMA_BASE_URL: server.url };
  return {
    cadre: (...args: string[]) => startCommand(args, cwd, env),
    arrived: arrived.opened,
    asked,
    async tree(): Promise<Run[]> {
      const { runs, close } = await openLocalStore(cwd);
      try {
        for await (const run of runs.roots(1)) return await runs.tree(run.id);
        return [];
      } finally {
        await close();
      }
    },
  };
}

/** Kills a run while the model is asked for the turn `held`, after it has said `said`, and goes on with it. */
async function killAndResume(held: string, said: string) {
  const { cadre, arrived, asked, tree } = await stageOf(held);
  const run = cadre('run', 'top', '-p', 'go', '-v');
  await Promise.all([arrived, run.says(said)]);
  run.process.kill('SIGKILL');
  await run.ended();
  const [top] = await tree();
  const { code, out, err } = await cadre('resume', top?.id ?? 'none').ended();
  return {
    code,
    out,
    err: withoutClosingLine(err),
    asked: asked.sort(),
    statuses: (await tree()).map(({ status }) => status),
  };
}

test('a run that was killed goes on where it was, and no finished turn is paid twice', async () => {
  const points = [
    ['right 1 two', '[sub-agent] "left" completed'],
    ['top 3', '[turn 3] Sending request'],
  ] as const;
  const [undisturbed, ...resumed] = await Promise.all([
    stageOf('nothing').then(({ cadre }) => cadre('run', 'top', '-p', 'go').ended()),
    ...points.map(([held, said]) => killAndResume(held, said)),
  ]);
  expect(undisturbed).toEqual({
    code: 0,
    out: ANSWER,
    err: expect.stringMatching(
      /^run top-\w+ succeeded in \d+\.\ds, 4 runs, 555 tokens; see: cadre show top-\w+\n$/,
    ),
  });
  expect(resumed).toEqual(
    points.map(([held]) => ({
      code: 0,
      out: ANSWER,
      err: '',
      // Only what was under way when the process died is asked again.
      asked: [...TURNS, held].sort(),
      statuses: ['succeeded', 'succeeded', 'succeeded', 'succeeded'],
    })),
  );
});

nightlyTest(
  'a run that was killed is told as interrupted by watch and show, and has its answer after resume',
  async () => {
    const { cadre, arrived, tree } = await stageOf('left 1 one');
    const run = cadre('run', 'top', '-p', 'go');
    await arrived;
    const id = (await tree())[0]?.id ?? 'none';
    const watch = cadre('watch', id);
    await watch.says('[turn 1] Received response');
    run.process.kill('SIGKILL');
    await run.ended();
    const { code, err } = await watch.ended();
    expect({ code, last: err.trimEnd().split('\n').at(-1) }).toEqual({
      code: 1,
      last: `run "${id}" is interrupted; continue it with: cadre resume ${id}`,
    });
    expect(await cadre('show', id, '--answer').ended()).toEqual({
      code: 1,
      out: '',
      err: `Error: run "${id}" has no answer: its status is interrupted\n`,
    });
    expect(await cadre('resume', id, '--timeout', '600').ended()).toMatchObject({ code: 0, out: ANSWER });
    expect((await tree())[0]?.timeout).toBe(600);
    expect(await cadre('show', id, '--answer').ended()).toEqual({ code: 0, out: ANSWER, err: '' });
  },
);

nightlyTest(
  'a run that is carried out is not resumed; Ctrl-C stops it at once and leaves it to be resumed',
  async () => {
    const { cadre, arrived, asked, tree } = await stageOf('left 1 one');
    const run = cadre('run', 'top', '-p', 'go', '-v');
    await Promise.all([arrived, run.says('[sub-agent] "right" completed')]);
    const id = (await tree())[0]?.id ?? 'none';

    const second = await cadre('resume', id).ended();
    expect(second).toMatchObject({ code: 2, out: '' });
    expect(second.err).toMatch(/^Error: run ".+" is running in process \d+; .+\n$/);

    const mistyped = await cadre('resume', id.replace('top', 'tpo')).ended();
    expect(mistyped).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^Error: run not found: tpo-.+\n$/),
    });

    run.process.kill('SIGINT');
    const { code, out, err } = await run.ended();
    expect({ code, out, last: err.trimEnd().split('\n').slice(-2) }).toEqual({
      code: 130,
      out: '',
      last: [
        'Error: interrupted by the user',
        expect.stringMatching(`^run ${id} was stopped by you in .+; continue it with: cadre resume ${id}$`),
      ],
    });
    expect((await tree()).map(({ agent, status }) => `${agent} ${status}`)).toEqual([
      'top stopped',
      'left stopped',
      'right succeeded',
    ]);

    expect(await cadre('resume', id).ended()).toMatchObject({ code: 0, out: ANSWER });
    expect(asked.sort()).toEqual([...TURNS, 'left 1 one'].sort());
  },
);

nightlyTest('stop ends a run of another process, and closes what a dead one left open', async () => {
  const { cadre, arrived, tree } = await stageOf('left 1 one');
  const run = cadre('run', 'top', '-p', 'go');
  await arrived;
  const id = (await tree())[0]?.id ?? 'none';
  const stopped = { code: 0, out: '', err: `run "${id}" has ended: stopped\n` };
  expect(await cadre('stop', id).ended()).toEqual(stopped);
  expect((await run.ended()).code).toBe(130);
  expect(await cadre('stop', id).ended()).toMatchObject({
    code: 2,
    err: `Error: run "${id}" has ended: its status is stopped\n`,
  });

  const again = cadre('resume', id, '-v');
  await again.says('[sub-agent] Calling "left"');
  again.process.kill('SIGKILL');
  await again.ended();
  expect(await cadre('stop', id).ended()).toEqual(stopped);
  expect((await tree()).filter(({ status }) => status === 'running')).toEqual([]);
});

test('kill ends a sub-agent of another process, which goes on, and of a dead one, which is resumed without it', async () => {
  const told = (id: string) =>
    `Error: sub-agent "left" failed - killed by a person (${id}). You may retry or proceed without this result.`;
  const ended = (id: string) => ANSWER.replace('left did Task: one', told(id));
  for (const isDead of [false, true]) {
    const { cadre, arrived, asked, tree } = await stageOf('left 1 one');
    const run = cadre('run', 'top', '-p', 'go');
    await arrived;
    if (isDead) {
      run.process.kill('SIGKILL');
      await run.ended();
    }
    const [top, left] = await tree();
    const id = left?.id ?? 'none';
    expect(await cadre('kill', id).ended()).toEqual({ code: 0, out: '', err: `killed ${id}\n` });
    const goesOn = isDead ? cadre('resume', top?.id ?? 'none') : run;
    expect(await goesOn.ended()).toMatchObject({ code: 0, out: ended(id) });
    expect(asked.filter((turn) => turn === 'left 1 one')).toEqual(['left 1 one']);
  }
});
