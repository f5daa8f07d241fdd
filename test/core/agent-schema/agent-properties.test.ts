import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Agent } from '../../../src/core/agent-schema/agent.ts';
import { MODES } from '../../../src/core/agent-schema/agent-schema.ts';
import { TOOL_WORDS } from '../../../src/core/agent-schema/tool-names.ts';
import { resolveFiles } from '../../../src/core/agent-schema/context-files.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';
import { ConfigError } from '../../../src/errors.ts';
import { OPENAI_APIS, REASONING_EFFORTS } from '../../../src/core/records/message.ts';
import { OWNERSHIPS } from '../../../src/core/records/owner.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { cases } from '../../fixtures/cases.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { anyText } from '../../fixtures/random-texts.ts';

/** The agent in a file with these bytes. */
async function agentIn(bytes: Uint8Array): Promise<Agent> {
  return (await parseAgent('x', { path: 'agents/x.toml', root: '/', bytes })).agent;
}

/** The error of the promise; a test fails on anything but a ConfigError. */
async function complaintOf(promise: Promise<unknown>): Promise<string | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

it('any text is an agent, or a complaint that says where', async () => {
  const token = fc.constantFrom(
    ...`name model timeout files memory params __proto__ constructor a "x" 'y' "" """ " ' # \\`.split(' '),
    ...'= = . , [ ] [[ ]] { } 1 -1 1.5 0x1 1e9 inf nan true 1979-05-27 07:32:00 99999999999999999999'.split(
      ' ',
    ),
    '\n',
    '\r\n',
    ' ',
    '\t',
    '\u0000',
    '\u007f',
    '\uFEFF',
  );
  const text = fc.oneof(
    fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join('')),
    anyText({ maxLength: 50 }),
    fc
      .tuple(
        fc.constantFrom('timeout', 'files', 'memory', 'params.temperature', 'retry.backoff'),
        fc.array(token),
      )
      .map(([key, tokens]) => `name = "x"\nmodel = "a/b"\n${key} = ${tokens.join('')}`),
  );
  const bytes = fc.oneof(
    text.map((written) => new TextEncoder().encode(written)),
    fc.uint8Array({ maxLength: 50 }),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (file) => {
      const complaint = await complaintOf(agentIn(file));
      expect(complaint ?? 'agents/x.toml:1:1: none').toMatch(
        /^(failed to parse agent config "x": )?agents\/x\.toml:[1-9]\d*:[1-9]\d*: ./,
      );
    }),
    { numRuns: cases(1_000), examples: [[new TextEncoder().encode('\uFEFF\uFEFF')]] },
  );
});

