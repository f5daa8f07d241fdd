import { expect, test } from 'vitest';
import { BUILT_IN_TOOLS } from '../../src/tools/built-in.ts';

test('each tool says whether it changes anything, may be made again, how long it may take, and what it is about', () => {
  const args = {
    path: 'a.txt',
    command: 'ls',
    url: 'https://example.org/',
    query: 'q',
    patch: '',
    name: 'n',
  };
  const manners = [...BUILT_IN_TOOLS].map(([name, tool]) =>
    [
      name,
      tool.writes ? 'writes' : 'reads',
      ...(tool.isRepeatable ? ['repeatable'] : []),
      ...(tool.by === undefined ? [] : [tool.by]),
      `${tool.seconds(args, false)} s`,
      ...(tool.seconds(args, true) === tool.seconds(args, false)
        ? []
        : [`isolated ${tool.seconds(args, true)} s`]),
      ...(tool.subject(args) === undefined ? [] : [`${tool.subjectIs} ${tool.subject(args)}`]),
    ].join(', '),
  );
  expect(manners).toMatchInlineSnapshot(`
    [
      "delete_file, writes, 60 s, path a.txt",
      "edit_file, writes, 60 s, path a.txt",
      "glob, reads, repeatable, 60 s, path a.txt",
      "grep, reads, repeatable, 60 s, path a.txt",
      "list_directory, reads, repeatable, 60 s, path a.txt",
      "read_file, reads, repeatable, 60 s, path a.txt",
      "write_file, writes, repeatable, 60 s, path a.txt",
      "mail_check, reads, repeatable, control, 60 s",
      "mail_delete, writes, repeatable, control, 60 s",
      "mail_filter, reads, repeatable, control, 60 s",
      "mail_read, reads, repeatable, control, 60 s",
      "mail_send, writes, repeatable, control, 60 s",
      "memory_forget, writes, repeatable, 60 s",
      "memory_save, writes, repeatable, 60 s",
      "memory_search, reads, repeatable, 60 s",
      "fetch_url, reads, repeatable, 40 s, address https://example.org/",
      "git_diff, reads, repeatable, 60 s, path a.txt",
      "git_log, reads, repeatable, 60 s, path a.txt",
      "kill, writes, repeatable, control, 60 s",
      "list_agents, reads, repeatable, control, 60 s",
      "read_skill_file, reads, repeatable, 60 s, path n/a.txt",
      "run_command, writes, 125 s, isolated 240 s, command ls",
      "use_skill, reads, repeatable, 60 s, path n",
      "web_search, reads, repeatable, 30 s, address q",
    ]
  `);
});
