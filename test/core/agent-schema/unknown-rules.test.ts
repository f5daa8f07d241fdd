import { expect, test } from 'vitest';
import { hooksOf } from '../../../src/core/agent-schema/hook-schema.ts';
import { parseAgent } from '../../../src/authoring/loading/parse-agent.ts';

function parse(keys: string) {
  const text = `name = "a"\nmodel = "offline/extractive"\n${keys}`;
  return parseAgent('a', { path: 'agents/a.toml', root: '/', bytes: new TextEncoder().encode(text) });
}

const SERVER = '[[mcp_servers]]\nname = "docs"\nurl = "https://x.example"\n';
const FUNCTION =
  '[[functions]]\nname = "check"\nfile = "check.ts"\ndescription = "d"\nparameters = { type = "object" }\n';
const hook = (keys: string) => `[[hooks]]\non = "before_call"\n${keys}\n`;

test.each([
  [
    'a rule for a tool that there is not',
    '[permissions]\ndeny = ["read_fil"]',
    /^agents\/a\.toml:4:9: permissions\.deny\[0\]: unknown tool "read_fil"; did you mean "read_file"\?$/,
  ],
  [
    'a rule for a tool of a server that there is not',
    `[permissions]\nallow = ["mcp__other__x"]\n${SERVER}`,
    /unknown tool "mcp__other__x"; .*mcp__docs__\*/,
  ],
  ['stars that fit none', `[permissions]\nask = ["xyz_*"]`, /permissions\.ask\[0\]: unknown tool "xyz_\*"/],
  [
    'a hook about a tool that there is not',
    hook('file = "h.ts"\ntools = ["run_command", "run_comand"]'),
    /^agents\/a\.toml:6:25: hooks\[0\]\.tools\[1\]: unknown tool "run_comand"; did you mean "run_command"\?$/,
  ],
  [
    'a hook by a function, where there are none',
    hook('function = "check"'),
    /^agents\/a\.toml:5:12: hooks\[0\]\.function: no \[\[functions\]\] has the name "check"; there are none$/,
  ],
  [
    'a hook by a function that there is not',
    `${hook('function = "chek"')}${FUNCTION}`,
    /no \[\[functions\]\] has the name "chek"; did you mean "check"\?$/,
  ],
  [
    'a hook by two',
    hook('function = "check"\nfile = "h.ts"'),
    /^agents\/a\.toml:3:3: hooks\[0\] takes exactly one of function and file$/,
  ],
  ['a hook by none', hook(''), /hooks\[0\] takes exactly one of function and file$/],
  [
    'a hook about a text of tools',
    hook('file = "h.ts"\ntools = ["run_command"]').replace('before_call', 'before_answer'),
    /hooks\[0\]: tools is for before_call and after_call$/,
  ],
  [
    'a hook that is no table',
    'hooks = ["h.ts"]',
    /agents\/a\.toml:3:10: hooks\[0\] must be a table, got "h\.ts"$/,
  ],
  [
    'a hook outside the project',
    hook('file = "../h.ts"'),
    /hooks\[0\]\.file must be a path below the folder that contains agents\/$/,
  ],
  [
    'a hook that takes too long',
    hook('file = "h.ts"\ntimeout = 121'),
    /hooks\[0\]\.timeout cannot exceed 120/,
  ],
  [
    'a guardrail that is no table',
    'guardrail = 1',
    /agents\/a\.toml:3:13: guardrail must be a table, got 1$/,
  ],
  [
    'a guardrail without a version',
    '[guardrail]\nid = "abc"',
    /^agents\/a\.toml:3:2: agent config missing required field: guardrail\.version$/,
  ],
  [
    'the id of no guardrail',
    '[guardrail]\nid = "A"\nversion = "1"',
    /guardrail\.id must be the id or the ARN of a guardrail$/,
  ],
  [
    'no version of a guardrail',
    '[guardrail]\nid = "a"\nversion = "0"',
    /guardrail\.version must be a number of a version such as "1", or "DRAFT"$/,
  ],
])('%s is refused', async (_, keys, message) => {
  await expect(parse(keys)).rejects.toThrow(message);
});

test.each([
  '[permissions]\ndeny = ["read_*", "*", "run_command(rm *)", "mcp__docs__*", "mcp__*", "mcp__docs__search"]\n',
  `[permissions]\nask = ["check"]\n${FUNCTION}`,
  hook('file = "h.ts"\ntools = ["call_agent", "mcp__docs__x", "*"]'),
  '[guardrail]\nid = "arn:aws-us-gov:bedrock:eu-west-1:123456789012:guardrail/abc"\nversion = "DRAFT"\n',
  '[guardrail]\nid = "abc1"\nversion = "12"\n',
])('what names something that there is is taken: %s', async (keys) => {
  await expect(parse(`${keys}${SERVER}`)).resolves.toBeDefined();
});

test('hooks ask functions, or modules by a name that is made of their path', async () => {
  const { agent } = await parse(
    `${hook('function = "check"\ntimeout = 3\ntools = ["run_command"]')}${hook('file = "./hooks/My_hook.v2.ts"')}${FUNCTION}`,
  );
  expect(hooksOf(agent)).toEqual([
    {
      on: 'before_call',
      name: 'check',
      tools: ['run_command'],
      function: 'check',
      source: { file: 'check.ts' },
      seconds: 3,
    },
    {
      on: 'before_call',
      name: './hooks/My_hook.v2.ts',
      function: 'hook-hooks-My-hook-v2',
      source: { file: 'hooks/My_hook.v2.ts' },
      seconds: 10,
    },
  ]);
});