it('a file that is written is loaded as it was', async () => {
  // JSON escapes what TOML does, but for the one control character above the space.
  const quote = (value: unknown) => JSON.stringify(value).replaceAll('\u007f', '\\u007f');
  const text = anyText({ maxLength: 20 });
  const visible = text.filter((value) => value.trim() !== '');
  const whole = fc.nat({ max: 864_000 });
  const positive = fc.integer({ min: 1, max: 1e6 });
  const rules = fc.subarray(['read_file', 'read_file(.env*)', '*_file', 'run_command(git diff *)']);
  const agents: fc.Arbitrary<Agent> = fc.record({
    name: visible,
    model: visible,
    description: text,
    systemPrompt: text,
    skill: text,
    skills: fc.subarray(['pdf-forms', 'skills/*', 'a/b']),
    files: fc.array(text, { maxLength: 3 }),
    workdir: text,
    timeout: whole,
    subAgents: fc.array(text, { maxLength: 3 }),
    tools: fc.subarray([...TOOL_WORDS]),
    mode: fc.constantFrom(...MODES),
    permissions: fc.record({ allow: rules, ask: rules, deny: rules }),
    sandbox: fc.record({
      kind: fc.constantFrom('none', 'isolated'),
      network: fc.boolean(),
      image: fc.constantFrom('', 'python:3.13-slim', 'public.ecr.aws/a/b@sha256:0f'),
    }),
    functions: fc.constant([]),
    remoteAgents: fc.constant([]),
    hooks: fc.constant([]),
    serve: fc.record({ mcp: fc.boolean() }, { requiredKeys: [] }),
    allowedHosts: fc.subarray(['docs.example.com', '*.example.com']),
    mcpServers: fc.constant([]),
    models: fc.array(text, { maxLength: 3 }),
    subAgent: fc.record({
      enabled: fc.boolean(),
      maxDepth: whole,
      maxConcurrent: positive,
      warnAt: whole,
      pauseAt: whole,
      hardStopAt: whole,
      inheritMode: fc.boolean(),
      defaultBudget: fc.record({
        maxToolCalls: positive,
        maxTokens: positive,
        timeoutMs: fc.integer({ min: 5000, max: 1e9 }),
      }),
    }),
    maxDepth: fc.integer({ min: 1, max: 5 }),
    parallel: fc.boolean(),
    subAgentTimeout: whole,
    shareInput: fc.boolean(),
    express: fc.boolean(),
    background: fc.constantFrom(true, false, 'always' as const),
    params: fc.record({
      temperature: fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0),
      maxTokens: whole,
      reasoningEffort: fc.constantFrom(...REASONING_EFFORTS),
      api: fc.constantFrom(...OPENAI_APIS),
    }),
    memory: fc.record({
      enabled: fc.boolean(),
      path: text,
      lastN: whole,
      maxEntries: whole,
      search: fc.boolean(),
      embedding: text,
      owner: fc.constantFrom(...OWNERSHIPS),
    }),
    workspace: fc.record({ owner: fc.constantFrom(...OWNERSHIPS) }),
    context: fc.record({ compact: fc.boolean(), window: whole }),
    retry: fc.record({
      maxRetries: whole,
      backoff: fc.constantFrom('exponential', 'linear', 'fixed'),
      initialDelayMs: whole,
      maxDelayMs: whole,
    }),
    budget: fc.record({
      maxTokens: whole,
      maxUsd: fc.integer({ min: 0, max: 100 }),
      maxTurns: whole,
      maxToolCalls: whole,
    }),
    limits: fc.record({
      usdPerDay: fc.integer({ min: 0, max: 100 }),
      usdPerOwnerPerDay: fc.integer({ min: 0, max: 100 }),
    }),
  });
  await fc.assert(
    fc.asyncProperty(agents, async (agent) => {
      const lines = [
        ...Object.entries({
          name: agent.name,
          model: agent.model,
          description: agent.description,
          system_prompt: agent.systemPrompt,
          skill: agent.skill,
          skills: agent.skills,
          files: agent.files,
          workdir: agent.workdir,
          timeout: agent.timeout,
          sub_agents: agent.subAgents,
          tools: agent.tools,
          mode: agent.mode,
          allowed_hosts: agent.allowedHosts,
          models: agent.models,
          'sub_agent.enabled': agent.subAgent.enabled,
          'sub_agent.max_depth': agent.subAgent.maxDepth,
          'sub_agent.max_concurrent': agent.subAgent.maxConcurrent,
          'sub_agent.warn_at': agent.subAgent.warnAt,
          'sub_agent.pause_at': agent.subAgent.pauseAt,
          'sub_agent.hard_stop_at': agent.subAgent.hardStopAt,
          'sub_agent.inherit_mode': agent.subAgent.inheritMode,
          'sub_agent.default_budget.max_tool_calls': agent.subAgent.defaultBudget.maxToolCalls,
          'sub_agent.default_budget.max_tokens': agent.subAgent.defaultBudget.maxTokens,
          'sub_agent.default_budget.timeout_ms': agent.subAgent.defaultBudget.timeoutMs,
          'permissions.allow': agent.permissions.allow,
          'permissions.ask': agent.permissions.ask,
          'permissions.deny': agent.permissions.deny,
          'sandbox.kind': agent.sandbox.kind,
          'sandbox.network': agent.sandbox.network,
          'sandbox.image': agent.sandbox.image,
          'params.temperature': agent.params.temperature,
          'params.max_tokens': agent.params.maxTokens,
          'params.reasoning_effort': agent.params.reasoningEffort,
          'params.api': agent.params.api,
          'limits.usd_per_day': agent.limits.usdPerDay,
          'limits.usd_per_owner_per_day': agent.limits.usdPerOwnerPerDay,
          'sub_agents_config.max_depth': agent.maxDepth,
          'sub_agents_config.parallel': agent.parallel,
          'sub_agents_config.timeout': agent.subAgentTimeout,
          'sub_agents_config.share_input': agent.shareInput,
          'sub_agents_config.express': agent.express,
          'sub_agents_config.background': agent.background,
        }).map(([key, value]) => `${key} = ${quote(value)}`),
        `memory = { enabled = ${agent.memory.enabled}, path = ${quote(agent.memory.path)}, last_n = ${agent.memory.lastN}, max_entries = ${agent.memory.maxEntries}, search = ${agent.memory.search}, embedding = ${quote(agent.memory.embedding)}, owner = ${quote(agent.memory.owner ?? '')} }`,
        `workspace = { owner = ${quote(agent.workspace.owner ?? '')} }`,
        ...(agent.serve.mcp === undefined ? [] : [`serve = { mcp = ${agent.serve.mcp} }`]),
        '[context]',
        `compact = ${agent.context.compact}\nwindow = ${agent.context.window}`,
        '[retry]',
        `max_retries = ${agent.retry.maxRetries}\nbackoff = ${quote(agent.retry.backoff)}`,
        `initial_delay_ms = ${agent.retry.initialDelayMs}\nmax_delay_ms = ${agent.retry.maxDelayMs}`,
        `[budget]\nmax_tokens = ${agent.budget.maxTokens}`,
        `max_usd = ${agent.budget.maxUsd}`,
        `max_turns = ${agent.budget.maxTurns}`,
        `max_tool_calls = ${agent.budget.maxToolCalls}`,
      ];
      expect(await agentIn(new TextEncoder().encode(lines.join('\n')))).toEqual(agent);
    }),
    { numRuns: cases(300) },
  );
});

