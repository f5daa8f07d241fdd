import { seconds, type Seconds } from '../../../src/core/records/times.ts';
import { expect, onTestFinished, test } from 'vitest';
import { resumeRun } from '../../../src/core/lifecycle/resume.ts';
import { startRun } from '../../../src/core/lifecycle/start.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { ModelError } from '../../../src/errors.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { answer, openQuestions as untilAsked } from '../../fixtures/questions.ts';
import {
  call,
  latch,
  openStage,
  openStageIn,
  silence,
  use,
  type Role,
  type Stage,
} from '../../fixtures/stage.ts';
import { followTwice } from './follow-twice.ts';

interface Scenario {
  roles: Record<string, Role>;
  /** More of the agents' files. */
  extra?: Record<string, string>;
  files?: Record<string, string>;
  timeout?: Seconds;
  /** How each run is in the end. */
  ends: string[];
  /** What people do once the tree works, and once it has ended. */
  meanwhile?(tree: Tree): Promise<void>;
  afterwards?(tree: Tree): Promise<void>;
}

/** A tree that is followed. */
interface Tree {
  id: string;
  stage: Stage;
  roles: Record<string, Role>;
  /** Waits until an agent of that name has begun a turn. */
  asked(agent: string): Promise<void>;
}

const isForked = ({ request }: Parameters<Role>[0]) => isTold(request, 'forked by');
const isTold = (request: Parameters<Role>[0]['request'], text: string) =>
  request.messages.some((message) => message.role === 'user' && message.text.includes(text));
const delegates: Role = ({ turn }) => (turn === 1 ? [call('kid', 'x'), call('kid', 'y')] : 'done');
const KID = { top: 'sub_agents = ["kid"]\n' };
const asks: Role = ({ turn, results }) =>
  turn === 1 ? [use('ask_user', { question: 'why?', choices: ['a', 'b'] })] : results.join();

async function stop({ id, stage }: Tree): Promise<void> {
  const run = await stage.pipeline.store.run(id);
  await stage.pipeline.executions.stop(run?.execution ?? '', 'enough');
}

/** As another process goes on with it, whose models answer. */
async function resume({ id, stage, roles }: Tree): Promise<void> {
  const { pipeline } = await openStageIn(stage.cwd, roles);
  const run = await pipeline.store.run(id);
  if (run === undefined) throw new Error('there is nothing to resume');
  const { execution } = await resumeRun(run, {}, { ...pipeline, now: Date.now });
  await pipeline.executions.wait(execution);
  await pipeline.settled();
}

/** A sub-agent that hears nothing the first time that it is asked. */
function silentOnce(): Role {
  let times = 0;
  return (asked) => (++times === 1 ? silence(asked) : 'at last');
}

