import { describe, expect, test } from 'vitest';
import { startCommand } from '../fixtures/command.ts';
import { latch } from '../fixtures/stage.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import type { Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "bedrock/anthropic.claude-${name}"\n${more}`;
export const AGENTS = {
  braked: agent('braked', 'sub_agents = ["aided"]\ntimeout = 86400\n'),
  aided: agent('aided'),
};

const isAsked = latch();
const goesOn = latch();
const asked: string[] = [];
export const ROLES: Record<string, Role> = {
  async braked({ turn, results }) {
    asked.push(`braked ${turn}`);
    if (turn > 1) return results.map(({ text }) => text).join();
    isAsked.open();
    await goesOn.opened;
    return [{ call: 'aided', task: 'help' }];
  },
  aided() {
    asked.push('aided');
    return 'helped';
  },
};

const HOUR_MS = 3_600_000;

const post = (path: string, json: unknown = {}) => rehearsal.askApi('POST', path, { caller: 'ada', json });
const get = (path: string) => rehearsal.askApi('GET', path, { caller: 'ada' });

// Milliseconds: functions and commands start from cold, each in a process of its own.
export const describePausing = () =>
  describe('a paused environment', () => {
    test('starts nothing, asks no model again, and goes on where it stood', async () => {
      const cwd = await tempFolder();
      const cadre = (...args: string[]) =>
        startCommand([...args, '--env', 'dev'], cwd, rehearsal.environment).ended();
      const run = String((await post('/agents/braked/runs', { prompt: 'go' })).body['run_id']);
      await isAsked.opened;
      expect(await cadre('pause', '--reason', 'a drill')).toMatchObject({
        code: 0,
        out: '',
        err: 'environment "dev" is paused: nothing is started, and turns under way are the last; go on with: cadre unpause --env dev\n',
      });

      const refusal =
        / is paused|paused by \S+ since \S+Z \(a drill\): nothing is started; go on with: cadre unpause --env dev/;
      expect(await post('/agents/aided/runs', { prompt: 'go' })).toMatchObject({
        status: 503,
        body: { title: 'Service Unavailable', detail: expect.stringMatching(refusal) },
      });
      expect(await cadre('run', 'aided', '-p', 'go')).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(refusal),
      });
      const tick = rehearsal.tick('cadre-dev-daily', '2026-11-23T06:00:00Z');
      expect(await rehearsal.machines.ended(tick)).toMatchObject({ status: 'SUCCEEDED' });
      expect((await get('/runs?agent=daily')).body).toMatchObject({ runs: [] });

      goesOn.open();
      const tree = async () => (await get(`/runs/${run}`)).body;
      await expect.poll(tree).toMatchObject({ status: 'running', turns: 1, tree: { runs: 2 } });
      expect(asked).toEqual(['braked 1']);

      expect(await cadre('unpause')).toMatchObject({
        code: 0,
        err: expect.stringContaining('environment "dev" goes on; it was paused by '),
      });
      rehearsal.clock.skip(HOUR_MS);
      expect((await get(`/runs/${run}/result?wait=25`)).body).toMatchObject({
        status: 'succeeded',
        content: 'helped',
      });
      expect(asked).toEqual(['braked 1', 'aided', 'braked 2']);
      expect(await cadre('unpause')).toMatchObject({
        code: 1,
        err: 'Error: environment "dev" is not paused\n',
      });
    });
  });
