import { seconds, type Seconds } from '../../src/core/records/times.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifyEnvironment } from '../../src/doors/cli/commands/verify.ts';
import { SCENARIOS } from '../../src/authoring/verify/scenarios.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { nightlyTest, sample } from '../fixtures/nightly.ts';
import { startRehearsal, type Rehearsal } from './rehearsal.ts';
import { ACCOUNT, REGION } from './stack.ts';

let rehearsal: Rehearsal;
let sweeping: NodeJS.Timeout;
beforeAll(async () => {
  rehearsal = await startRehearsal({ agents: {}, roles: {} });
  // Five minutes, in an account.
  sweeping = setInterval(() => rehearsal.events.tick(), 5_000);
});
afterAll(async () => {
  clearInterval(sweeping);
  await rehearsal.events.delivered();
  await rehearsal.close();
});
beforeEach(() => {
  for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
});

// Each takes seconds.
const { deployment: _attended, ...ALONE } = SCENARIOS;
const GATED = sample(3, [...new Set(['kill', 'stop', 'schedule', 'in-order', ...Object.keys(ALONE)])]);
const STOPPED = ['stop', 'wide-stop', 'lost-event'];

async function verify(scenario: string, options: { json?: boolean; timeout?: Seconds } = {}) {
  const io = recordedIo('/');
  const code = await verifyEnvironment({ env: 'dev', scenario, timeout: seconds(490), ...options }, io);
  return { code, out: io.out, err: io.err };
}

const stateMachineArn = `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:cadre-dev`;
const running = () => rehearsal.machines.listExecutions({ stateMachineArn, statusFilter: 'RUNNING' });

// Milliseconds: functions start from cold, each in a process of its own.
describe('cadre verify', { timeout: 500_000 }, () => {
  test.concurrent.each(GATED)('finds that the environment does as the interpreter: %s', async (scenario) => {
    const { code, out } = await verify(scenario, { json: true });
    const count = expect.any(Number);
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        environment: 'dev',
        same: true,
        scenarios: [
          {
            scenario,
            runs: [expect.stringMatching(/^cadre-verify-[\w-]+$/)],
            status: STOPPED.includes(scenario) ? 'stopped' : 'succeeded',
            executions: count,
            events: count,
            transitions: count,
            seconds: count,
            differences: [],
          },
        ],
      },
    ]);
  });

  test('leaves nothing that runs, and no schedule', () => {
    const name = expect.stringMatching(/^cadre-dev-verify-\w+$/);
    expect(running()).toEqual([]);
    expect(rehearsal.scheduler.deeds.map((deed) => deed.split(' ').slice(0, 2))).toEqual([
      ['created', name],
      ['removed', name],
    ]);
    expect(rehearsal.scheduler.deeds[0]).toMatch(/ for cadre-dev-VerificationSchedulerRole\w+$/);
    expect(rehearsal.events.deadLetters).toEqual([]);
  });

  test('shows what differs, with the first event that does', async () => {
    const { definition } = rehearsal.machines.describeStateMachine(stateMachineArn);
    const other = definition
      .replace('"StartAt":"Open"', '"StartAt":"Prelude"')
      .replace('"States":{', '"States":{"Prelude":{"Type":"Pass","Next":"Open"},');
    rehearsal.machines.updateStateMachine({ stateMachineArn, definition: other });
    try {
      const { code, out, err } = await verify('api');
      expect(code).toBe(1);
      // How much there is of each changes with the machine.
      expect(out.replaceAll(/ +\d+(\.\d)?(?= )/g, ' N')).toBe(`\
scenario  ended as   executions  events  states  seconds  differs
api       succeeded N N N N  execution middle, execution quick-t1c1

api: execution middle, line 2: the interpreter has "TaskStateEntered Open", the environment "PassStateEntered Prelude"
api: execution quick-t1c1, line 2: the interpreter has "TaskStateEntered Open", the environment "PassStateEntered Prelude"
`);
      expect(err).toMatch(
        /^api: signed requests that .*\n\d+ states entered, about \$0.0\d+; its run stays listed until expiry: cadre runs --env dev\n$/,
      );
    } finally {
      rehearsal.machines.updateStateMachine({ stateMachineArn, definition });
    }
  });

  test('shows a function that had to be called again', async () => {
    rehearsal.lambda.loseNextAnswerOf('cadre-dev-turn');
    const { code, out } = await verify('schedule');
    expect(code).toBe(1);
    expect(out).toContain(
      'schedule: execution quick, line 10: the interpreter has "TaskSucceeded", the environment "TaskFailed Runtime.ExitError"\n',
    );
  });

  test('stops what it started when it is interrupted', async () => {
    const io = recordedIo('/');
    const verifying = verifyEnvironment({ env: 'dev', scenario: 'resume', timeout: seconds(300) }, io);
    await expect.poll(() => running().length).toBeGreaterThan(1);
    io.interrupt();
    expect([await verifying, io.out, io.err.split('\n').at(-2)]).toEqual([
      130,
      '',
      'Error: interrupted by the user; what was still running is stopped',
    ]);
    expect(running()).toEqual([]);
  });

  test('stops what it started when its time is up', async () => {
    const { code, err } = await verify('timeout', { timeout: seconds(1) });
    expect([code, err.split('\n').at(-2)]).toEqual([
      1,
      'Error: not done within 1s (--timeout); what was still running is stopped',
    ]);
    expect(running()).toEqual([]);
  });

  nightlyTest('waits for a deployment, after which all that is open goes on as it began', async () => {
    const verifying = verify('deployment', { json: true });
    const stateOf = (agent: string) =>
      rehearsal.machines
        .listExecutions({ stateMachineArn })
        .flatMap(({ name, status }) => (name.startsWith(`cadre-verify-${agent}-`) ? [status] : []));
    const isSetUp = () => stateOf('asking').includes('RUNNING') && stateOf('waiting').includes('ABORTED');
    await expect.poll(isSetUp, { timeout: 120_000 }).toBe(true);
    await rehearsal.redeploy({});
    const { code, out } = await verifying;
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { scenarios: [{ status: 'succeeded', differences: [] }] },
    ]);
  });

  test('names the scenarios that there are', async () => {
    await expect(verify('none')).rejects.toMatchObject({
      name: 'ConfigError',
      message:
        'unknown scenario "none": expected one of parallel, in-order, failures, timeout, leaves, long-leaf, background, throttling, stop, wide-stop, lost-event, kill, redrive, resume, deployment, schedule, api',
    });
  });
});
