import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EXIT, exitCodeOfError } from '../../../src/doors/cli/terminal/exit-code.ts';
import { gc, type GcOptions } from '../../../src/doors/cli/commands/gc.ts';
import { exportMemory, importMemory } from '../../../src/doors/cli/commands/memory.ts';
import { AgentError, ConfigError, ModelError } from '../../../src/errors.ts';
import { createDynamoDbTable, startDynamoDb } from '../../fixtures/dynamodb.ts';
import { bodyOf, serveOnLoopback } from '../../fixtures/loopback.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { stubAws } from '../../fixtures/stub-aws.ts';

const ANALYSIS = `## Patterns Found
Much the same.

## Repeated Work
None.

## Recommendations
Rest.`;

const agent = (memory: string, model = 'scripted/gc.json') =>
  `name = "x"\nmodel = "${model}"\n[memory]\nenabled = true\n${memory}\n`;
const script = (...turns: object[]) => JSON.stringify({ conversations: [{ turns }] });
const entry = (minute: number) =>
  `## 2026-01-31T10:${String(minute).padStart(2, '0')}:00Z\n**Task:** task\n**Result:** result ${minute}\n\n`;
const entries = (...minutes: number[]) => minutes.map(entry).join('');

async function folderWith(files: Record<string, string>, memories: Record<string, string>) {
  const cwd = await tempFolder({ 'gc.json': script({ text: `\n${ANALYSIS}\n` }), ...files });
  for (const [name, stdin] of Object.entries(memories)) {
    await importMemory(name, {}, recordedIo(cwd, { stdin }));
  }
  return cwd;
}

async function gcIn(cwd: string, name: string | undefined, options: GcOptions = {}) {
  const io = recordedIo(cwd);
  let thrown: unknown;
  const code = await gc(name, options, io).catch((error: unknown) => {
    thrown = error;
    return exitCodeOfError(error);
  });
  return { code, out: io.out, err: io.err, ...(thrown !== undefined && { thrown }) };
}

async function kept(cwd: string, name = 'x'): Promise<string> {
  const io = recordedIo(cwd);
  await exportMemory(name, {}, io);
  return io.out;
}

const analysed = (count: number, end: string) => ({
  code: EXIT.success,
  out: `Agent: x\nEntries: ${count}\n\n--- Analysis ---\n${ANALYSIS}\n\n${end}\n`,
  err: '',
});

