import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startModelServer, type Reply } from '../../../fixtures/model-server.ts';
import { latch } from '../../../fixtures/stage.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';
import { typedInTerminal } from '../../../fixtures/terminal.ts';

const BUSY: Reply = { status: 429, headers: { 'retry-after': '60' }, body: { error: 'try later' } };
const said = (content: string): Reply => ({ body: { message: { content }, done_reason: 'stop', ...USED } });
const Asked = v.object({ model: v.string(), messages: v.array(v.object({ role: v.string() })) });
const agentCall = (agent: string, task: string) => ({ name: 'call_agent', arguments: { agent, task } });
const USED = { prompt_eval_count: 1000, eval_count: 10 };
const CYAN = 6;
const GREEN = 2;
const RED = 1;

/**
 * A lead with these agents below it, each of which answers as its name says: `done…` at once, `held…` when it is
 * released, `broken…` never, and `busy…` asks for patience.
 */
async function project(kids: string[], task = 'a task') {
  const release = latch();
  const server = await startModelServer(async ({ body }) => {
    const { model, messages } = v.parse(Asked, body);
    if (model === 'lead') {
      if (messages.some(({ role }) => role === 'tool')) return said('all of it is done');
      const calls = kids.map((agent) => ({ function: agentCall(agent, task) }));
      return { body: { message: { content: '', tool_calls: calls }, done_reason: 'stop', ...USED } };
    }
    if (model.startsWith('broken')) return { status: 401, body: { error: 'no such key' } };
    const isAsked = model.startsWith('held') || model.startsWith('busy');
    if (model.startsWith('busy') && !released) return BUSY;
    if (isAsked) await release.opened;
    return said('done');
  });
  let released = false;
  onTestFinished(async () => {
    release.open();
    await server.close();
  });
  const agent = (name: string, extra = '') => `name = "${name}"\nmodel = "ollama/${name}"\n${extra}`;
  const names = JSON.stringify(kids);
  const cwd = await tempFolder({
    'agents/lead.toml': agent('lead', `sub_agents = ${names}\n`),
    ...Object.fromEntries(
      kids.map((kid) => [
        `agents/${kid}.toml`,
        agent(kid, '[retry]\nmax_retries = 1\nmax_delay_ms = 60000\n'),
      ]),
    ),
  });
  const cadre = (args: string[], columns: number, rows: number, env: Record<string, string> = {}) =>
    typedInTerminal(args, cwd, { columns, rows }, { CADRE_OLLAMA_BASE_URL: server.url, ...env });
  return {
    cadre,
    start: (columns: number, rows: number, env: Record<string, string> = {}) =>
      cadre(['run', 'lead', '-p', 'go'], columns, rows, env),
    release() {
      released = true;
      release.open();
    },
  };
}

/** Without what differs from run to run. */
const plain = (lines: string[]) =>
  lines.map((line) =>
    line
      .replaceAll(/ *\d+\.\ds/g, ' TIME')
      .replaceAll(/lead-\w{14}/g, 'RUN')
      .replaceAll(/[\d,]+ tokens/g, 'N tokens'),
  );

