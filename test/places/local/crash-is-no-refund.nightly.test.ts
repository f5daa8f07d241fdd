import * as v from 'valibot';
import { expect, onTestFinished, test } from 'vitest';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { startCommand, type Command } from '../../fixtures/command.ts';
import { startModelServer } from '../../fixtures/model-server.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const BUDGET = 3_000;
const COST = { prompt_eval_count: 40, eval_count: 500 };
const Sent = v.object({ options: v.object({ num_predict: v.number() }) });

test('a run that is killed whenever its answer arrives does not pass its budget, however often it is resumed', async () => {
  let running: Command | undefined;
  const limits: number[] = [];
  const server = await startModelServer(({ body }) => {
    limits.push(v.parse(Sent, body).options.num_predict);
    // The answer is on its way, and will be paid.
    running?.process.kill('SIGKILL');
    return { body: { message: { content: 'so' }, done_reason: 'stop', ...COST } };
  });
  onTestFinished(() => server.close());
  const cwd = await tempFolder({
    'agents/top.toml': `name = "top"\nmodel = "ollama/top"\n[params]\nmax_tokens = 500\n[budget]\nmax_tokens = ${BUDGET}\n`,
  });
  const cadre = (...args: string[]) => startCommand(args, cwd, { CADRE_OLLAMA_BASE_URL: server.url });
  const recordOf = async (): Promise<Run | undefined> => {
    const { runs, close } = await openLocalStore(cwd);
    try {
      for await (const run of runs.roots(1)) return run;
      return undefined;
    } finally {
      await close();
    }
  };

  running = cadre('run', 'top', '-p', 'go');
  let end = await running.ended();
  for (let resumed = 0; end.code === null && resumed < 20; resumed++) {
    running = cadre('resume', (await recordOf())?.id ?? 'none');
    end = await running.ended();
  }
  const delivered = limits.length * (COST.prompt_eval_count + COST.eval_count);
  expect(delivered).toBeLessThanOrEqual(BUDGET);
  expect(limits.length).toBeGreaterThan(2);
  expect({ code: end.code, status: (await recordOf())?.status }).toEqual({
    code: 4,
    status: 'budget_exceeded',
  });
  expect(end.err).toMatch(
    /^budget exceeded: used 0 of 3000 tokens, 3000 left; the next call could cost up to \d+, and calls without an answer up to [23]\d{3}$/m,
  );
});
