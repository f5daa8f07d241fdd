/** One function of a deployment, as far as a plan speaks of it. */
export interface FunctionFacts {
  memoryMb: number;
  /** Seconds that one call is taken to last; the turn function waits for its model. */
  seconds: number;
  /** Every action that its role allows, by what it is allowed on; its own log and trace aside. */
  may: Readonly<Record<string, readonly string[]>>;
}

const TEXTS = ['s3:GetObject', 's3:PutObject'];

/** Starting, reading and stopping runs, and answering what they ask. */
const SERVES = {
  'the table': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  'runs/ of the bucket': TEXTS,
  'lists of what is open in the table': ['dynamodb:DeleteItem'],
  'the control function': ['lambda:InvokeFunction'],
  'the machine': ['states:StartExecution'],
  'executions of the machine': ['states:DescribeExecution', 'states:StopExecution'],
} as const;

/** The stack's settings of each function; a test holds the template to them. */
export const FUNCTIONS = {
  open: {
    memoryMb: 512,
    seconds: 0.3,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      'runs/ of the bucket': TEXTS,
      'workspace/ of the bucket': ['s3:GetObject', 's3:ListBucket'],
      'the secret of servers': ['secretsmanager:GetSecretValue'],
      'the secret of sign-ins': ['secretsmanager:GetSecretValue'],
    },
  },
  turn: {
    memoryMb: 256,
    seconds: 5,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      'runs/ of the bucket': TEXTS,
      'the secret of keys': ['secretsmanager:GetSecretValue'],
      'lists of what is open in the table': ['dynamodb:DeleteItem'],
      'models on Bedrock that agents use': [
        'bedrock:CountTokens',
        'bedrock:InvokeModel',
        'bedrock:InvokeModelWithResponseStream',
      ],
      'guardrails of Bedrock that agents use': ['bedrock:ApplyGuardrail'],
    },
  },
  tool: {
    memoryMb: 512,
    seconds: 1,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      // Where an agent has remote agents.
      'turns in the table': ['dynamodb:Query'],
      'runs/ of the bucket': TEXTS,
      'workspace/ of the bucket': ['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject'],
      // Where an agent has tools for its memory.
      'memories in the table': ['dynamodb:DeleteItem', 'dynamodb:Query'],
      'memory/ of the bucket': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
      'models on Bedrock that agents use': ['bedrock:InvokeModel'],
      'functions that agents name': ['lambda:InvokeFunction'],
      'the secret of servers': ['secretsmanager:GetSecretValue'],
      'the secret of sign-ins': ['secretsmanager:GetSecretValue'],
      // Where an agent runs commands in a sandbox.
      'the functions that commands run in': ['lambda:InvokeFunction'],
      'the role for the files of commands': ['sts:AssumeRole'],
    },
  },
  control: {
    memoryMb: 256,
    seconds: 0.2,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      'lists of what is open in the table': ['dynamodb:DeleteItem'],
      'runs/ of the bucket': TEXTS,
      'the machine': ['states:SendTaskSuccess', 'states:StartExecution'],
      'the machine of batches': ['states:StartExecution'],
      'executions of the machine': ['states:DescribeExecution', 'states:StopExecution'],
      'the event bus, to tell of questions': ['events:PutEvents'],
      // Where an agent has remote agents.
      'the tool function': ['lambda:InvokeFunction'],
      'the queue of dead letters': ['sqs:SendMessage'],
    },
  },
  settle: {
    memoryMb: 256,
    seconds: 0.2,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      'runs/ of the bucket': ['s3:GetObject'],
      'lists of what is open in the table': ['dynamodb:DeleteItem'],
      'the queue of dead letters': ['sqs:SendMessage'],
      'the machine': ['states:SendTaskSuccess', 'states:StartExecution'],
      // Where an agent has remote agents.
      'the tool function': ['lambda:InvokeFunction'],
      'executions of the machine': ['states:DescribeExecution', 'states:StopExecution'],
    },
  },
  // Where an agent's models are asked in batches: a call for each look at a batch.
  batch: {
    memoryMb: 1024,
    seconds: 2,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
      'lists of what is open in the table': ['dynamodb:DeleteItem'],
      'runs/ of the bucket': TEXTS,
      'the secret of keys': ['secretsmanager:GetSecretValue'],
      'the machine': ['states:SendTaskSuccess'],
      'the machine of batches': ['states:StartExecution'],
    },
  },
  api: {
    memoryMb: 512,
    seconds: 0.2,
    may: {
      ...SERVES,
      'workspace/ of the bucket': ['s3:GetObject', 's3:ListBucket'],
      // Where people sign in to servers.
      'the secret of sign-ins': ['secretsmanager:GetSecretValue'],
      'sign-ins in the table': ['dynamodb:DeleteItem'],
    },
  },
  watch: {
    memoryMb: 256,
    seconds: 25,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:Query'],
      'notes of who watches in the table': ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
      'runs/ of the bucket': ['s3:GetObject'],
      'executions of the machine': ['states:DescribeExecution'],
    },
  },
  // Where the environment tells people of questions.
  notify: {
    memoryMb: 256,
    seconds: 1,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:Query'],
      'keys in the table': ['dynamodb:PutItem'],
      'runs/ of the bucket': ['s3:GetObject'],
      'the secret of notifications': ['secretsmanager:GetSecretValue'],
      'the topic of questions': ['sns:Publish'],
      'the queue of dead letters': ['sqs:SendMessage'],
    },
  },
  // Where the environment exports spans.
  telemetry: {
    memoryMb: 256,
    seconds: 1,
    may: {
      'the table': ['dynamodb:GetItem', 'dynamodb:Query'],
      "the table's stream": ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      everything: ['dynamodb:ListStreams'],
      'runs/ of the bucket': ['s3:GetObject'],
      'the secret of telemetry': ['secretsmanager:GetSecretValue'],
    },
  },
  // Where the environment has it. It waits for its runs.
  doors: { memoryMb: 512, seconds: 60, may: SERVES },
} as const satisfies Record<string, FunctionFacts>;