describe('gc of an agent', () => {
  test('prints what a model finds in its memory, then trims to last_n', async () => {
    const cwd = await folderWith(
      { 'agents/x.toml': agent('last_n = 2\nmax_entries = 3') },
      { x: entries(1, 2, 3, 4, 5) },
    );
    expect(await gcIn(cwd, 'x', { dryRun: true })).toEqual(analysed(5, 'Dry run: no entries trimmed.'));
    expect(await kept(cwd)).toBe(entries(1, 2, 3, 4, 5));
    expect(await gcIn(cwd, 'x')).toEqual(analysed(5, 'Trimmed: 3 entries removed, 2 entries kept.'));
    expect(await kept(cwd)).toBe(entries(4, 5));
    expect(await gcIn(cwd, 'x')).toEqual(analysed(2, 'No trimming needed: 2 entries within limit (2).'));
  });

  test('trims to max_entries where last_n is 0, and to nothing where both are', async () => {
    const cwd = await folderWith({ 'agents/x.toml': agent('max_entries = 2') }, { x: entries(1, 2, 3) });
    expect(await gcIn(cwd, 'x')).toEqual(analysed(3, 'Trimmed: 1 entry removed, 2 entries kept.'));
    const unlimited = await folderWith({ 'agents/x.toml': agent('') }, { x: entries(1, 2, 3) });
    expect(await gcIn(unlimited, 'x')).toEqual(
      analysed(3, 'No trim target configured (last_n and max_entries are both 0). Skipping trim.'),
    );
    expect(await kept(unlimited)).toBe(entries(1, 2, 3));
  });

  test('asks no model about a memory in which there is nothing', async () => {
    const cwd = await folderWith({ 'agents/x.toml': agent('last_n = 2', 'openai/gpt-5.1') }, {});
    expect(await gcIn(cwd, 'x')).toEqual({
      code: EXIT.success,
      out: 'Agent: x\nEntries: 0\n\nNo trimming needed: 0 entries within limit (2).\n',
      err: '',
    });
  });

  test('gives the whole memory to the model that is named, once', async () => {
    const expected = `Memory of agent "x", all 2 entries, oldest first:\n\n${entries(1, 2)}`;
    const cwd = await folderWith(
      {
        'agents/x.toml': agent('last_n = 1', 'openai/gpt-5.1'),
        'other.json': script({ expect: expected, text: ANALYSIS }),
      },
      { x: entries(1, 2) },
    );
    expect(await gcIn(cwd, 'x', { model: 'scripted/other.json' })).toEqual(
      analysed(2, 'Trimmed: 1 entry removed, 1 entry kept.'),
    );
  });

  test('trims a memory too that no model can read whole', async () => {
    const long = (minute: number) => `${entry(minute).trimEnd()} ${'x'.repeat(45_000)}\n\n`;
    const memory = [1, 2, 3, 4, 5, 6].map(long).join('');
    const expected =
      'Memory of agent "x", the newest 4 of 6 entries, oldest first:\n\n## 2026-01-31T10:03:00Z\n';
    const cwd = await folderWith(
      {
        'agents/x.toml': agent('last_n = 1'),
        'gc.json': script({ expect: expected, text: ANALYSIS }),
      },
      { x: memory },
    );
    expect(await gcIn(cwd, 'x')).toEqual(analysed(6, 'Trimmed: 5 entries removed, 1 entry kept.'));
  });

  test('trims nothing after an answer that is no analysis, or none at all', async () => {
    const files = {
      'agents/x.toml': agent('last_n = 1'),
      'gc.json': script({
        text: ANALYSIS.replace('## Repeated Work', 'Repeated work').replace('## Rec', '### Rec'),
      }),
      'fail.json': script({ error: { category: 'overloaded', message: 'busy' } }),
    };
    const cwd = await folderWith(files, { x: entries(1, 2) });
    expect(await gcIn(cwd, 'x')).toEqual({
      code: EXIT.agent,
      out: 'Agent: x\nEntries: 2\n',
      err: '',
      thrown: new AgentError(
        'the model\'s analysis lacks "## Repeated Work", "## Recommendations", so nothing was trimmed; try again or another --model',
      ),
    });
    expect(await gcIn(cwd, 'x', { model: 'scripted/fail.json' })).toMatchObject({
      code: EXIT.api,
      thrown: new ModelError('overloaded', 'busy'),
    });
    expect(await kept(cwd)).toBe(entries(1, 2));
  });

  test('stops at Ctrl-C', async () => {
    const cwd = await folderWith(
      { 'agents/x.toml': agent('last_n = 1'), 'gc.json': script({ delay_ms: 60_000, text: ANALYSIS }) },
      { x: entries(1, 2) },
    );
    const io = recordedIo(cwd);
    const ended = gc('x', {}, { ...io, stdout: () => setImmediate(() => io.interrupt()) });
    expect(await ended).toBe(EXIT.interrupted);
    expect(io.err).toBe('Error: interrupted by the user\n');
    expect(await kept(cwd)).toBe(entries(1, 2));
  });

  test('refuses an agent without a memory, and an unclear wish', async () => {
    const cwd = await folderWith({ 'agents/x.toml': 'name = "x"\nmodel = "m/x"\n' }, {});
    const refused = async (name: string | undefined, options: GcOptions, message: string) =>
      expect(await gcIn(cwd, name, options)).toEqual({
        code: EXIT.configuration,
        out: '',
        err: '',
        thrown: new ConfigError(message),
      });
    await refused('x', { all: true }, 'cannot specify both --all and an agent name');
    await refused(undefined, {}, 'agent name is required (or use --all)');
    await refused('y', {}, 'agent config not found: y');
    await refused('x', {}, 'memory is not enabled for "x"; set enabled = true under [memory] in its file');
  });
});

