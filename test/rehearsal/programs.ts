import { describe, expect, test, vi } from 'vitest';
import { openCadre } from '../../src/doors/library/open-cadre.ts';
import { runAgent } from '../../src/doors/library/run-agent.ts';
import { RunError } from '../../src/doors/library/run-error.ts';
import type { RunEvent } from '../../src/core/events/event.ts';
import { SILENCE, type Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

/** Programs that call the agents of an environment. */
export const AGENTS = {
  patron: 'name = "patron"\nmodel = "bedrock/anthropic.claude-patron"\nsub_agents = ["scout"]\n',
  scout: 'name = "scout"\nmodel = "bedrock/anthropic.claude-scout"\n',
  brooder: 'name = "brooder"\nmodel = "bedrock/anthropic.claude-brooder"\n',
};
let isBrooding = true;
export const ROLES: Record<string, Role> = {
  patron: ({ turn }) => (turn === 1 ? [{ call: 'scout', task: 'look it up' }] : 'The scout found it.'),
  scout: () => 'found',
  brooder: () => (isBrooding ? SILENCE : 'an idea'),
};

export function stubEnvironment(): void {
  for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
}

export const describePrograms = () =>
  describe('a program in a deployed environment', () => {
    test('calls an agent and is told of its tree', async () => {
      stubEnvironment();
      const events: RunEvent[] = [];
      const { content, run } = await runAgent('patron', {
        environment: 'dev',
        prompt: 'go',
        onEvent: (event) => events.push(event),
      });
      expect([content, run.status, run.tree.runs]).toEqual(['The scout found it.', 'succeeded', 2]);
      expect(events.map(({ agent, type }) => `${agent} ${type}`)).toEqual(
        expect.arrayContaining(['patron run_opened', 'scout run_closed', 'patron run_closed']),
      );
    });

    test('starts a run, stops it by its id and resumes it', async () => {
      stubEnvironment();
      const cadre = await openCadre({ environment: 'dev' });
      const { id, result } = await cadre.start('brooder', { prompt: 'think' });
      await cadre.stop(id);
      const thrown: unknown = await result().catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(RunError);
      expect(thrown).toMatchObject({ run: { id, status: 'stopped' } });
      isBrooding = false;
      const resumed = await cadre.resume(id);
      expect(await resumed.result()).toMatchObject({ content: 'an idea', run: { id, status: 'succeeded' } });
      await cadre.close();
    });

    test('writes to an agent that has answered, and finds it among the runs', async () => {
      stubEnvironment();
      const cadre = await openCadre({ environment: 'dev' });
      const { run } = await cadre.run('patron', { prompt: 'find it' });
      const { result } = await cadre.send(run.id, 'And now?');
      expect(await result()).toMatchObject({
        content: 'The scout found it.',
        run: { id: run.id, status: 'succeeded', usage: { turns: 3 } },
      });
      expect(await cadre.runs({ agent: 'patron', limit: 1 })).toMatchObject([{ id: run.id }]);
      expect(await cadre.show(run.id)).toMatchObject({ content: 'The scout found it.' });
      await cadre.close();
    });

    test('names no folder: the agents are those that were deployed', async () => {
      await expect(openCadre({ environment: 'dev', folder: '.' })).rejects.toThrow(
        'folder is for runs in this process; leave it out, or leave environment out',
      );
    });
  });
