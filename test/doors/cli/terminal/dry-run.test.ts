import { expect, it } from 'vitest';
import { renderDryRun, renderSettings } from '../../../../src/doors/cli/terminal/dry-run.ts';

const bare = {
  model: 'openai/gpt-5.1',
  workdir: '/work',
  timeout: 120,
  params: { maxTokens: 0 },
  sent: {},
  notes: [],
  systemPrompt: '',
  skill: '',
  files: [],
  stdin: '',
  subAgents: [],
  maxDepth: 3,
  parallel: true,
  subAgentTimeout: 0,
  shareInput: false,
  memory: undefined,
  tools: [],
  targets: [],
  message: 'Execute the task described in your instructions.',
};

it('a dry run shows everything that would be sent', () => {
  const text = renderDryRun({
    ...bare,
    params: { temperature: 0.5, maxTokens: 100, reasoningEffort: 'low' },
    sent: { temperature: 0.5, maxTokens: 100, reasoningEffort: 'low' },
    systemPrompt: 'You are x.\n\n---\n\n## Skill\n\nBe brief.',
    skill: 'brief',
    files: ['a.md', 'docs/b.md'],
    stdin: 'piped',
    memory: '## 2026-01-01T00:00:00Z',
    subAgents: ['y', 'z'],
    maxDepth: 4,
    parallel: false,
    subAgentTimeout: 60,
    shareInput: true,
    notes: ['max_tokens may be more'],
    tools: [
      {
        name: 'call_agent',
        description: 'Delegate a task.',
        parameters: {
          type: 'object',
          properties: {
            agent: { type: 'string', description: 'Whom to ask', enum: ['y', 'z'] },
            often: { type: ['integer', 'null'], minimum: 1 },
            odd: true,
          },
          required: ['agent'],
          additionalProperties: false,
        },
      },
      { name: 'done', description: 'End.', parameters: { type: 'object' } },
    ],
    targets: [],
    message: 'What is this?\n\nContext:\npiped',
  });
  expect(text).toBe(`=== Dry Run ===

Model:    openai/gpt-5.1
Workdir:  /work
Timeout:  120s
Params:   temperature=0.5, max_tokens=100, reasoning_effort=low
Budget:   max_tokens may be more

--- System Prompt ---
You are x.

---

## Skill

Be brief.

--- Skill ---
brief

--- Files (2) ---
a.md
docs/b.md

--- Stdin ---
5 characters, in the user message

--- Memory ---
23 characters, in the system prompt

--- Sub-Agents ---
y, z
Max Depth: 4
Parallel:  no
Timeout:   60s
Input:     shared

--- Tools (2) ---
call_agent: Delegate a task.
  agent (string, required, enum ["y","z"]): Whom to ask
  often (["integer","null"], minimum 1)
  odd: true
  {"additionalProperties":false}
done: End.

--- User Message ---
What is this?

Context:
piped
`);
});

it('a dry run says of a parameter that the model does not take that it is not sent', () => {
  const params = { maxTokens: 0, reasoningEffort: 'high' } as const;
  expect(renderDryRun({ ...bare, params, sent: { maxTokens: 4096 } })).toContain(
    '\nParams:   temperature=not sent, max_tokens=4096, reasoning_effort=not sent\n',
  );
});

it('a dry run says what there is none of, and nothing of a memory that is not kept', () => {
  expect(renderDryRun(bare)).toBe(`=== Dry Run ===

Model:    openai/gpt-5.1
Workdir:  /work
Timeout:  120s
Params:   temperature=not sent, max_tokens=not sent

--- System Prompt ---
(none)

--- Skill ---
(none)

--- Files (0) ---
(none)

--- Stdin ---
(none)

--- Sub-Agents ---
(none)

--- Tools (0) ---
(none)

--- User Message ---
Execute the task described in your instructions.
`);
  expect(renderDryRun({ ...bare, memory: '' })).toContain(
    '\n\n--- Memory ---\n(none)\n\n--- Sub-Agents ---\n',
  );
});

it.each<
  [given: object, skill: string, files: number, stdin: string, memory: string | undefined, notes?: string]
>([
  [{}, '(none)', 0, 'no', undefined],
  [{ skill: 'x', files: ['a', 'b'], stdin: 'x', memory: '' }, 'yes', 2, 'yes', 'no entries'],
  [{ memory: 'x', notes: ['one', 'two'] }, '(none)', 0, 'no', 'yes', 'Budget:   one\nBudget:   two\n'],
])('--verbose tells the settings of a run: %j', (given, skill, files, stdin, memory, notes = '') => {
  expect(renderSettings({ ...bare, ...given })).toBe(`Model:    openai/gpt-5.1
Workdir:  /work
Timeout:  120s
Params:   temperature=not sent, max_tokens=not sent
${notes}Skill:    ${skill}
Files:    ${files} file(s)
Stdin:    ${stdin}
${memory === undefined ? '' : `Memory:   ${memory}\n`}`);
});

it('a dry run of a bare agent says what there is none of, and of another what it would start', () => {
  const parts = (text: string) => text.split('\n\n').slice(2);
  expect(parts(renderDryRun(bare))).toEqual([
    '--- System Prompt ---\n(none)',
    '--- Skill ---\n(none)',
    '--- Files (0) ---\n(none)',
    '--- Stdin ---\n(none)',
    '--- Sub-Agents ---\n(none)',
    '--- Tools (0) ---\n(none)',
    `--- User Message ---\n${bare.message}\n`,
  ]);
  const more = {
    memory: ' ',
    subAgents: ['y'],
    attachments: [{ hash: 'a'.repeat(64), type: 'image/png' as const, bytes: 2_048, width: 4, height: 3 }],
  };
  expect(parts(renderDryRun({ ...bare, ...more })).slice(4, 7)).toEqual([
    '--- Attachments (1) ---\nimage/png, 4 x 3, 2 KB',
    '--- Memory ---\n(none)',
    '--- Sub-Agents ---\ny\nMax Depth: 3\nParallel:  yes\nTimeout:   0s',
  ]);
});
