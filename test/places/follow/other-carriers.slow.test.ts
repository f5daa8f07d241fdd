import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';
import { openInterpreterRig } from '../../../src/authoring/verify/interpreter-rig.ts';
import { Play } from '../../../src/authoring/verify/play.ts';
import { SCENARIOS, type Scenario } from '../../../src/authoring/verify/scenarios.ts';
import { serveToHolder } from '../../../src/doors/api/serve-to-holder.ts';
import type { Folder } from '../../../src/places/local/local-environment.ts';
import { openFolder } from '../../../src/places/local/open-folder.ts';
import { startCommand } from '../../fixtures/command.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { nightlyTest } from '../../fixtures/nightly.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { latch } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { followTwice } from './follow-twice.ts';

const Asked = v.object({
  model: v.string(),
  messages: v.array(v.object({ role: v.string(), content: v.string() })),
});

/** A top that hears two sub-agents, of which the second hears nothing the first time that it is asked. */
async function silentOnce() {
  let isSilent = true;
  const arrived = latch();
  const release = latch();
  const server = await startModelServer(async ({ body }) => {
    const { model, messages } = v.parse(Asked, body);
    const results = messages.filter(({ role }) => role === 'tool');
    if (isSilent && model === 'kid' && messages.some(({ content }) => content.includes('two'))) {
      isSilent = false;
      arrived.open();
      await release.opened;
    }
    const calls = ['one', 'two'].map((task) => ({
      function: { name: 'call_agent', arguments: { agent: 'kid', task } },
    }));
    const message =
      model === 'top' && results.length === 0
        ? { content: '', tool_calls: calls }
        : { content: `${model} did` };
    return { body: { message, done_reason: 'stop' } };
  });
  onTestFinished(async () => {
    release.open();
    await server.close();
  });
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "ollama/top"\nsub_agents = ["kid"]\n',
    'agents/kid.toml': 'name = "kid"\nmodel = "ollama/kid"\n',
  });
  return { cwd, env: { CADRE_OLLAMA_BASE_URL: server.url }, arrived: arrived.opened };
}

test('of a tree whose process is killed and which another process resumes, all is told as it is read afterwards', async () => {
  const { cwd, env, arrived } = await silentOnce();
  const command = startCommand(['run', 'top', '-p', 'go'], cwd, env);
  await arrived;
  const folder = await openFolder({ cwd, sources: () => localSources(recordedIo(cwd, { env })) });
  onTestFinished(() => folder.close());
  const { value: top } = await folder.records.roots(1)[Symbol.asyncIterator]().next();
  const { expectSame } = followTwice(top.id, folder, folder.local.runs);
  command.process.kill('SIGKILL');
  await command.ended();
  await folder.resume(top);
  await folder.ended(top.id, { wholeTree: true });
  const tree = await folder.records.tree(top.id);
  expect(tree.map(({ path, status }) => `${path} ${status}`.trim())).toEqual([
    'succeeded',
    't1c1 succeeded',
    't1c2 succeeded',
  ]);
  await expectSame();
});

/** A scenario whose trees are followed from their beginnings. */
class FollowedPlay extends Play {
  readonly followed: ReturnType<typeof followTwice>[] = [];
  readonly folder: Folder;

  constructor(folder: Folder, ...given: ConstructorParameters<typeof Play>) {
    super(...given);
    this.folder = folder;
  }

  override own(run: string): void {
    super.own(run);
    this.followed.push(followTwice(run, this.folder, this.folder.local.runs));
  }
}

async function playFollowed({ play }: Scenario): Promise<FollowedPlay['followed']> {
  const opened: Folder[] = [];
  const rig = await openInterpreterRig((served) => {
    opened.push(served.folder);
    return serveToHolder(served);
  });
  onTestFinished(() => rig.close());
  const [folder] = opened;
  if (folder === undefined) throw new Error('the rig serves no folder');
  const played = new FollowedPlay(folder, rig, new AbortController().signal);
  await play(played);
  return played.followed;
}

/** One that takes 200 seconds, and what takes seconds. */
const { 'long-leaf': LONG, ...SHORT } = SCENARIOS;

async function expectSameOf(scenarios: readonly Scenario[]): Promise<void> {
  for (const followed of await Promise.all(scenarios.map(playFollowed))) {
    expect(followed.length).toBeGreaterThan(0);
    for (const { expectSame } of followed) await expectSame();
  }
}

test('of every scenario of cadre verify, all is told as it is read afterwards', () =>
  expectSameOf(Object.values(SHORT)));

nightlyTest('so it is of a leaf that is moved to another execution', () =>
  expectSameOf(LONG === undefined ? [] : [LONG]),
);
