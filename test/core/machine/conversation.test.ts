import { readFile } from 'node:fs/promises';
import validate from 'asl-validator';
import { describe, expect, test } from 'vitest';
import definition from '../../../infra/conversation.asl.json' with { type: 'json' };
import { definitionText } from '../../../scripts/definition-text.ts';
import { MAX_PLANNED_EVENTS } from '../../../src/core/machine/costs.ts';
import { CONVERSATION } from '../../../src/core/machine/conversation.ts';
import { MAX_TURNS } from '../../../src/core/turn/turn.ts';
import * as errors from '../../../src/errors.ts';
import type { Json } from '../../../src/json.ts';
import type { RenderedEvent } from '../../../src/asl/executions/descriptions.ts';
import {
  LambdaServiceError,
  type InvokeLambda,
  type LambdaAnswer,
} from '../../../src/asl/executions/ports.ts';
import { checkDefinitionText } from '../../../src/asl/definition/check-definition.ts';
import { createStateMachines } from '../../../src/asl/create-state-machines.ts';

const FUNCTIONS = ['OpenFunction', 'TurnFunction', 'ToolFunction', 'ControlFunction', 'SettleFunction'];
const NAMES = [...FUNCTIONS, 'LeafMachine'];
const text = NAMES.reduce(
  (all, name) => all.replaceAll(`\${${name}}`, name),
  JSON.stringify(definition).replaceAll('${Partition}', 'aws'),
);

/** A function's answers to its first call, its second, and so on; the last answer stands for all after it. */
type Answers = Record<string, (LambdaAnswer | LambdaServiceError | typeof STOPPED_MEANWHILE)[]>;

/** A person stops the execution of the child while it waits for this answer. */
const STOPPED_MEANWHILE = Symbol('stopped meanwhile');

const answer = (payload: Json): LambdaAnswer => ({ payload });
const failure = (errorType: string, errorMessage: string): LambdaAnswer => ({
  payload: { errorType, errorMessage },
  functionError: 'Unhandled',
});
const refusal = (exception: string) =>
  new LambdaServiceError(exception, 'no', { status: 500, requestId: 'r' });

const inAnHour = () => Date.now() + 3_600_000;
const opened = (run = 'r') => answer({ run, holder: 1, deadline: inAnHour(), timeout: 3600, patience: 0 });
const answered = (turn: number) => answer({ next: 'answered', run: 'r', turn, status: 'succeeded' });
const acts = (turn: number, ...names: string[]) => {
  const steps = names.map((run, index) => ({
    kind: 'delegate',
    call: index + 1,
    run,
    holder: 1,
    agent: 'kid',
    task: 'x',
    depth: 1,
    deadline: inAnHour(),
    timeout: 3600,
  }));
  return answer({
    next: 'act',
    run: 'r',
    turn,
    waves: steps.length === 0 ? [] : [{ concurrency: 40, kind: 'delegate', steps }],
  });
};

/** Runs the definition, with functions that answer as told; what belongs to a child says so. */
async function play(answers: Answers, ofChildren: Answers = {}) {
  const invoked: { name: string; payload: Json }[] = [];
  const counts = new Map<string, number>();
  const invokeLambda: InvokeLambda = (name, payload) => {
    const ofChild = JSON.stringify(payload).includes('"child');
    const key = `${ofChild ? 'child ' : ''}${name}`;
    const told = (ofChild ? ofChildren : answers)[name] ?? [];
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    if (!ofChild) invoked.push({ name, payload });
    const next = told[Math.min(count, told.length - 1)] ?? answer(null);
    if (next === STOPPED_MEANWHILE) {
      const [child] = machines.listExecutions({ stateMachineArn, statusFilter: 'RUNNING' });
      machines.stopExecution({ executionArn: child?.executionArn ?? '', cause: 'stopped through the API' });
      return new Promise(() => {});
    }
    return next instanceof LambdaServiceError ? Promise.reject(next) : Promise.resolve(next);
  };
  // No jitter: a retry that waits for a random part of its delay waits for none of it.
  const machines = createStateMachines({
    invokeLambda,
    random: () => 0,
    checkDefinition: checkDefinitionText,
  });
  const { stateMachineArn } = machines.createStateMachine({
    name: 'cadre',
    definition: text,
    roleArn: 'role',
  });
  const { executionArn } = machines.startExecution({ stateMachineArn, name: 'top', input: { agent: 'top' } });
  const end = await machines.ended(executionArn);
  const history = machines.getExecutionHistory({ executionArn });
  return { end, history, entered: statesEntered(history), invoked };
}

