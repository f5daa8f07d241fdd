import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { stageFunctions } from '../../infra/staged-functions.ts';
import { parseAgent } from '../../src/authoring/loading/parse-agent.ts';
import type { FUNCTIONS } from '../../src/authoring/plan/functions.ts';
import { readStreamed } from '../fixtures/http-integration-response.ts';
import { awslambda, ResponseStream } from '../fixtures/lambda-streaming.mjs';
import { startAws, type Aws } from './aws.ts';

const project = join(import.meta.dirname, '../..');

export const AGENTS = {
  top: `name = "top"
model = "anthropic/claude-sonnet-4-5"
files = ["*.md"]
workdir = "docs"
sub_agents = ["kid"]
memory = { enabled = true, max_entries = 1 }
[budget]
max_tokens = 1000000
`,
  worker: 'name = "worker"\nmodel = "anthropic/claude-sonnet-4-5"\ntools = ["files"]\nworkdir = "work"\n',
  caller: `name = "caller"
model = "anthropic/claude-sonnet-4-5"
[[functions]]
name = "weather"
description = "Tells the weather"
file = "src/json.ts" # any module that is there
[[functions]]
name = "stock"
description = "Tells what is in stock"
function = "team-stock:live"
[[functions]]
name = "price"
description = "Tells what it costs"
function = "prices"
`,
  served: `name = "served"
model = "anthropic/claude-sonnet-4-5"
[[mcp_servers]]
name = "docs"
url = "https://docs.example.com/mcp"
headers = { Authorization = "Bearer \${DOCS_TOKEN}" }
tools = ["echo"]
`,
  learner:
    'name = "learner"\nmodel = "anthropic/claude-sonnet-4-5"\n[memory]\nsearch = true\nembedding = "openai/text-embedding-3-small"\n',
  patient: 'name = "patient"\nmodel = "anthropic/claude-sonnet-4-5"\n[params]\nservice = "batch"\n',
  forker: 'name = "forker"\nmodel = "anthropic/x"\ntools = ["fork"]\n',
  asker: 'name = "asker"\nmodel = "anthropic/claude-sonnet-4-5"\ntools = ["ask_user"]\n',
  thrifty: 'name = "thrifty"\nmodel = "anthropic/x"\n[budget]\nmax_tokens = 1000\n',
  kid: 'name = "kid"\nmodel = "anthropic/claude-sonnet-4-5"\n',
};
export const LONG = 'far too long for an item of the table, '.repeat(5_000);

type Handler = (event: unknown, ...more: unknown[]) => Promise<unknown>;
type FunctionName = keyof typeof FUNCTIONS;
let instances = 0;

export interface Deployed {
  /** The services that the functions reach, once the tests run. */
  readonly aws: Aws;
  /** A new instance of a function, which knows nothing of what others did. */
  cold(
    name: FunctionName,
    environment?: Record<string, string>,
  ): Promise<(event: unknown) => Promise<Record<string, unknown>>>;
  /** The same of the doors, which stream their answers; they are read whole. */
  coldDoors(
    environment?: Record<string, string>,
  ): Promise<
    (event: unknown) => Promise<{ statusCode: number; headers: Record<string, string>; body: string }>
  >;
  /** Each function's requests in all tests before. */
  done: Record<FunctionName, Set<string>>;
}

