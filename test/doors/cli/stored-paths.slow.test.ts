import { existsSync } from 'node:fs';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { startCommand } from '../../fixtures/command.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed, typedServer } from '../../fixtures/typed.ts';

// Every way in which a conversation of a folder goes on, with a run whose recorded workdir has come to lead out of the
// project, while its agent's file says nothing of it any more. Requests to /v1, calls of MCP's tools and schedules begin
// a run of their own each time.

const TOUCH = 'calls = [{ name = "write_file", arguments = { path = "touched", content = "" } }]';
const ASK = 'calls = [{ name = "ask_user", arguments = { question = "Well?" } }]';
const BROKEN = 'error = { category = "auth", message = "no" }';

const agent = (keys: string) => `name = "top"\nmodel = "scripted/script.toml"
tools = ["write_file", "ask_user"]\ntimeout = 60\n${keys}`;

const script = (...turns: string[]) =>
  `[[conversations]]\n${turns.map((turn) => `[[conversations.turns]]\n${turn}\n`).join('')}`;

const THEN = [TOUCH, 'text = "done"'];
const FAULT = 'the workdir "work" of this run leads out of the project';

/** A project with a run that has come as far as its first turn. */
async function begun(first: string) {
  const outside = await tempFolder();
  const cwd = await tempFolder({
    'agents/top.toml': agent('workdir = "work"\npatience = "1h"\n'),
    'script.toml': script(first, ...THEN),
    'work/a.txt': '',
  });
  return {
    cwd,
    /** Has the workdir lead out, where the agent's file does not name it any more. */
    async swap() {
      await rename(join(cwd, 'work'), join(cwd, 'before'));
      await symlink(outside, join(cwd, 'work'));
      await writeFile(join(cwd, 'agents/top.toml'), agent(''));
      await writeFile(join(cwd, 'script.toml'), script(first === BROKEN ? TOUCH : first, ...THEN));
    },
    touched: () => existsSync(join(outside, 'touched')),
  };
}

const json = (body: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const RunId = v.object({ run_id: v.string() });
const Runs = v.object({ runs: v.array(v.object({ run_id: v.string(), status: v.string() })) });
const hello = { id: 'm1', role: 'user', content: 'go' };

async function newest({ url }: At) {
  const { runs } = v.parse(Runs, await (await fetch(`${url}/runs`)).json());
  return runs[0];
}

async function start({ url }: At): Promise<string> {
  const started = await fetch(`${url}/agents/top/runs`, json({ prompt: 'go' }));
  return v.parse(RunId, await started.json()).run_id;
}

/** A server. */
interface At {
  url: string;
}

interface Door {
  name: string;
  first?: string;
  begin?: (served: At) => Promise<string>;
  /** How far it has to come first. */
  until: string;
  goOn: (served: At, id: string) => Promise<unknown>;
}

const thread = (messages: unknown[]) => json({ threadId: 't', runId: 'r', messages, tools: [], context: [] });

const DOORS: Door[] = [
  {
    name: 'POST /runs/{id}/messages',
    until: 'succeeded',
    goOn: ({ url }, id) => fetch(`${url}/runs/${id}/messages`, json({ text: 'more' })),
  },
  {
    name: 'POST /runs/{id}/resume',
    first: BROKEN,
    until: 'failed',
    goOn: ({ url }, id) => fetch(`${url}/runs/${id}/resume`, json({})),
  },
  {
    name: 'POST /runs/{id}/questions/{question}/answer',
    first: ASK,
    until: 'waiting',
    goOn: ({ url }, id) => fetch(`${url}/runs/${id}/questions/t1c1/answer`, json({ text: 'so' })),
  },
  {
    name: 'POST /runs/{id}/fork',
    until: 'succeeded',
    goOn: ({ url }, id) => fetch(`${url}/runs/${id}/fork`, json({ text: 'more', turn: 1 })),
  },
  {
    name: 'POST /agents/{name}/ag-ui',
    begin: async (served) => {
      await (await fetch(`${served.url}/agents/top/ag-ui`, thread([hello]))).text();
      return (await newest(served))?.run_id ?? '';
    },
    until: 'succeeded',
    goOn: async ({ url }) =>
      (
        await fetch(
          `${url}/agents/top/ag-ui`,
          thread([
            hello,
            { id: 'm2', role: 'assistant', content: 'hi' },
            { id: 'm3', role: 'user', content: 'more' },
          ]),
        )
      ).text(),
  },
];

const statusOf = async ({ url }: At, id: string) =>
  v.parse(v.looseObject({ status: v.string() }), await (await fetch(`${url}/runs/${id}`)).json()).status;

const asked = async ({ url }: At) =>
  v.parse(v.object({ questions: v.array(v.unknown()) }), await (await fetch(`${url}/questions`)).json())
    .questions.length;

test.each(DOORS)('$name takes no run out of its project', async ({ first = 'text = "hi"', ...door }) => {
  const { cwd, swap, touched } = await begun(first);
  const served = await typedServer(['serve', '--port', '0'], cwd);
  const id = await (door.begin ?? start)(served);
  if (door.until === 'waiting') await expect.poll(() => asked(served)).toBe(1);
  else await expect.poll(() => statusOf(served, id)).toBe(door.until);
  await swap();
  await door.goOn(served, id);
  await expect
    .poll(async () => {
      const { run_id: last = '' } = (await newest(served)) ?? {};
      return (await fetch(`${served.url}/runs/${last}`)).json();
    })
    .toMatchObject({ status: 'failed', error: `${FAULT}, which is not allowed here` });
  expect(touched()).toBe(false);
});

test('a server takes up no run that one which died has left, and that leads out by now', async () => {
  const { cwd, swap, touched } = await begun(ASK);
  const dying = startCommand(['serve', '--port', '0'], cwd);
  await dying.says('stop with Ctrl-C\n');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(dying.err) ?? [];
  const id = await start({ url });
  await expect.poll(() => asked({ url })).toBe(1);
  dying.process.kill('SIGKILL');
  await dying.ended();
  await swap();
  const next = await typedServer(['serve', '--port', '0'], cwd);
  await fetch(`${next.url}/runs/${id}/questions/t1c1/answer`, json({ text: 'so' }));
  await expect
    .poll(async () => (await fetch(`${next.url}/runs/${id}`)).json())
    .toMatchObject({ status: 'failed', error: `${FAULT}, which is not allowed here` });
  expect(touched()).toBe(false);
});

test.each([
  ['resume', BROKEN, (id: string) => ['resume', id]],
  ['send', 'text = "hi"', (id: string) => ['send', id, 'more']],
  ['fork', 'text = "hi"', (id: string) => ['fork', id, 'more', '--turn', '1']],
] as const)('cadre %s tells its user, who decides', async (_, first, words) => {
  const { cwd, swap } = await begun(first);
  await typed(['run', 'top', '-p', 'go', '--json'], cwd);
  const listed = JSON.parse((await typed(['runs', '--json'], cwd)).out.split('\n')[0] ?? '{}');
  const { run_id: id } = v.parse(RunId, Array.isArray(listed) ? listed[0] : listed);
  await swap();
  const { err } = await typed([...words(id)], cwd);
  expect(err.split(`Warning: ${FAULT}`)).toHaveLength(2);
  await rm(join(cwd, 'work'));
});