function statesEntered(history: RenderedEvent[]): string[] {
  return history
    .filter(({ type }) => type.endsWith('StateEntered'))
    .map((event) => {
      const details = event['stateEnteredEventDetails'];
      if (typeof details !== 'object' || details === null || Array.isArray(details)) return '';
      return String(details['name']);
    });
}

const TO_ANSWER = ['Open', 'Take turn', 'What next?', 'Answered'];
const FAILED = ['Record the failure', 'Failed'];

describe('the definition', () => {
  test('is the one that is deployed (else: npm run generate)', async () => {
    const file = new URL('../../../infra/conversation.asl.json', import.meta.url);
    expect(await readFile(file, 'utf8')).toBe(await definitionText(CONVERSATION));
  });

  test('is valid to the validator and to the interpreter', () => {
    const { isValid, errorsText } = validate(JSON.parse(text));
    expect({ isValid, errors: errorsText() }).toEqual({ isValid: true, errors: '' });
    const machines = createStateMachines({
      invokeLambda: () => Promise.reject(new Error('not called')),
      checkDefinition: checkDefinitionText,
    });
    expect(() =>
      machines.createStateMachine({ name: 'cadre', definition: text, roleArn: 'role' }),
    ).not.toThrow();
  });

  test('names functions and the partition by placeholders that the stack fills in, and nothing else', () => {
    const placeholders = [...new Set(JSON.stringify(definition).match(/\$\{.*?\}/g))];
    expect(placeholders.sort()).toEqual([...NAMES, 'Partition'].map((name) => `\${${name}}`).sort());
  });

  test('lists only errors that there are: of the service, of what it calls, and our own', () => {
    const listed = new Set(
      [...text.matchAll(/"ErrorEquals":\[(.*?)\]/g)].flatMap(([, names]) => JSON.parse(`[${names}]`)),
    );
    const own = Object.keys(errors).filter((name) => name.endsWith('Error'));
    const known = new Set([
      'States.ALL',
      'States.Timeout',
      // docs.aws.amazon.com/step-functions: "Handle transient Lambda service exceptions"
      'Lambda.ClientExecutionTimeoutException',
      'Lambda.ServiceException',
      'Lambda.AWSLambdaException',
      'Lambda.SdkClientException',
      'Lambda.TooManyRequestsException',
      // docs.aws.amazon.com/lambda: "Invoke", errors of functions that are not ready
      'Lambda.EC2ThrottledException',
      'Lambda.EC2UnexpectedException',
      'Lambda.ENILimitReachedException',
      'Lambda.ENINotReadyException',
      'Lambda.KMSThrottlingException',
      'Lambda.ResourceConflictException',
      'Lambda.ResourceNotReadyException',
      'Lambda.SubnetIPAddressLimitReachedException',
      // the same, "Unhandled errors": a function that died, and one that Lambda ended
      'Lambda.Unknown',
      'Runtime.ExitError',
      'Sandbox.Timedout',
      // what the SDK makes of errors that it has no class for, throttling among them; StartExecution; no answer
      'StepFunctions.AWSStepFunctionsException',
      'StepFunctions.ExecutionLimitExceeded',
      'StepFunctions.ExecutionLimitExceededException',
      'StepFunctions.SdkClientException',
      // the same of the integration that has the names of the SDK for Java
      'Sfn.KmsThrottlingException',
      'Sfn.SfnException',
      'Sfn.ThrottlingException',
      ...own,
    ]);
    expect([...listed].filter((name) => !known.has(name))).toEqual([]);
  });

  test('gives every task a timeout, and every state that can fail a way on', () => {
    const tasks = [...text.matchAll(/"Type":"Task"/g)].length;
    const maps = [...text.matchAll(/"Type":"Map"/g)].length;
    // One more for the execution as a whole.
    expect([...text.matchAll(/"TimeoutSeconds"/g)]).toHaveLength(tasks + 1);
    expect([...text.matchAll(/"Catch"/g)]).toHaveLength(tasks + maps);
  });
});

