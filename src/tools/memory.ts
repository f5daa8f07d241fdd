import { MAX_SAVED_CHARACTERS, textOf } from '../core/memory/entry.ts';
import type { PropertySchema } from '../core/records/message.ts';
import { RefusedCall } from '../core/tool-contracts/arguments.ts';
import { errorOutput } from '../core/tool-contracts/error-output.ts';
import type { OwnMemory, Tool, ToolArguments, ToolOutput } from '../core/tool-contracts/tool.ts';
import { defined } from '../defined.ts';
import { integerArgument, textArgument } from './typed-arguments.ts';

const MOST_FOUND = 50;
const USUALLY_FOUND = 10;
const MAX_QUERY = 1_000;
const MAX_ID = 100;
/** Thousands of entries are read, and a provider may be asked. */
const SECONDS = 60;

interface MemoryTool {
  name: string;
  description: string;
  parameters: Record<string, PropertySchema>;
  required: string[];
  writes: boolean;
  /** @throws {RefusedCall} in words for the model */
  run(args: ToolArguments, memory: OwnMemory, signal: AbortSignal): Promise<ToolOutput>;
}

/** What an agent does with its own memory. Every call may be made again, to the same effect. */
export const MEMORY_TOOLS = [
  memoryTool({
    name: 'memory_forget',
    description: 'Remove an entry from your memory, for good.',
    parameters: { id: { type: 'string', description: 'Id of the entry, as memory_search lists it' } },
    required: ['id'],
    writes: true,
    async run(args, memory) {
      const id = textArgument(args, 'id', MAX_ID).trim();
      return { text: (await memory.forget(id)) ? `Forgotten: ${id}` : `There is no entry ${id}.` };
    },
  }),
  memoryTool({
    name: 'memory_save',
    description:
      'Save a text to your memory, which you keep beyond this conversation. Save what will matter later, in a few ' +
      'sentences that can be understood by themselves.',
    parameters: {
      text: { type: 'string', description: `The text, at most ${MAX_SAVED_CHARACTERS} characters` },
    },
    required: ['text'],
    writes: true,
    async run(args, memory) {
      const text = textArgument(args, 'text', MAX_SAVED_CHARACTERS).trim();
      if (text === '') throw new RefusedCall('there is nothing to save: the text is empty');
      return { text: `Saved: ${await memory.save(text)}` };
    },
  }),
  memoryTool({
    name: 'memory_search',
    description:
      'Search your memory of earlier conversations and of what you have saved, the best entries first, one a line: id, ' +
      'date and text.',
    parameters: {
      query: { type: 'string', description: 'What to look for, in a few words' },
      limit: {
        type: 'integer',
        description: `How many entries; default ${USUALLY_FOUND}, at most ${MOST_FOUND}`,
      },
    },
    required: ['query'],
    writes: false,
    async run(args, memory, signal) {
      const query = textArgument(args, 'query', MAX_QUERY);
      const limit = integerArgument(args, 'limit', { least: 1, fallback: USUALLY_FOUND });
      const { entries, nanoUsd, fault } = await memory.search(query, Math.min(limit, MOST_FOUND), signal);
      const lines = entries.map((entry) => `${entry.id}  ${entry.at}  ${shown(textOf(entry))}`);
      if (entries.length === 0) lines.push('(nothing found)');
      if (fault !== undefined) lines.push(`(searched by words only: ${fault})`);
      return { text: lines.join('\n'), ...defined({ nanoUsd }) };
    },
  }),
];

/** On one line. */
function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_SAVED_CHARACTERS ? `${line.slice(0, MAX_SAVED_CHARACTERS)}...` : line;
}

function memoryTool({ name, description, parameters, required, writes, run }: MemoryTool): Tool {
  return {
    definition: { name, description, parameters: { type: 'object', properties: parameters, required } },
    writes,
    isRepeatable: true,
    seconds: () => SECONDS,
    subject: () => undefined,
    subjectIs: 'command',
    async run(args, { memory, signal }) {
      if (memory === undefined) return errorOutput(`${name} reaches no memory here`);
      try {
        return await run(args, memory, signal);
      } catch (thrown) {
        if (thrown instanceof RefusedCall) return errorOutput(thrown.message);
        throw thrown;
      }
    },
  };
}
