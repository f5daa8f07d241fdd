import { FUNCTIONS } from './functions.ts';
import { PRICES } from './prices.ts';
import type { Use } from './use.ts';

/** For each question or approval: it is asked for, and the state that waits for the answer is woken. */
const CALLS_OF_QUESTION = 2;
/** The call that decides whether an agent waits, and the turn that finds the decision, without asking a model. */
const CALLS_OF_REST = 2;

export interface Dollars {
  stepFunctions: number;
  lambda: number;
  dynamoDb: number;
  s3: number;
  api: number;
  total: number;
}

/** The memory that an Express execution is billed for: its state is small. */
const EXPRESS_GIGABYTES = 64 / 1024;

/**
 * The cost of a use.
 * @param seconds the duration of turns, and of requests to the API: one with `?wait` holds a function until the run has
 *   ended
 */
export function dollarsOf(use: Use, seconds: { turn?: number; api?: number } = {}): Dollars {
  const turnSeconds = seconds.turn ?? FUNCTIONS.turn.seconds;
  const leafSeconds =
    use.leafRuns * FUNCTIONS.open.seconds +
    use.leafTurns * turnSeconds +
    use.leafToolCalls * FUNCTIONS.tool.seconds;
  const { perMillion } = PRICES;
  const calls = {
    open: use.executions,
    turn: use.turns,
    tool: use.toolCalls,
    control: CALLS_OF_QUESTION * (use.questions + use.approvals) + CALLS_OF_REST * use.rests,
    api: use.apiRequests,
  };
  const requests = calls.open + calls.turn + calls.tool + calls.control + calls.api;
  const millionths = {
    stepFunctions:
      use.transitions * perMillion.transitions +
      use.leafRuns * perMillion.expressRequests +
      leafSeconds * EXPRESS_GIGABYTES * perMillion.expressGigabyteSeconds,
    lambda:
      requests * perMillion.lambdaRequests +
      (calls.open * gigabyteSeconds('open') +
        calls.turn * gigabyteSeconds('turn', turnSeconds) +
        calls.tool * gigabyteSeconds('tool') +
        calls.control * gigabyteSeconds('control') +
        calls.api * gigabyteSeconds('api', seconds.api)) *
        perMillion.lambdaGigabyteSeconds,
    dynamoDb: use.tableReads * perMillion.tableReads + use.tableWrites * perMillion.tableWrites,
    s3: use.objectGets * perMillion.objectGets + use.objectPuts * perMillion.objectPuts,
    api: use.apiRequests * perMillion.apiRequests,
  };
  const { stepFunctions, lambda, dynamoDb, s3, api } = millionths;
  return {
    stepFunctions: stepFunctions / 1e6,
    lambda: lambda / 1e6,
    dynamoDb: dynamoDb / 1e6,
    s3: s3 / 1e6,
    api: api / 1e6,
    total: (stepFunctions + lambda + dynamoDb + s3 + api) / 1e6,
  };
}

function gigabyteSeconds(name: keyof typeof FUNCTIONS, seconds: number = FUNCTIONS[name].seconds): number {
  return (FUNCTIONS[name].memoryMb / 1024) * seconds;
}