describe('gc of all agents', () => {
  test('goes through every agent with a memory, even if one of them fails', async () => {
    const named = (name: string, text: string) => text.replace('"x"', `"${name}"`);
    const cwd = await folderWith(
      {
        'agents/a.toml': named('a', agent('last_n = 1')),
        'agents/b.toml': named('b', agent('last_n = 1', 'scripted/none.json')),
        'agents/c.toml': 'name = "c"\nmodel = "m/c"\n',
        'agents/d.toml': named('d', agent('last_n = 1')),
        'agents/e.toml': 'name = "e"\n',
      },
      { a: entries(1, 2), b: entries(1, 2), d: entries(1) },
    );
    const ended = await gcIn(cwd, undefined, { all: true });
    expect(ended).toEqual({
      code: EXIT.agent,
      out: `Agent: a
Entries: 2

--- Analysis ---
${ANALYSIS}

Trimmed: 1 entry removed, 1 entry kept.

Agent: b
Entries: 2

Agent: d
Entries: 1

--- Analysis ---
${ANALYSIS}

No trimming needed: 1 entry within limit (1).
`,
      err: expect.stringMatching(
        /^Error: gc of agent "b": .*none\.json.*\nError: gc of agent "e": agents\/e\.toml:1:1: agent config missing required field: model\n$/,
      ),
      thrown: new AgentError('gc completed with errors: 2 of 4 agents failed'),
    });
    expect([await kept(cwd, 'a'), await kept(cwd, 'b')]).toEqual([entries(2), entries(1, 2)]);
  });

  test('says so where there is none', async () => {
    const cwd = await folderWith({ 'agents/x.toml': 'name = "x"\nmodel = "m/x"\n' }, {});
    expect(await gcIn(cwd, undefined, { all: true })).toEqual({
      code: EXIT.success,
      out: '',
      err: 'no agent in this folder has memory enabled\n',
    });
  });
});

/** A deployed environment, as far as memories go: the parameter by which it is found, and its table. */
async function deploy(environment: string): Promise<void> {
  const table = await startDynamoDb();
  await createDynamoDbTable(table.endpoint, 'memories');
  const deployment = {
    region: 'eu-central-1',
    stateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre',
    tableName: 'memories',
    bucketName: 'texts',
    apiUrl: 'https://api.example.org',
    keepDays: 90,
  };
  const parameters = await serveOnLoopback(async (request, response) => {
    const { Name } = JSON.parse(String(await bodyOf(request)));
    const isKnown = Name === `/cadre/${environment}`;
    response.writeHead(isKnown ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(
      JSON.stringify(
        isKnown ? { Parameter: { Value: JSON.stringify(deployment) } } : { __type: 'ParameterNotFound' },
      ),
    );
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await Promise.all([table.close(), parameters.close()]);
  });
  stubAws({
    AWS_ENDPOINT_URL_SSM: parameters.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
  });
}

test('gc of a deployed environment works on its memories and leaves those of this folder alone', async () => {
  await deploy('dev');
  const cwd = await folderWith({ 'agents/x.toml': agent('last_n = 1') }, { x: entries(1, 2) });
  await importMemory('x', { env: 'dev' }, recordedIo(cwd, { stdin: entries(3, 4, 5) }));
  expect(await gcIn(cwd, 'x', { env: 'dev' })).toEqual(
    analysed(3, 'Trimmed: 2 entries removed, 1 entry kept.'),
  );
  const io = recordedIo(cwd);
  await exportMemory('x', { env: 'dev' }, io);
  expect([io.out, await kept(cwd)]).toEqual([entries(5), entries(1, 2)]);
  expect(await gcIn(cwd, 'x', { env: 'prod' })).toMatchObject({ code: EXIT.configuration, out: '' });
});