describe('the states entered', () => {
  test('are four for a run of one turn', async () => {
    const { end, entered } = await play({ OpenFunction: [opened()], TurnFunction: [answered(1)] });
    expect(entered).toEqual(TO_ANSWER);
    expect(end).toMatchObject({
      status: 'SUCCEEDED',
      output: { run: 'r', status: 'succeeded', turns: 1 },
    });
  });

  test('are at most five more for each turn with one call', async () => {
    const { entered } = await play(
      { OpenFunction: [opened()], TurnFunction: [acts(1, 'child-1'), acts(2, 'child-2'), answered(3)] },
      { OpenFunction: [opened('child')], TurnFunction: [answered(1), failure('ModelError', 'server: no')] },
    );
    expect(entered).toEqual([
      'Open',
      'Take turn',
      'What next?',
      'Run sub-agents',
      'Run one sub-agent',
      'Take turn',
      'What next?',
      'Run sub-agents',
      'Run one sub-agent',
      'Report the failed sub-agent',
      'Take turn',
      'What next?',
      'Answered',
    ]);
  });

  test('end in a failure that is closed in the store where opening fails', async () => {
    const { end, entered, invoked } = await play({
      OpenFunction: [failure('ConfigError', 'agent config not found: x')],
    });
    expect(entered).toEqual(['Open', ...FAILED]);
    const cause = '{"errorType":"ConfigError","errorMessage":"agent config not found: x"}';
    expect(end).toMatchObject({ status: 'FAILED', error: 'ConfigError', cause });
    expect(invoked.at(-1)).toEqual({
      name: 'SettleFunction',
      payload: {
        detail: {
          executionArn: end.executionArn,
          name: 'top',
          input: '{}',
          redriveCount: 0,
          status: 'FAILED',
          error: 'ConfigError',
          cause,
        },
      },
    });
  });

  test('end the same way where a turn fails', async () => {
    const { end, entered } = await play({
      OpenFunction: [opened()],
      TurnFunction: [failure('ModelError', 'auth: no')],
    });
    expect(entered).toEqual(['Open', 'Take turn', ...FAILED]);
    expect(end.error).toBe('ModelError');
  });

  test('end the same way where the plan cannot be acted on', async () => {
    const { end, entered } = await play({
      OpenFunction: [opened()],
      TurnFunction: [answer({ next: 'act', run: 'r', turn: 1, waves: 'none' })],
    });
    expect(entered).toEqual(['Open', 'Take turn', 'What next?', 'Act', ...FAILED]);
    // The language keeps names that begin with "States." for itself.
    expect(end.error).toBe('QueryEvaluationError');
  });

  test('end in a failure where the turn wants what the machine does not have', async () => {
    const { end, entered } = await play({
      OpenFunction: [opened()],
      TurnFunction: [answer({ next: 'dance', run: 'r', turn: 1 })],
    });
    expect(entered).toEqual(['Open', 'Take turn', 'What next?', 'Unknown step', ...FAILED]);
    expect(end).toMatchObject({
      status: 'FAILED',
      error: 'AgentError',
      cause: 'the turn asks for a next step that this machine does not have: dance',
    });
  });

  test('end well and without an answer where another execution carries the run', async () => {
    const { end, entered } = await play({
      OpenFunction: [opened()],
      TurnFunction: [answer({ next: 'superseded', run: 'r', turn: 1 })],
    });
    expect(entered).toEqual(['Open', 'Take turn', 'What next?', 'Superseded']);
    expect(end).toMatchObject({ status: 'SUCCEEDED', output: { run: 'r', status: 'superseded' } });
  });

  test('end with the first failure where the store cannot be told of it either', async () => {
    const { end, entered, invoked } = await play({
      OpenFunction: [opened()],
      TurnFunction: [failure('StoreError', 'disk full')],
      SettleFunction: [failure('StoreError', 'still full')],
    });
    expect(entered).toEqual(['Open', 'Take turn', ...FAILED]);
    expect(end).toMatchObject({ error: 'StoreError', cause: expect.stringContaining('disk full') });
    expect(invoked.filter(({ name }) => name === 'SettleFunction')).toHaveLength(4);
  });

  test('go on with no call to act on', async () => {
    const { entered } = await play({ OpenFunction: [opened()], TurnFunction: [acts(1), answered(2)] });
    expect(entered).toEqual(['Open', 'Take turn', 'What next?', 'Take turn', 'What next?', 'Answered']);
  });
});

test('the history has room for the most turns and calls that there can be', async () => {
  const eventsOf = async (...names: string[]) => {
    const fails = { OpenFunction: [opened('child')], TurnFunction: [failure('ModelError', 'server: no')] };
    const turns = { OpenFunction: [opened()], TurnFunction: [acts(1, ...names), answered(2)] };
    return (await play(turns, fails)).history.length;
  };
  const answeredAtOnce = await play({ OpenFunction: [opened()], TurnFunction: [answered(1)] });
  const [none, one, two] = await Promise.all([
    eventsOf(),
    eventsOf('child-1'),
    eventsOf('child-1', 'child-2'),
  ]);
  const [turn, call] = [none - answeredAtOnce.history.length, two - one];
  expect({ turn, call, first: one - none }).toEqual({ turn: 7, call: 10, first: 14 });
  // A turn plans for no more than MAX_PLANNED_EVENTS, and then turns go on without calls of the machine.
  expect(MAX_PLANNED_EVENTS + MAX_TURNS * turn).toBeLessThan(0.9 * 25_000);
});

