import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compilePattern } from '../../src/core/agent-schema/file-pattern.ts';
import { matchesPath } from '../../src/core/agent-schema/path-rule.ts';
import { matchesCommand } from '../../src/core/agent-schema/command-rule.ts';
import { matchesStars } from '../../src/core/agent-schema/permission-rule.ts';
import { pdfPages } from '../../src/core/attachments/pdf-pages.ts';
import { pdfText } from '../../src/core/attachments/pdf-text.ts';
import { seconds } from '../../src/core/records/times.ts';
import { faultsOf } from '../../src/core/tool-contracts/schema-faults.ts';
import { planCalls } from '../../src/core/tool-contracts/plan-calls.ts';
import { simplifyParameters } from '../../src/core/tool-contracts/simplify-parameters.ts';
import { loadTools } from '../../src/core/tool-contracts/toolbox.ts';
import { blockLines } from '../../src/doors/cli/terminal/markdown/blocks.ts';
import { oneLine, printable } from '../../src/doors/cli/terminal/printable.ts';
import type { Json } from '../../src/json.ts';
import { runCommandTool } from '../../src/tools/run-command.ts';
import { loadOwnTools } from '../../src/tools/load-own-tools.ts';
import { linePattern } from '../../src/tools/files/line-pattern.ts';
import { toOutput } from '../../src/tools/mcp/client/to-output.ts';
import { htmlToText } from '../../src/tools/reach/html-text.ts';
import { anOpened } from '../fixtures/records.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { longestPause } from '../fixtures/longest-pause.ts';
import { openToolServers, toolServer } from '../fixtures/tool-server.ts';

/** Nobody else in the process waits longer than this. */
const MOST_MS = 100;

/** Asks a server for its tools that prints what an expression says over and over, in place of an answer. */
async function askServer(printed: string): Promise<void> {
  const servers = openToolServers();
  const server = toolServer({ args: [] }, { timeout: seconds(2) });
  const script = `const out = ${printed}; const more = () => { while (process.stdout.write(out)); process.stdout.once('drain', more); }; more();`;
  if (server.reach.kind === 'command') server.reach.args = ['-e', script];
  await expect(servers.list(server)).rejects.toThrow('server "docs" does not answer');
  await servers.close();
}

const MILLION = Buffer.from(`{"jsonrpc":"2.0","id":0,"result":{"tools":[${'0,'.repeat(1_000_000)}0]}}`);
const NAME = 'a'.repeat(4_095);
const DEEP = `${'a/'.repeat(2_000)}a`;

let judged = 0;

/** Holds fifty rules against a command, which is another one each time. */
function judgeByFifty(command: string): void {
  judged++;
  for (let rule = 0; rule < 50; rule++) matchesCommand(`r${rule} *`, `${command}${judged}`, false);
}

/** 26 KB of commands, no two of which are the same. */
function partsOf(end: string): string {
  return Array.from({ length: 1_800 }, (_, part) => `env -a -b r${part};`).join('') + end;
}

/** Judges the calls of an answer by fifty rules. */
async function judgeAnswer(length: number): Promise<void> {
  const { definition } = runCommandTool;
  const rules = { mode: 'auto' as const, deny: FIFTY, allow: [], ask: [], allowedHosts: [] };
  const opened = anOpened({ tools: [definition], rules });
  const tools = await loadTools(opened, loadOwnTools);
  const calls = Array.from({ length }, (_, call) => ({
    id: `${call}`,
    name: 'run_command',
    arguments: { command: partsOf(`${call}`) },
  }));
  const plans = await planCalls(calls, opened, tools);
  expect(new Set(plans.map(({ kind }) => kind))).toEqual(new Set(['invoke']));
}

const FIFTY = Array.from({ length: 50 }, (_, rule) => `run_command(z${rule} *)`);

/** 10 MB of a document, in 10 KB. */
const UNPACKED = deflateSync(Buffer.from('q Q '.repeat(2_500_000)));

/** A document with parts that are unpacked to far more than it has. */
const PARTS = Buffer.concat(
  Array.from({ length: 100 }, () => [
    Buffer.from('/ObjStm stream\n'),
    UNPACKED,
    Buffer.from('endstream'),
  ]).flat(),
);

/** A document of one page, on which there is nothing in the end. */
const PAGE = Buffer.concat([
  Buffer.from(
    `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>/Contents 4 0 R>>endobj 4 0 obj<</Length ${UNPACKED.length}/Filter/FlateDecode>>stream\n`,
  ),
  UNPACKED,
  Buffer.from('\nendstream endobj trailer<</Root 1 0 R>>'),
]);

/** As much as a terminal reads at once: longer blocks come in pieces. */
const piece = (text: string) => text.repeat(8_000 / text.length);

/** Objects in objects. */
function nested(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

/** A schema with as many definitions, and references to them. */
function schemaOf(definitions: number, references: number, definition: Json): Json {
  const entries = (count: number, toValue: (index: number) => Json) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`d${index}`, toValue(index)]));
  return {
    type: 'object',
    properties: entries(references, (index) => ({ $ref: `#/$defs/d${index % definitions}` })),
    $defs: entries(definitions, () => definition),
  };
}

const REFERENCES = schemaOf(50_000, 1_000, {});
const parts = Array.from({ length: 50_000 }, (_, index) => ({ properties: { [`p${index}`]: {} } }));

