import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifyEnvironment } from '../../src/cli/commands/verify.ts';
import { SCENARIOS } from '../../src/verification/scenarios.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { startRehearsal, type Rehearsal } from './rehearsal.ts';

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await startRehearsal({ agents: {}, roles: {} });
}, 30_000);
afterAll(() => rehearsal.close());
beforeEach(() => {
  for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
});

async function verify(scenario: string) {
  const io = recordedIo('/');
  const code = await verifyEnvironment({ env: 'dev', scenario, timeout: 60, json: true }, io);
  return { code, report: JSON.parse(io.out), err: io.err };
}

describe('a deployed environment does as the interpreter does', { timeout: 60_000 }, () => {
  test.concurrent.each(Object.keys(SCENARIOS))('%s', async (scenario) => {
    const result = await verify(scenario);
    console.log(JSON.stringify(result));
    expect(result.code).toBe(0);
  });
});
