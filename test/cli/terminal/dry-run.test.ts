import { expect, it } from 'vitest';
import { renderDryRun } from '../../../src/cli/terminal/dry-run.ts';

const bare = {
  model: 'openai/gpt-5.1',
  workdir: '/work',
  timeout: 120,
  params: { temperature: 0, maxTokens: 0 },
  systemPrompt: '',
  skill: '',
  files: [],
  stdin: '',
  subAgents: [],
  maxDepth: 3,
  parallel: true,
  subAgentTimeout: 0,
};

it('a dry run shows everything that would be sent', () => {
  const text = renderDryRun({
    ...bare,
    params: { temperature: 0.5, maxTokens: 100 },
    systemPrompt: 'You are x.\n\n---\n\n## Skill\n\nBe brief.',
    skill: 'Be brief.',
    files: [{ path: 'a.md' }, { path: 'docs/b.md' }],
    stdin: 'piped',
    memory: '## 2026-01-01T00:00:00Z',
    subAgents: ['y', 'z'],
    maxDepth: 4,
    parallel: false,
    subAgentTimeout: 60,
  });
  expect(text).toBe(`=== Dry Run ===

Model:    openai/gpt-5.1
Workdir:  /work
Timeout:  120s
Params:   temperature=0.5, max_tokens=100

--- System Prompt ---
You are x.

---

## Skill

Be brief.

--- Skill ---
Be brief.

--- Files (2) ---
a.md
docs/b.md

--- Stdin ---
piped

--- Memory ---
## 2026-01-01T00:00:00Z

--- Sub-Agents ---
y, z
Max Depth: 4
Parallel:  no
Timeout:   60s
`);
});

it('a dry run says what there is none of, and nothing of a memory that is not kept', () => {
  expect(renderDryRun(bare)).toBe(`=== Dry Run ===

Model:    openai/gpt-5.1
Workdir:  /work
Timeout:  120s
Params:   temperature=0, max_tokens=0

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
`);
  expect(renderDryRun({ ...bare, memory: '' })).toContain(
    '\n\n--- Memory ---\n(none)\n\n--- Sub-Agents ---\n',
  );
});
