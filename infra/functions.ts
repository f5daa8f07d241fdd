import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { tellsAnybody } from '../src/places/notify/settings.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import { HouseFunction } from './house-function.ts';

export interface FunctionsProps {
  settings: EnvironmentSettings;
  /** Absolute: what each function's zip holds, a folder each. */
  functionsFolder: string;
}

/** Those that every environment has. */
export type HandlerName = 'api' | 'batch' | 'control' | 'open' | 'settle' | 'tool' | 'turn' | 'watch';

/**
 * The steps of a conversation and the API, a function each. Each gets its permissions from the part that it is given
 * to.
 */
export class Functions extends Construct implements Record<HandlerName, HouseFunction> {
  readonly open: HouseFunction;
  readonly turn: HouseFunction;
  readonly tool: HouseFunction;
  readonly control: HouseFunction;
  readonly settle: HouseFunction;
  readonly batch: HouseFunction;
  readonly api: HouseFunction;
  readonly watch: HouseFunction;
  /** Absent where the environment has none. */
  readonly doors: HouseFunction | undefined;
  /** Absent where people are told of questions nowhere. */
  readonly notify: HouseFunction | undefined;
  /** Absent where nothing is exported. */
  readonly telemetry: HouseFunction | undefined;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    // Functions that a state waits for end before the state does (60 s), and say so themselves.
    this.open = new HouseFunction(this, 'Open', {
      ...props,
      name: 'open',
      description: 'Opens a conversation: loads the agent and what it starts with',
      memoryMb: 512,
      timeout: Duration.seconds(55),
    });
    // It waits for the model nearly all the time and is charged for its memory meanwhile. 15 minutes are the most that
    // Lambda gives.
    this.turn = new HouseFunction(this, 'Turn', {
      ...props,
      name: 'turn',
      description: 'Makes one turn of a conversation with its model',
      memoryMb: 256,
      timeout: Duration.minutes(15),
      concurrency: props.settings.turnConcurrency,
    });
    this.tool = new HouseFunction(this, 'Tool', {
      ...props,
      name: 'tool',
      description: 'Carries out a tool call',
      memoryMb: 512,
      // The longest that a tool may take, which says so itself before.
      timeout: Duration.minutes(15),
    });
    this.control = new HouseFunction(this, 'Control', {
      ...props,
      name: 'control',
      description: 'Asks people, and starts, wakes and ends agents',
      memoryMb: 256,
      timeout: Duration.seconds(55),
    });
    this.settle = new HouseFunction(this, 'Settle', {
      ...props,
      name: 'settle',
      description: 'Closes the record of a run whose execution has ended',
      memoryMb: 256,
      timeout: Duration.seconds(55),
    });
    // It holds a batch of up to 100 MB, and sends tokens back one by one.
    this.batch = new HouseFunction(this, 'Batch', {
      ...props,
      name: 'batch',
      description: 'Has models asked in batches, and brings the answers',
      memoryMb: 1024,
      timeout: Duration.minutes(15),
    });
    const { apiConcurrency, watchConcurrency = apiConcurrency, doors } = props.settings;
    // API Gateway waits for 30 s at most.
    this.api = new HouseFunction(this, 'Api', {
      ...props,
      name: 'api',
      description: 'Serves the HTTP API',
      memoryMb: 512,
      timeout: Duration.seconds(29),
      // Apart from that of turns: callers that wait take no turn's function.
      concurrency: apiConcurrency,
    });
    // It waits for something to tell nearly all the time.
    this.watch = new HouseFunction(this, 'Watch', {
      ...props,
      name: 'watch',
      description: 'Serves those who follow runs over the HTTP API',
      memoryMb: 256,
      timeout: Duration.seconds(29),
      // Apart from the API's own: each who follows a run takes one of them for as long.
      concurrency: watchConcurrency,
    });
    if (tellsAnybody(props.settings.notify)) {
      this.notify = new HouseFunction(this, 'Notify', {
        ...props,
        name: 'notify',
        description: 'Tells people of questions',
        memoryMb: 256,
        timeout: Duration.seconds(55),
      });
    }
    if (props.settings.telemetry !== undefined) {
      this.telemetry = new HouseFunction(this, 'Telemetry', {
        ...props,
        name: 'telemetry',
        description: 'Exports spans of what was written to the table',
        memoryMb: 256,
        timeout: Duration.seconds(55),
      });
    }
    if (!doors) return;
    // A request is answered when its run has ended, or 14 minutes later.
    this.doors = new HouseFunction(this, 'Doors', {
      ...props,
      name: 'doors',
      description: 'Serves clients of OpenAI, MCP, AG-UI and A2A, and streams',
      memoryMb: 512,
      timeout: Duration.minutes(15),
      // Function URLs have no other limit.
      concurrency: apiConcurrency,
    });
  }

  /** Those that people and clients ask: what people do through the API, clients do through the doors. */
  get servers(): HouseFunction[] {
    return this.doors === undefined ? [this.api] : [this.api, this.doors];
  }
}
