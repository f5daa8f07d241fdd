import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, vi } from 'vitest';
import { openCloudEnvironment } from '../../src/places/aws/cloud-environment.ts';
import type { Environment } from '../../src/places/environment.ts';
import { CONTRACT_AGENTS, CONTRACT_ROLES, openGates } from '../places/contract-agents.ts';
import { environmentContract, type ContractRig } from '../places/environment-contract.ts';
import type { Role } from './converse.ts';
import { startRehearsal, type Rehearsal } from './rehearsal.ts';

/** A model that there is not is refused by the service. */
const { broken: _broken, ...ANSWERING } = CONTRACT_ROLES;

// Milliseconds: functions start from cold, each in a process of its own.
describe('a deployed environment, and two clients of it,', () => {
  let rehearsal: Rehearsal;
  let here: Environment;
  let there: Environment;

  beforeAll(async () => {
    rehearsal = await startRehearsal({ agents: filesOf(CONTRACT_AGENTS), roles: rolesOf(ANSWERING) });
    for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
    [here, there] = [await openCloudEnvironment('dev'), await openCloudEnvironment('dev')];
  });
  beforeEach(() => {
    for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    openGates();
    for (const environment of [here, there]) await environment.close();
    await rehearsal.close();
  });

  environmentContract((): ContractRig => ({
    here,
    there,
    // The turn function dies with its next answer, which it has kept.
    die: async () => rehearsal.lambda.loseNextAnswerOf('cadre-dev-turn'),
  }));
});

function filesOf(agents: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(agents).map(([name, keys]) => [
      name,
      `name = "${name}"\nmodel = "bedrock/anthropic.claude-${name}"\n${keys}`,
    ]),
  );
}

function rolesOf(roles: typeof CONTRACT_ROLES): Record<string, Role> {
  const sleep = (ms: number) => delay(ms, undefined, { ref: false });
  return Object.fromEntries(
    Object.entries(roles).map(([name, role]): [string, Role] => [
      name,
      async ({ turn, message, told, results }) => {
        const texts = results.map(({ text }) => text);
        const said = await role({ turn, message, told, results: texts, sleep });
        return typeof said === 'string' ? said : said.map(({ tool, input }) => ({ tool, input }));
      },
    ]),
  );
}