it('no name of an agent reaches out of the agents folders', async () => {
  const outside = 'name = "outside"\nmodel = "a/b"\n';
  const root = await tempFolder({
    'project/agents/in.toml': 'name = "in"\nmodel = "a/b"\n',
    'project/agents/sub/deep.toml': outside,
    'project/x.toml': outside,
    'x.toml': outside,
  });
  const source = openAgentFolders({ cwd: `${root}/project`, env: { HOME: root } });
  const piece = fc.constantFrom(
    'in',
    'x',
    'sub',
    'deep',
    '..',
    '.',
    '/',
    '\\',
    '%2e',
    '%2f',
    '\0',
    '~',
    root,
    '.toml',
  );
  const name = fc.oneof(
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(name, async (asked) => {
      const complaint = await complaintOf(loadAgent(asked, source));
      expect(complaint === undefined).toBe(asked === 'in');
    }),
    { numRuns: cases(500) },
  );
});

it('no pattern reaches out of the workdir, not even through links', async () => {
  const root = await tempFolder({
    'x.txt': 'outside',
    'other/x.txt': 'outside',
    'work/x.txt': 'inside',
    'work/a/b/x.txt': 'inside',
    'work/a/x.txt': 'inside',
    'work/.x/x.txt': 'inside',
    'work/up': { linkTo: '..' },
    'work/root': { linkTo: '/' },
    'work/self': { linkTo: '.' },
    'work/a/out': { linkTo: '../../other' },
    'work/a/out.txt': { linkTo: '../up/x.txt' },
    'work/a/again': { linkTo: '../self/a' },
  });
  const workspace = openFolderWorkspace(`${root}/work`);
  const piece = fc.constantFrom(
    ...'x.txt out.txt *.txt a b up root self out again other work .x'.split(' '),
    ...'/ / / ** * .. . ? [ ] { } , ( ) | ! \\ + @ \0'.split(' '),
    root,
  );
  const pattern = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(''));
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(pattern, { minLength: 1, maxLength: 2 }), async (patterns) => {
      const resolving = resolveFiles(patterns, workspace);
      const complaint = await complaintOf(resolving);
      expect(complaint ?? 'invalid glob pattern "').toMatch(/^invalid glob pattern "/);
      const files = complaint === undefined ? await resolving : [];
      found += files.length;
      for (const { text } of files) expect(text).toBe('inside');
    }),
    // At random, a few hundred patterns may find nothing at all.
    { numRuns: cases(1_000), examples: [[['**/x.txt']]] },
  );
  expect(found).toBeGreaterThan(0);
});