test.each<[string, () => unknown]>([
  [
    'a server that prints lines of objects',
    () => askServer(String.raw`'{"jsonrpc":"2.0","a":1}\n'.repeat(2_500)`),
  ],
  ['a server that prints short lines', () => askServer(String.raw`'{}\n'.repeat(20_000)`)],
  ['a server that prints prose', () => askServer(String.raw`'All is well, I think.\n'.repeat(3_000)`)],
  ['a server that prints no line ends', () => askServer(`'x'.repeat(60_000)`)],
  [
    'a server that prints one list',
    () => askServer(`'{"jsonrpc":"2.0","id":0,"result":' + '['.repeat(250_000)`),
  ],
  [
    'a server whose answer has a million values',
    async () => {
      const server = await startModelServer(() => ({ contentType: 'application/json', bytes: MILLION }));
      const servers = openToolServers();
      await expect(servers.list(toolServer({ url: server.url }, { timeout: seconds(10) }))).rejects.toThrow(
        'the answer is larger than 200000 values',
      );
      await servers.close();
      await server.close();
    },
  ],
  ['a rule with stars and a long name', () => matchesPath('*a*a*a*a*a*a*b', NAME)],
  ['a rule with folders and a deep path', () => matchesPath('**/a/**/a/**/a/**/a/**/b', DEEP)],
  ['a rule with alternatives', () => matchesPath('*{a,b}*{a,b}*{a,b}*{a,b}c', NAME)],
  ['a pattern of files', () => compilePattern('*a*a*a*b').matches(NAME)],
  ['a pattern of folders', () => compilePattern('**/a/**/a/**/a/**/b').matches(DEEP)],
  ['a rule for commands', () => matchesCommand('*a*a*a*a*a*a*b', `${NAME};`.repeat(100), false)],
  ['a rule for tools', () => matchesStars('*a*a*a*a*a*a*b', NAME.repeat(20))],
  ['fifty rules for commands with wrappers', () => judgeByFifty('sudo - - $('.repeat(3_000))],
  ['fifty rules for commands of many parts', () => judgeByFifty(partsOf(''))],
  ['fifty rules for ten such commands in one answer', () => judgeAnswer(10)],
  ['HTML of open brackets', () => htmlToText('<'.repeat(500_000), 'https://a.test/')],
  [
    'HTML of open tags',
    () => htmlToText('<table><tr><td><b><i><a href=x>'.repeat(20_000), 'https://a.test/'),
  ],
  ['HTML of attributes', () => htmlToText(`<a ${'b="'.repeat(300_000)}`, 'https://a.test/')],
  ['HTML of comments', () => htmlToText('<!--'.repeat(250_000), 'https://a.test/')],
  ['HTML of paragraphs', () => htmlToText('<p>x'.repeat(99_000), 'https://a.test/')],
  [
    'HTML of nested quotes',
    () => htmlToText(`${'<blockquote>'.repeat(200)}${'<p>x'.repeat(99_000)}`, 'https://a.test/'),
  ],
  ['HTML of lines', () => htmlToText(`<pre>${'x\n'.repeat(2_500_000)}`, 'https://a.test/')],
  [
    'HTML of links to far away',
    () => htmlToText('<a href="/">x</a>'.repeat(49_000), `https://a.test/${NAME}`),
  ],
  ['a pattern of lines', () => linePattern('(a*)*'.repeat(150), false)],
  ['a schema of many references', () => simplifyParameters(REFERENCES)],
  ['a schema of many parts', () => simplifyParameters({ type: 'object', allOf: parts, anyOf: parts })],
  ['a schema of 5,000 levels', () => simplifyParameters(nested(5_000))],
  ['a schema that holds itself twenty times', () => simplifyParameters(schemaOf(1, 20, { $ref: '#' }))],
  [
    'a value of 5,000 levels against a schema that holds itself',
    () => faultsOf(nested(5_000), { type: 'object', properties: { a: { $ref: '#' } } }),
  ],
  [
    'a result of a server with 5,000 levels',
    () =>
      expect(toOutput({ content: [], structuredContent: { a: nested(5_000) } })).toEqual({
        text: '[an object, nested too deeply, left out]',
      }),
  ],
  ['Markdown of emphasis', () => blockLines(piece('*a '), 80)],
  ['Markdown of brackets', () => blockLines(piece('['), 80)],
  ['Markdown of code', () => blockLines(piece('`a '), 80)],
  ['Markdown of links', () => blockLines(piece('[a](b '), 80)],
  ['Markdown of nested quotes', () => blockLines(piece('> '), 80)],
  ['a table in Markdown', () => blockLines(`|a|b|\n|-|-|\n${piece('|x|y|\n')}`, 80)],
  ['a document of packed parts', () => pdfPages(PARTS)],
  ['a document of one long page', () => pdfText(PAGE)],
  ['blanks in one line', () => oneLine(' '.repeat(200_000))],
  ['joiners', () => printable('\u200d'.repeat(200_000))],
])('%s does not stop the process', async (_, work) => {
  // What is loaded by the first of its kind is none of its doing.
  await work();
  // Other work on the machine slows the processor itself, so that it can only add: the least of ten counts.
  let pause = Infinity;
  for (let tries = 0; tries < 10 && pause >= MOST_MS; tries++) {
    pause = Math.min(pause, await longestPause(work));
  }
  expect(pause).toBeLessThan(MOST_MS);
});