describe('on a terminal', () => {
  test('an answer of the embedded model comes with a word on what that is', async () => {
    const cwd = await tempFolder({
      'agents/top.toml': 'name = "top"\nmodel = "offline/extractive"\n',
    });
    const prompt = 'The lake is deep. The harbour is old.';
    const run = typedInTerminal(['run', 'top', '-p', prompt], cwd, { columns: 200, rows: 24 });
    expect(await run.ended()).toBe(0);
    const [answer, tree, about] = run.whole();
    expect(tree).toMatch(/^✓ {2}top/);
    expect([answer, about]).toEqual([
      'The lake is deep. The harbour is old.',
      `offline/extractive picks sentences from its input and writes none of its own; for a written answer, name a model in the agent's file, such as model = "anthropic/claude-sonnet-5-5", and set its key`,
    ]);
  });

  test('the tree shows what each run is at, and in which state by colour and by symbol', async () => {
    const { start } = await project(['done', 'held', 'busy', 'broken']);
    const [run, plainRun] = [start(79, 24), start(79, 24, { NO_COLOR: '1' })];
    for (const one of [run, plainRun]) {
      await one.shows('✓  ├ done', '▸  ├ held', '…  ├ busy', '✗  └ broken');
      // Whichever of its two reasons to wait is shown at the moment.
      const shown = plain(one.screen()).map((line) => line.replace('cooldown', 'rate_limit: try…'));
      expect(shown).toEqual([
        '▸  lead      running    1,000 in, 10 out TIME  go',
        '✓  ├ done    succeeded  1,000 in, 10 out TIME  a task',
        '▸  ├ held    running    0 in, 0 out TIME  a task',
        '…  ├ busy    waiting    0 in, 0 out TIME  waits TIME: rate_limit: try…',
        '✗  └ broken  failed     0 in, 0 out TIME  auth: no such key',
      ]);
    }
    const states = ['▸', '✓', '…', '✗', 'running', 'succeeded', 'waiting', 'failed', 'a task'];
    const colours = [CYAN, GREEN, CYAN, RED];
    expect(states.map((text) => run.colourOf(text))).toEqual([...colours, ...colours, undefined]);
    expect(states.map((text) => plainRun.colourOf(text))).toEqual(states.map(() => undefined));
  });

  test('the newest words of each agent at work are seen, as far as the columns go', async () => {
    const words = (mark: string) => Array.from({ length: 60 }, (_, index) => `${mark}${index}`).join(' 湖 ');
    const said = (mark: string) => ({ turns: [{ text: words(mark), delay_ms: 20_000 }], match: mark });
    const calls = ['left', 'right'].map((task) => agentCall('kid', task));
    const cwd = await tempFolder({
      'agents/top.toml': 'name = "top"\nmodel = "scripted/s.json"\nsub_agents = ["kid"]\n',
      'agents/kid.toml': 'name = "kid"\nmodel = "scripted/s.json"\n',
      's.json': JSON.stringify({ conversations: [said('left'), said('right'), { turns: [{ calls }] }] }),
    });
    const run = typedInTerminal(['run', 'top', '-p', 'go'], cwd, { columns: 60, rows: 24 });
    await run.shows('…', 'left2 湖', 'right2 湖');
    const [, left = '', right = ''] = run.screen();
    expect(plain([left])[0]).toMatch(/^▸ {2}├ kid +running +TIME {2}(…|left0).*left\d+( 湖)?$/);
    expect(plain([right])[0]).toMatch(/^▸ {2}└ kid +running +TIME {2}(…|right0).*right\d+( 湖)?$/);
    expect(run.screen()).toHaveLength(3);
  });

  test('a line is a line at 40 columns, however wide its characters are, and so it is at 200', async () => {
    const task = '湖の水質について 👩‍🔬 re\u0301sume\u0301 '.repeat(20);
    const { start } = await project(['held', 'broken'], task);
    const [narrow, wide] = [start(40, 24), start(200, 24)];
    await narrow.shows('▸  ├ held', '✗  └ broken');
    expect(plain(narrow.screen())).toEqual([
      '▸  lead TIME  go',
      '▸  ├ held TIME  湖の水質について…',
      '✗  └ broken TIME  auth: no such key',
    ]);
    await wide.shows('▸  ├ held', '✗  └ broken');
    expect(wide.screen().map((line) => line.slice(0, 12))).toEqual([
      '▸  lead     ',
      '▸  ├ held   ',
      '✗  └ broken ',
    ]);
  });

  test('an agent that begins between others is seen there, also where no line changes with the time', async () => {
    const names = ['dependency-reviewer', 'security-and-privacy'];
    const agent = (name: string, extra = '') => `name = "${name}"\nmodel = "scripted/${name}.json"\n${extra}`;
    const script = (turns: unknown[]) => JSON.stringify({ conversations: [{ turns }] });
    const wait = (name: string) => ({
      name: 'run_command',
      arguments: { command: `until [ -e go-${name} ]; do sleep 0.05; done` },
    });
    const cwd = await tempFolder({
      'agents/top.toml': agent('top', `sub_agents = ${JSON.stringify(names)}\n`),
      'top.json': script([{ calls: names.map((name) => agentCall(name, 'a task')) }]),
      'agents/licences.toml': agent('licences'),
      'licences.json': script([{ text: 'x', delay_ms: 60_000 }]),
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`agents/${name}.toml`, agent(name, 'sub_agents = ["licences"]\ntools = ["run_command"]\n')],
          [`${name}.json`, script([{ calls: [wait(name)] }, { calls: [agentCall('licences', 'a task')] }])],
        ]),
      ),
    });
    const run = typedInTerminal(['run', 'top', '-p', 'go'], cwd, { columns: 40, rows: 24 });
    await run.shows('dependency-r…  run_command', 'security-and…  run_command');
    const before = run.screen();
    // Whichever was opened first.
    const first = names.find((name) => before[1]?.includes(name.slice(0, 12)));
    await writeFile(join(cwd, `go-${first}`), '');
    await run.shows('licences');
    expect(run.screen().map((line) => line.slice(0, 18).trimEnd())).toEqual(
      [before[0], before[1], '▸  │ └ licences', before[2]].map((line) => line?.slice(0, 18).trimEnd()),
    );
  });

  test('a tree that was stopped and resumed is left behind as show has it, and so is one that is watched later', async () => {
    const { start, cadre, release } = await project(['done', 'held']);
    const stopped = start(100, 24);
    await stopped.shows('✓  ├ done', '▸  └ held');
    stopped.type('\u0003');
    await stopped.ended();
    release();
    const resumed = cadre(['resume', 'last'], 100, 24);
    expect(await resumed.ended()).toBe(0);
    const [watched, shown] = [cadre(['watch', 'last'], 100, 24), cadre(['show', 'last'], 100, 24)];
    expect([await watched.ended(), await shown.ended()]).toEqual([0, 0]);
    const figures = (run: typeof resumed) =>
      run.whole().flatMap((line) => /^\S +(lead|[├└] \w+) .* \d+\.\ds/.exec(line)?.[0] ?? []);
    expect(figures(shown).map((line) => line.replaceAll(/ *\d+\.\ds/g, ' TIME'))).toEqual([
      '✓  lead    succeeded  2 turns  2,000 in, 20 out TIME',
      '✓  ├ done  succeeded   1 turn  1,000 in, 10 out TIME',
      '✓  └ held  succeeded   1 turn  1,000 in, 10 out TIME',
    ]);
    expect([figures(resumed), figures(watched)]).toEqual([figures(shown), figures(shown)]);
  });

  test('of more runs than lines those at work are seen and the others counted; all of them at the end', async () => {
    const done = Array.from({ length: 36 }, (_, index) => `done${index + 10}`);
    const kids = ['held1', ...done, 'broken', 'held2'];
    const { start, release } = await project(kids);
    const run = start(120, 16);
    await run.shows('+ 26 ended: ', 'succeeded');
    expect(run.screen()).toHaveLength(15);
    await run.shows('▸  lead', '▸  ├ held1', '▸  └ held2');
    release();
    expect(await run.ended()).toBe(0);

    const whole = plain(run.whole());
    const names = run
      .whole()
      .map((line) => /^.  [├└] (\w+) /.exec(line)?.[1])
      .filter((name) => name !== undefined);
    expect(names).toEqual(kids);
    expect(whole.slice(-2)).toEqual([
      'all of it is done',
      'run RUN succeeded in TIME, 40 runs, N tokens; see: cadre show RUN',
    ]);
  });
});