describe('a function of the machine', () => {
  test.each(['OpenFunction', 'TurnFunction'])(
    '%s is called again after faults of Lambda, five times',
    async (name) => {
      const faults = [
        'ServiceException',
        'AWSLambdaException',
        'SdkClientException',
        'TooManyRequestsException',
      ];
      const good: Answers = { OpenFunction: [opened()], TurnFunction: [answered(1)] };
      const mended = await play({ ...good, [name]: [...faults.map(refusal), ...(good[name] ?? [])] });
      expect(mended.entered).toEqual(TO_ANSWER);
      const broken = await play({ ...good, [name]: [refusal('ServiceException')] });
      expect(broken.end).toMatchObject({ status: 'FAILED', error: 'Lambda.ServiceException' });
      expect(broken.invoked.filter((call) => call.name === name)).toHaveLength(6);
    },
  );

  describe.each(['OpenFunction', 'TurnFunction'])('%s', (name) => {
    test.each([
      ['dies without a word', failure('Lambda.Unknown', 'the cause could not be determined'), 2],
      ['dies', failure('Runtime.ExitError', 'exited without giving a reason'), 2],
      ['takes longer than Lambda lets it', failure('Sandbox.Timedout', 'timed out after 900.00 seconds'), 2],
      ['is not ready', refusal('ResourceNotReadyException'), 8],
      ['finds no room', refusal('TooManyRequestsException'), 12],
      ['finds its store too busy', failure('StoreUnavailableError', 'too many requests'), 8],
    ])('that %s is called again', async (_, fault, times) => {
      const { end, invoked } = await play({
        OpenFunction: [opened()],
        TurnFunction: [answered(1)],
        [name]: [fault],
      });
      expect(end.status).toBe('FAILED');
      expect(invoked.filter((call) => call.name === name)).toHaveLength(1 + times);
    });
  });

  test.each([
    ['its own error', failure('AgentError', 'no')],
    ['an error of Lambda that would come again', refusal('ResourceNotFoundException')],
  ])('is not called again after %s', async (_, fault) => {
    const { end, invoked } = await play({ OpenFunction: [opened()], TurnFunction: [fault] });
    expect(end.status).toBe('FAILED');
    expect(invoked.filter(({ name }) => name === 'TurnFunction')).toHaveLength(1);
  });
});

describe('what came of the steps', () => {
  const outcomesOf = ({ invoked }: Awaited<ReturnType<typeof play>>) => {
    const { payload } = invoked.filter(({ name }) => name === 'TurnFunction').at(-1) ?? { payload: null };
    return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
      ? payload['outcomes']
      : [];
  };

  test('is the call alone for one that succeeded', async () => {
    const played = await play(
      { OpenFunction: [opened()], TurnFunction: [acts(1, 'child-1', 'child-2'), answered(2)] },
      { OpenFunction: [opened('child')], TurnFunction: [answered(1)] },
    );
    expect(outcomesOf(played)).toEqual([{ call: 1 }, { call: 2 }]);
  });

  test('is why a child was stopped, since its record is closed later', async () => {
    const played = await play(
      { OpenFunction: [opened()], TurnFunction: [acts(1, 'child-1'), answered(2)] },
      { OpenFunction: [opened('child')], TurnFunction: [STOPPED_MEANWHILE] },
    );
    expect(outcomesOf(played)).toEqual([{ call: 1, error: 'Stopped', cause: 'stopped through the API' }]);
  });

  test('has no word of what a child said of its failure', async () => {
    const played = await play(
      { OpenFunction: [opened()], TurnFunction: [acts(1, 'child-1'), answered(2)] },
      { OpenFunction: [opened('child')], TurnFunction: [failure('ModelError', 'server: the secret')] },
    );
    expect(outcomesOf(played)).toEqual([{ call: 1, error: 'States.TaskFailed', cause: '' }]);
  });

  test('has the beginning of the cause where the child could not be started', async () => {
    const name = `child ${'x'.repeat(500)}`;
    const played = await play({
      OpenFunction: [opened()],
      TurnFunction: [acts(1, name, 'child-2'), answered(2)],
    });
    expect(outcomesOf(played)).toEqual([
      {
        call: 1,
        error: 'StepFunctions.InvalidNameException',
        cause: expect.stringMatching(/^Invalid Name: 'child x{179}$/),
      },
      expect.objectContaining({ call: 2 }),
    ]);
  });
});
