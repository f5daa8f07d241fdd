import { expect, test } from 'vitest';
import { buildSystemPrompt } from '../../../src/core/agent-schema/system-prompt.ts';

test('a file with more runs of backticks than a call can have arguments is fenced', () => {
  const text = `${'` '.repeat(200_000)}\`\`\`\``;
  const files = [{ path: 'a.md', text }];
  expect(buildSystemPrompt({ systemPrompt: '', skill: '', files })).toBe(
    `\n\n---\n\n## Context Files\n\n### a.md\n\`\`\`\`\`md\n${text}\n\`\`\`\`\``,
  );
});
