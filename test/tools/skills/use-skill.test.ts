import { expect, test } from 'vitest';
import { openStage } from '../../fixtures/stage.ts';

test('smoke', async () => {
  const stage = await openStage(
    {
      top: ({ turn, results }) => {
        if (turn === 1) return [{ id: 'a', name: 'use_skill', arguments: { name: 'pdf-forms' } }];
        if (turn === 2)
          return [
            {
              id: 'b',
              name: 'read_skill_file',
              arguments: { name: 'pdf-forms', path: 'references/fields.md' },
            },
            { id: 'c', name: 'list_directory', arguments: {} },
            { id: 'd', name: 'read_file', arguments: { path: 'x.txt' } },
            { id: 'e', name: 'read_skill_file', arguments: { name: 'pdf-forms', path: '../../x.txt' } },
            { id: 'f', name: 'use_skill', arguments: { name: 'pdf-form' } },
          ];
        console.log(results);
        return 'done';
      },
    },
    { top: `tools = ["files:read", "run_command"]\nskills = ["skills/*"]\n` },
    {
      'x.txt': 'hello',
      'skills/pdf-forms/SKILL.md':
        '---\nname: pdf-forms\ndescription: Fill forms.\nallowed-tools: Read Bash(git:*)\n---\n\n# Forms\n\nRead references/fields.md\n',
      'skills/pdf-forms/references/fields.md': 'Fields\n',
      'skills/pdf-forms/scripts/fill.py': 'print(1)\n',
    },
  );
  const ended = await stage.run();
  console.log(
    stage.asked[0]?.request.system,
    stage.asked[0]?.request.tools.map(({ name }) => name),
    stage.asked[1]?.results,
    ended.err,
  );
  expect(ended.out).toBe('done\n');
});
