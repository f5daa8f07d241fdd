import { openVirtualMachines } from '../../places/testing/virtual-machines.ts';
import { isSame, toText } from './difference.ts';
import { toBranches } from '../verify/history.ts';
import type { Attempt, ExecutionHistory } from './execution-history.ts';
import { answerOf, NEVER, payloadOf } from './recorded-answers.ts';
import { fitsRecorded, tokenIn } from './fits-recorded.ts';
import { RECORDED, STARTED, withRecordedTasks } from './recorded-tasks.ts';

/** The first thing that the interpreter does otherwise. */
export interface HistoryDifference {
  what: string;
  recorded: string;
  now: string;
}

/** An execution that takes so much longer than it did waits for something that it did not wait for. */
const LONGEST_DELAY_MS = 86_400_000;

const ROLE = 'arn:aws:iam::123456789012:role/replay';

/**
 * Runs a definition in the interpreter with what an execution was given and the results of its tasks, in its own time.
 * Times, tokens and ids of requests are not compared.
 * @returns the first difference; undefined if there is none
 */
export async function replayHistory(
  history: ExecutionHistory,
  definition: string,
): Promise<HistoryDifference | undefined> {
  const place = placeOf(history);
  const { region, account } = place;
  const left = [...history.attempts];
  let unknown: HistoryDifference | undefined;

  const { machines, after } = openVirtualMachines({
    startedAt: history.startedAt,
    region,
    account,
    async invoke(name, payload) {
      const functionName = name === STARTED ? undefined : name;
      const ofIt = left.filter((each) => each.functionName === functionName);
      const attempt = ofIt.find(({ given }) => fitsRecorded(given, payload));
      if (attempt === undefined) {
        unknown ??= {
          what:
            functionName === undefined ? 'what an execution is started with' : `what ${name} is invoked with`,
          recorded: toText(ofIt[0]?.given),
          now: toText(payload),
        };
        machines.stopAll('it differs from what was recorded');
        return NEVER;
      }
      left.splice(left.indexOf(attempt), 1);
      if (attempt.submitted === undefined || functionName === undefined) return answerOf(attempt, later);
      await later(attempt.submittedMs);
      const token = tokenIn(payload);
      void later(attempt.ms - attempt.submittedMs).then(() => send(attempt, token));
      return { payload: payloadOf(attempt.submitted) };
    },
  });

  const later = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));

  function send({ end }: Attempt, taskToken: string | undefined): void {
    if (end === undefined || taskToken === undefined) return;
    if ('output' in end) machines.sendTaskSuccess({ taskToken, output: end.output });
    else machines.sendTaskFailure({ taskToken, ...end });
  }

  const created = { roleArn: ROLE };
  const createRecorded = (name: string, type: string) =>
    machines.createStateMachine({ ...created, name, type, definition: RECORDED }).stateMachineArn;
  const started = {
    standard: createRecorded(STARTED, 'STANDARD'),
    express: createRecorded(`${STARTED}-express`, 'EXPRESS'),
  };
  const { stateMachineArn } = machines.createStateMachine({
    ...created,
    name: place.machine,
    definition: withRecordedTasks(definition, history.attempts, started),
  });
  const { executionArn } = machines.startExecution({
    stateMachineArn,
    name: place.name,
    input: history.input,
  });
  const { endedMs, end } = history;
  const isAborted = end.type === 'ExecutionAborted';
  const stop = () => machines.stopAll('its time is over');
  const forget = after(endedMs + (isAborted ? 0 : LONGEST_DELAY_MS), stop);
  const ended = await machines.ended(executionArn);
  forget();
  machines.stopAll('the replay is over');
  if (unknown !== undefined) return unknown;
  const events = machines.getExecutionHistory({ executionArn });
  const [before, now] = [history.events, events].map((each) => toBranches(each));
  if (before === undefined || now === undefined) return undefined;
  for (const branch of new Set([...before.keys(), ...now.keys()])) {
    const [recorded, current] = [before.get(branch) ?? [], now.get(branch) ?? []];
    if (isSame(recorded, current)) continue;
    const what = branch === '' ? 'the order of events' : `the order of events in ${branch}`;
    return { what, recorded: recorded.join('\n'), now: current.join('\n') };
  }
  const { output } = history;
  if (output === undefined || fitsRecorded(output, ended.output ?? null)) return undefined;
  return { what: 'the output', recorded: toText(output), now: toText(ended.output) };
}

const EXECUTION = /arn:aws[\w-]*:states:([\w-]+):(\d{12}):execution:([\w-]+):([\w-]+)/;

/** Where the execution ran, as far as its tasks' inputs say so. */
function placeOf({ attempts }: ExecutionHistory) {
  const given = attempts.map((attempt) => EXECUTION.exec(JSON.stringify(attempt.given)));
  const [, region, account, machine, name] = given.find((found) => found !== null) ?? [];
  return {
    region: region ?? 'us-east-1',
    account: account ?? '123456789012',
    machine: machine ?? 'replayed',
    name: name ?? 'replayed',
  };
}
