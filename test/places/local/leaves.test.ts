import { describe, expect, test } from 'vitest';
import { isExpress } from '../../../src/core/machine/express.ts';
import { ModelError } from '../../../src/errors.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { call, openStage, use, type Role } from '../../fixtures/stage.ts';

const leaves = (express: boolean, more = '') =>
  `timeout = 3600\nsub_agents = ["kid"]\n${more}[sub_agents_config]\nexpress = ${express}\n`;
const READS = 'tools = ["read_file"]\n';

const kindsOf = (tree: readonly Run[]) =>
  tree.map(({ execution, status, holder }) => [
    isExpress(execution) ? 'express' : 'standard',
    status,
    holder,
  ]);

const delegates: Role = ({ turn, results }) => (turn === 1 ? [call('kid', 'x')] : results.join());
const reads: Role = ({ turn, results }) =>
  turn === 1 ? [use('read_file', { path: 'a' })] : `read ${results.join()}`;

describe('a leaf', () => {
  test('runs in an Express execution', async () => {
    const top: Role = ({ turn, results }) =>
      turn === 1 ? [call('kid', 'x'), call('kid', 'y')] : results.join();
    const stage = await openStage({ top, kid: reads }, { top: leaves(true), kid: READS }, { a: 'one' });
    const { code, out, tree } = await stage.run();
    expect({ code, out }).toEqual({ code: 0, out: 'read 1: one,read 1: one' });
    expect(kindsOf(tree)).toEqual([
      ['standard', 'succeeded', 1],
      ['express', 'succeeded', 1],
      ['express', 'succeeded', 1],
    ]);
  });

  test.each([
    ['calls agents', { kid: 'sub_agents = ["kid"]\n' }],
    ['asks people', { kid: 'tools = ["ask_user"]\n' }],
    ['makes calls that a person has to approve', { kid: `${READS}permissions = { ask = ["glob"] }\n` }],
    ['makes copies of itself', { kid: 'tools = ["spawn_agent"]\n' }],
    ['may take longer than five minutes', { kid: 'timeout = 301\n' }],
    ['may be waited for', { top: leaves(true, 'tools = ["agents"]\n') }],
  ])('is none that %s', async (_, files) => {
    const stage = await openStage({ top: delegates, kid: () => 'k' }, { top: leaves(true), ...files });
    const { tree } = await stage.run();
    expect(kindsOf(tree)[1]).toEqual(['standard', 'succeeded', 1]);
  });

  test('shares a turn with other calls, and with calls that a person approves', async () => {
    const top: Role = ({ turn, results }) =>
      turn === 1 ? [call('kid', 'x'), use('read_file', { path: 'a' })] : results.join();
    const files = { top: leaves(true, READS), kid: READS };
    const { out, tree } = await (await openStage({ top, kid: reads }, files, { a: 'one' })).run();
    expect(out).toBe('read 1: one,1: one');
    expect(kindsOf(tree)[1]).toEqual(['express', 'succeeded', 1]);
  });

  test('goes on in a Standard execution where its time runs out, with all that it has', async () => {
    await inHeldTime(async (pass) => {
      const kid: Role = (asked) => {
        if (asked.turn === 1) pass(250_000);
        return reads(asked);
      };
      const stage = await openStage({ top: delegates, kid }, { top: leaves(true), kid: READS }, { a: 'one' });
      const { out, tree } = await stage.run();
      expect(out).toBe('read 1: one');
      expect(stage.asked.map(({ agent, turn }) => `${agent} ${turn}`)).toEqual([
        'top 1',
        'kid 1',
        'kid 2',
        'top 2',
      ]);
      expect(kindsOf(tree)[1]).toEqual(['standard', 'succeeded', 7]);
    });
  });

  test('has no more time in all than it was given, where it is moved', async () => {
    await inHeldTime(async (pass) => {
      const kid: Role = (asked) => {
        pass(asked.turn === 1 ? 250_000 : 32_000);
        asked.signal.throwIfAborted();
        return reads(asked);
      };
      const top = `${leaves(true)}timeout = 280\n`;
      const stage = await openStage({ top: delegates, kid }, { top, kid: READS }, { a: 'one' });
      const { out, tree } = await stage.run();
      expect(out).toBe(
        'Error: sub-agent "kid" failed - timeout after 280s. You may retry or proceed without this result.',
      );
      expect(kindsOf(tree)[1]).toEqual(['standard', 'timed_out', 7]);
    });
  });

  test('goes on in a Standard execution where none can be started for it', async () => {
    const stage = await openStage(
      { top: delegates, kid: reads },
      { top: leaves(true), kid: READS },
      { a: 'one' },
    );
    const { machines } = stage.pipeline;
    const [machine] = machines.listStateMachines();
    const definition = machine?.definition.replaceAll('cadre-leaves', 'nowhere');
    machines.updateStateMachine({ stateMachineArn: machine?.stateMachineArn ?? '', definition });
    const { out, tree } = await stage.run();
    expect(out).toBe('read 1: one');
    expect(kindsOf(tree)[1]).toEqual(['standard', 'succeeded', 7]);
  });

  test('that has failed is not asked again where the answer of its execution is lost', async () => {
    const kid: Role = () => {
      throw new ModelError('auth', 'no');
    };
    const stage = await openStage({ top: delegates, kid }, { top: leaves(true) });
    const { machines } = stage.pipeline;
    const [machine] = machines.listStateMachines();
    const definition = machine?.definition.replaceAll('$said :=', "$said := $error('lost');");
    machines.updateStateMachine({ stateMachineArn: machine?.stateMachineArn ?? '', definition });
    const { out, tree } = await stage.run();
    expect(out).toBe(
      'Error: sub-agent "kid" failed - auth: no. You may retry or proceed without this result.',
    );
    expect(stage.asked.map(({ agent, turn }) => `${agent} ${turn}`)).toEqual(['top 1', 'kid 1', 'top 2']);
    expect(kindsOf(tree)[1]).toEqual(['express', 'failed', 1]);
  });

  test.each(['succeeds', 'fails'])('that %s is told as any sub-agent is', async (end) => {
    const told = async (express: boolean) => {
      const kid: Role = (asked) => {
        if (end === 'fails' && asked.turn === 2) throw new Error('no');
        return reads(asked);
      };
      const stage = await openStage(
        { top: delegates, kid },
        { top: leaves(express), kid: READS },
        { a: 'one' },
      );
      const events: object[] = [];
      stage.onEvent((event) => events.push(event));
      const { out } = await stage.run();
      const text = JSON.stringify(events)
        .replaceAll(/-[a-z0-9]{14}\b/g, '')
        .replaceAll(/"(at|durationMs|latencyMs)":("[^"]*"|[\d.]+)/g, '"$1":0');
      return { out, events: text };
    };
    expect(await told(true)).toEqual(await told(false));
  });
});
