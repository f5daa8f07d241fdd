import { generateText, jsonSchema, isStepCount, tool } from 'ai';
import { MAX_TURNS } from '../src/core/turn/turn.ts';
import { answer, delegate } from './delegating.ts';

/** See ai-sdk.d.mts: the package requires a newer Node.js than the project, and is installed with the tools. */
export async function timeAiSdk(conversations) {
  const timings = [];
  for (let index = 0; index < conversations; index++) {
    const start = performance.now();
    const calls = await converse();
    timings.push((performance.now() - start) / calls);
  }
  return timings;
}

/** @returns how many times a model was called */
async function converse() {
  let calls = 0;
  const scout = modelOf(() => {
    calls += 1;
    return answer();
  });
  const lead = modelOf((turn) => {
    calls += 1;
    return turn < MAX_TURNS ? delegate(1) : answer();
  });
  const call_agent = tool({
    description: 'Hands a task to another agent',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { agent: { type: 'string' }, task: { type: 'string' } },
      required: ['agent', 'task'],
    }),
    async execute({ task }) {
      const { text } = await generateText({ model: scout, instructions: 'Look at one part.', prompt: task });
      return text;
    },
  });
  const { steps } = await generateText({
    model: lead,
    instructions: 'Split the work.',
    prompt: 'Find out what matters',
    tools: { call_agent },
    stopWhen: isStepCount(MAX_TURNS),
  });
  if (steps.length !== MAX_TURNS) throw new Error(`the AI SDK made ${steps.length} turns`);
  return calls;
}

/** @param says the answer to a turn, by its number */
function modelOf(says) {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const said = says(1 + prompt.filter(({ role }) => role === 'assistant').length);
      const toolCalls = said.calls.map(({ id, name, arguments: args }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: JSON.stringify(args),
      }));
      return {
        content: [{ type: 'text', text: said.text }, ...toolCalls],
        finishReason: { unified: toolCalls.length > 0 ? 'tool-calls' : 'stop', raw: said.rawStopReason },
        usage: {
          inputTokens: {
            total: said.usage.inputTokens,
            noCache: undefined,
            cacheRead: undefined,
            cacheWrite: undefined,
          },
          outputTokens: { total: said.usage.outputTokens, text: undefined, reasoning: undefined },
        },
        warnings: [],
      };
    },
    doStream() {
      throw new Error('nothing is streamed here');
    },
  };
}