/** The functions as they are deployed, with agents of these tests: bundles of their own, on AWS's APIs on loopback. */
export function deployFunctions(): Deployed {
  const folder = join(project, 'node_modules/.cache', `cadre-functions-${process.pid}-${++instances}`);
  let aws: Aws;
  beforeAll(async () => {
    await stageFunctions(folder, {
      bundles: join(project, 'dist/functions'),
      agents: new Map(
        await Promise.all(
          Object.entries(AGENTS).map(async ([name, text]) => {
            const file = { path: `agents/${name}.toml`, root: project, bytes: Buffer.from(text) };
            return [name, await parseAgent(name, file)] as const;
          }),
        ),
      ),
      modules: [],
      agentsFolder: join(project, 'agents'),
      page: join(project, 'dist/console'),
    });
    aws = await startAws({
      keys: { anthropic: 'key-of-anthropic' },
      servers: { DOCS_TOKEN: 'token-of-docs', OPENAI_API_KEY: 'key-for-embeddings' },
      telemetry: { TOKEN: 'token of the collector' },
      notifications: { SLACK: 'https://slack.example.com/hook', SIGN: 'a secret of ours' },
    });
    aws.bucket.objects.set('workspace/docs/a.md', {
      bytes: Buffer.from('what is shown'),
      contentType: 'text/plain',
      checksum: '',
    });
  });
  afterAll(async () => {
    await aws.close();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });

  const done: Record<FunctionName, Set<string>> = {
    api: new Set(),
    batch: new Set(),
    control: new Set(),
    doors: new Set(),
    notify: new Set(),
    open: new Set(),
    settle: new Set(),
    telemetry: new Set(),
    tool: new Set(),
    turn: new Set(),
    watch: new Set(),
  };
  let atWork = 0;
  /** Notes for the function what is asked while it works; requests of several at once count for each of them. */
  async function noted<T>(name: FunctionName, work: () => Promise<T>): Promise<T> {
    if (atWork++ === 0) aws.asked.clear();
    try {
      return await work();
    } finally {
      atWork--;
      for (const asked of aws.asked) done[name].add(asked);
    }
  }
  async function instanceOf(name: FunctionName, environment: Record<string, string>) {
    vi.stubGlobal('awslambda', awslambda);
    for (const [variable, value] of Object.entries({ ...aws.environment, ...environment })) {
      vi.stubEnv(variable, value);
    }
    const url = `${pathToFileURL(join(folder, name, 'index.mjs')).href}?${++instances}`;
    const { handler } = v.parse(
      v.object({ handler: v.custom<Handler>((given) => typeof given === 'function') }),
      await import(url),
    );
    const context = { getRemainingTimeInMillis: () => 60_000, awsRequestId: `request ${instances}` };
    return { handler, context };
  }

  return {
    get aws() {
      return aws;
    },
    done,
    async coldDoors(environment = {}) {
      const { handler, context } = await instanceOf('doors', environment);
      return (event) =>
        noted('doors', async () => {
          const stream = new ResponseStream();
          const [{ statusCode, headers, body }] = await Promise.all([
            readStreamed(stream).then(async ({ body, ...head }) => ({ ...head, body: await text(body) })),
            handler(event, stream, context),
          ]);
          return { statusCode, headers, body };
        });
    },
    async cold(name: FunctionName, environment: Record<string, string> = {}) {
      const { handler, context } = await instanceOf(name, environment);
      return async (event) => {
        const answer = await noted(name, async () => JSON.stringify((await handler(event, context)) ?? {}));
        return v.parse(v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown())), answer);
      };
    },
  };
}

/** The functions' logs, by line. */
export function recordLog(): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(JSON.parse(String(text)));
    return true;
  });
  return lines;
}

/** Stands in for Anthropic's API: says these one after another. */
export function stubModel(...answers: object[]): Request[] {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    requests.push(new Request(input, init));
    const answer = answers.shift();
    if (answer === undefined) throw new Error('the model was asked once more than it has answers');
    return Response.json({ usage: { input_tokens: 7, output_tokens: 3 }, ...answer });
  });
  return requests;
}
export const says = (text: string) => ({ content: [{ type: 'text', text }], stop_reason: 'end_turn' });
export const delegates = {
  content: [{ type: 'tool_use', id: 'a', name: 'call_agent', input: { agent: 'kid', task: LONG } }],
  stop_reason: 'tool_use',
};

export const arn = (name: string) => `arn:aws:states:eu-central-1:123456789012:execution:cadre-test:${name}`;
export const opening = (name: string, input: object) => ({ execution: arn(name), name, redrives: 0, input });

/** A request as API Gateway hands it over. */
export function request(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  return {
    rawPath: path,
    rawQueryString: '',
    headers: { 'content-type': 'application/json', ...headers },
    requestContext: { domainName: 'api.example.org', http: { method } },
    isBase64Encoded: false,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}
