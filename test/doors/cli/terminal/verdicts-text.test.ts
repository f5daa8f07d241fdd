import { expect, test } from 'vitest';
import type { ScenarioVerdict } from '../../../../src/authoring/verify/verify.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';
import { typed } from '../../../fixtures/typed.ts';
import { closingLine, toReport, verdictsText } from '../../../../src/doors/cli/terminal/verdicts-text.ts';

const same: ScenarioVerdict = {
  scenario: 'stop',
  runs: ['stop-1', 'stop-2'],
  status: 'stopped',
  executions: 3,
  events: 1_234,
  transitions: 40_000,
  seconds: 12.34,
  differences: [],
};
const different: ScenarioVerdict = {
  ...same,
  scenario: 'in-order',
  runs: ['in-1'],
  status: 'succeeded',
  transitions: 9,
  differences: [
    { where: 'run a', line: 2, expected: '1 turn', actual: '2\nturns' },
    { where: 'execution b', line: 7, expected: 'it ends', actual: 'access denied' },
  ],
};
const leftOut: ScenarioVerdict = {
  ...same,
  scenario: 'api',
  runs: [],
  status: '',
  executions: 0,
  events: 0,
  transitions: 0,
  seconds: 0,
  leftOut: 'it takes tokens',
};

test('scenarios are shown in a table, and what differs or is left out in a line each', () => {
  expect(verdictsText([same, different, leftOut])).toBe(`\
scenario  ended as   executions  events  states  seconds  differs
stop      stopped             3   1,234  40,000     12.3  no
in-order  succeeded           3   1,234       9     12.3  run a, execution b
api       -                   0       0       0      0.0  left out

in-order: run a, line 2: the interpreter has "1 turn", the environment "2 turns"
in-order: execution b, line 7: the interpreter has "it ends", the environment "access denied"
api is left out: it takes tokens
`);
  expect(verdictsText([same])).toBe(`\
scenario  ended as  executions  events  states  seconds  differs
stop      stopped            3   1,234  40,000     12.3  no
`);
});

test('what they cost and leave is told at the end', () => {
  expect([closingLine('prod', [same, different, leftOut]), closingLine('dev', [different])]).toEqual([
    '40,009 states entered, about $1.00; its 3 runs stay listed until expiry: cadre runs --env prod',
    '9 states entered, about $0.000225; its run stays listed until expiry: cadre runs --env dev',
  ]);
});

test('a report has all of it', () => {
  expect([toReport('dev', [different, leftOut]), toReport('prod', [leftOut])]).toEqual([
    {
      environment: 'dev',
      same: false,
      scenarios: [
        { ...different, seconds: 12.3 },
        { ...leftOut, leftOut: undefined, left_out: 'it takes tokens' },
      ],
    },
    {
      environment: 'prod',
      same: true,
      scenarios: [{ ...leftOut, leftOut: undefined, left_out: 'it takes tokens' }],
    },
  ]);
});

test('a scenario that there is not is refused, with those that there are', async () => {
  expect(await typed(['verify', '--env', 'dev', '--scenario', 'stpo'], await tempFolder({}))).toEqual({
    code: 2,
    out: '',
    err: 'Error: unknown scenario "stpo": expected one of parallel, in-order, failures, timeout, leaves, long-leaf, background, throttling, stop, wide-stop, lost-event, kill, redrive, resume, deployment, schedule, api\n',
  });
});
