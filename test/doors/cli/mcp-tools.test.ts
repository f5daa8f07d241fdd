import { expect, test } from 'vitest';
import { mcpTools } from '../../../src/doors/cli/commands/mcp-tools.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { startToolServer } from '../../fixtures/tool-server.ts';
import { typed } from '../../fixtures/typed.ts';

const server = (url: string, more = '') => `[[mcp_servers]]\nname = "docs"\nurl = "${url}"\n${more}\n`;

const GONE = `server "gone" does not answer: there is no command "no-such-command-at-all", or its folder does not exist`;

/** The exit code of the command and what it wrote. */
async function tools(name: string, cwd: string) {
  const io = recordedIo(cwd);
  const code = await mcpTools(name, {}, io);
  return { code, out: io.out, err: io.err };
}

test('a person sees what servers offer to an agent, and which of them cannot be asked', async () => {
  const { url } = await startToolServer('both');
  const cwd = await tempFolder({
    'agents/top.toml': `name = "top"\nmodel = "scripted/x"\n${server(url, 'tools = ["echo", "pid", "no"]\nread_only = ["echo", "no", "eco"]')}
[[mcp_servers]]
name = "gone"
command = "no-such-command-at-all"
`,
    'agents/plain.toml': 'name = "plain"\nmodel = "scripted/x"\n',
  });
  expect(await tools('top', cwd)).toEqual({
    code: 1,
    out: [
      `docs (${url}): 2 tools`,
      '  mcp__docs__echo (read only) - Says it again',
      '  mcp__docs__pid - Its number',
      '  instructions (not used: instructions = true): Ask for one word at a time.',
      '',
    ].join('\n'),
    err: ['Warning: server "docs" has no tool "no", "eco"', `Error: ${GONE}`, ''].join('\n'),
  });
  const { out } = await typed(['mcp', 'tools', 'top', '--json'], cwd);
  expect(JSON.parse(out)).toEqual([
    {
      server: 'docs',
      tools: [
        {
          name: 'mcp__docs__echo',
          description: 'Says it again',
          parameters: {
            type: 'object',
            properties: { word: { type: 'string', description: 'A word' } },
            required: ['word'],
          },
          server_name: 'echo',
          read_only: true,
        },
        {
          name: 'mcp__docs__pid',
          description: 'Its number',
          parameters: { type: 'object', properties: {}, required: [] },
          server_name: 'pid',
          read_only: false,
        },
      ],
      instructions: 'Ask for one word at a time.\nNever shout.',
      notes: ['server "docs" has no tool "no", "eco"'],
    },
    { server: 'gone', error: GONE },
  ]);
  expect(await tools('plain', cwd)).toEqual({
    code: 0,
    out: '',
    err: 'agent "plain" uses no servers: they are its [[mcp_servers]]\n',
  });
});