const SCENARIOS: Record<string, () => Scenario> = {
  'sub-agents at once, with tools, of which one is refused': () => ({
    ends: ['succeeded', 't1c2 succeeded', 't1c4 succeeded'],
    roles: {
      top: ({ turn }) =>
        turn === 1
          ? [use('read_file', { path: 'f' }), call('kid', 'x'), use('no_such_tool', {}), call('kid', 'y')]
          : 'done',
      kid: ({ turn }) => (turn === 1 ? [use('read_file', { path: 'f' })] : 'so'),
    },
    extra: { top: 'sub_agents = ["kid"]\ntools = ["read_file"]\n', kid: 'tools = ["read_file"]\n' },
    files: { f: 'a line\n' },
  }),
  'calls that write, one after another': () => ({
    ends: ['succeeded'],
    roles: {
      top: ({ turn }) =>
        turn === 1 ? ['a', 'b'].map((path) => use('write_file', { path, content: 'x' })) : 'done',
    },
    extra: { top: 'tools = ["write_file"]\n' },
  }),
  'a sub-agent that fails, and one that does not exist': () => ({
    ends: ['succeeded', 't1c1 failed'],
    roles: {
      top: ({ turn }) => (turn === 1 ? [call('kid', 'x'), call('nobody', 'y')] : 'done'),
      kid: () => Promise.reject(new ModelError('auth', 'no such key')),
    },
    extra: KID,
  }),
  'a top that fails': () => ({
    ends: ['failed'],
    roles: { top: () => Promise.reject(new ModelError('auth', 'no such key')) },
  }),
  'an agent that cannot be loaded': () => ({
    ends: ['failed'],
    roles: { top: () => 'done' },
    extra: { top: 'skill = "none"\n' },
  }),
  'a sub-agent that is killed': () => ({
    ends: ['succeeded', 't1c1 stopped', 't1c2 succeeded'],
    roles: { top: delegates, kid: (asked) => (asked.message.includes('x') ? silence(asked) : 'so') },
    extra: KID,
    async meanwhile({ id, stage, asked }) {
      await asked('kid');
      const tree = await stage.pipeline.store.tree(id);
      const kid = tree.find(({ path }) => path === 't1c1');
      if (kid !== undefined) await stage.environment.kill(kid);
    },
  }),
  'a tree that is stopped': () => ({
    ends: ['stopped', 't1c1 stopped', 't1c2 stopped'],
    roles: { top: delegates, kid: silence },
    extra: KID,
    async meanwhile(tree) {
      await tree.asked('kid');
      await stop(tree);
    },
  }),
  'a tree that is stopped and resumed': () => ({
    ends: ['succeeded', 't1c1 succeeded', 't1c2 succeeded'],
    roles: { top: delegates, kid: silentOnce() },
    extra: KID,
    async meanwhile(tree) {
      await tree.asked('kid');
      await stop(tree);
    },
    afterwards: resume,
  }),
  'sub-agents that run out of time': () => ({
    ends: ['succeeded', 't1c1 timed_out', 't1c2 timed_out'],
    roles: { top: delegates, kid: silence },
    extra: { top: `${KID.top}[sub_agents_config]\ntimeout = 1\n` },
  }),
  'a top that runs out of time': () => ({
    ends: ['timed_out'],
    roles: { top: silence },
    timeout: seconds(1),
  }),
  'a tree that reaches its budget': () => ({
    ends: ['budget_exceeded', 't1c1 succeeded', 't1c2 budget_exceeded'],
    roles: { top: delegates, kid: () => 'so' },
    extra: { top: `${KID.top}[budget]\nmax_turns = 2\n` },
  }),
  'a question that is answered': () => ({
    ends: ['succeeded'],
    roles: { top: asks },
    extra: { top: 'tools = ["ask_user"]\n' },
    async meanwhile({ stage }) {
      const [open] = await untilAsked(stage.pipeline.store, 1);
      if (open !== undefined) await answer(stage.cwd, open, 'b', 'ann');
    },
  }),
  'a question that nobody answers in time': () => ({
    ends: ['succeeded'],
    roles: { top: asks },
    extra: { top: 'tools = ["ask_user"]\npatience = "1s"\n' },
  }),
  'a question of a tree that is stopped and resumed': () => ({
    ends: ['succeeded'],
    roles: { top: asks },
    extra: { top: 'tools = ["ask_user"]\n' },
    async meanwhile(tree) {
      await untilAsked(tree.stage.pipeline.store, 1);
      await stop(tree);
    },
    async afterwards(tree) {
      const resumed = resume(tree);
      const [open] = await untilAsked(tree.stage.pipeline.store, 1);
      if (open !== undefined) await answer(tree.stage.cwd, open, 'b', 'ann');
      await resumed;
    },
  }),
  'a fork that goes on beside its parent': () => ({
    ends: ['succeeded', 't1c1 idle'],
    roles: {
      top: (asked) => {
        if (isForked(asked)) return 'forked';
        return asked.turn === 1 ? [use('fork', { prompt: 'p', name: 'a' })] : 'ready';
      },
    },
    extra: { top: 'tools = ["fork"]\n' },
  }),
  'a copy that a person makes, and wakes': () => ({
    ends: ['succeeded', 't1c101 idle'],
    roles: { top: ({ request }) => (isTold(request, 'p1') ? 'the copy' : 'the answer') },
    extra: { top: 'tools = ["fork"]\n' },
    async afterwards({ id, stage }) {
      const { records, fork, send, ended } = stage.environment;
      const run = await records.run(id);
      if (run === undefined) throw new Error('there is nothing to fork');
      const copy = await fork(run);
      await send({ run: copy.id, text: 'p1' });
      await ended(copy.id, { wholeTree: true });
    },
  }),
};

test.each(Object.entries(SCENARIOS))(
  '%s: live, watched and read afterwards, it is the same',
  async (_, make) => {
    const { roles, extra, files, timeout, meanwhile, afterwards, ends: expected } = make();
    const begun = new Map<string, ReturnType<typeof latch>>();
    const ofAgent = (agent: string) => begun.get(agent) ?? begun.set(agent, latch()).get(agent) ?? latch();
    const heard = Object.entries(roles).map(([name, role]): [string, Role] => [
      name,
      (asked) => {
        ofAgent(name).open();
        return role(asked);
      },
    ]);
    const stage = await openStage(Object.fromEntries(heard), extra, files);
    const { pipeline, cwd } = stage;
    const { runs: store, close } = await openLocalStore(cwd);
    onTestFinished(close);
    const id = newRunId('top', Date.now());
    const { expectSame } = followTwice(id, stage.environment, store);
    const tree: Tree = { id, stage, roles, asked: (agent) => ofAgent(agent).opened };
    const request = { agent: 'top', prompt: 'go', ...(timeout !== undefined && { overrides: { timeout } }) };
    await pipeline.carryOut(id, async () => {
      const execution = await startRun(id, request, pipeline);
      await Promise.all([pipeline.executions.wait(execution), meanwhile?.(tree)]);
    });
    await afterwards?.(tree);
    const ends = (await store.tree(id)).map(({ path, status }) => `${path} ${status}`.trim());
    expect(ends).toEqual(expected);
    await expectSame();
  },
);
