import type { Folder } from '../src/places/local/local-environment.ts';
import type { LocalPipeline } from '../src/places/local/local-pipeline.ts';
import { openFolder } from '../src/places/local/open-folder.ts';
import { newRunId } from '../src/core/records/run-id.ts';
import type { Run } from '../src/core/records/run.ts';
import { startRun } from '../src/core/lifecycle/start.ts';
import { MAX_TURNS } from '../src/core/turn/turn.ts';
import type { Model, ModelRequest } from '../src/core/model/model.ts';
import { delegationModel } from '../src/providers/planned/delegation.ts';
import { DELEGATION_MODEL } from '../src/core/records/delegation.ts';
import type { ModelResponse, ToolCall } from '../src/core/records/message.ts';
import { createPrices } from '../src/core/spending/prices.ts';
import { openAgentFolders } from '../src/authoring/loading/folders/agent-folders.ts';
import { inProject } from './project.ts';

/** An agent that delegates and one that answers, whose model is the given one: all else is what `cadre run` uses. */
export async function withPipeline<T>(
  model: Model,
  work: (pipeline: LocalPipeline, cwd: string, folder: Folder) => Promise<T>,
): Promise<T> {
  return inProject(AGENTS, async (cwd) => {
    const sources = {
      env: {},
      source: openAgentFolders({ cwd, env: {}, agentsDir: 'agents' }),
      models: {
        open: async (name: string) => ({ model: name === DELEGATION_MODEL ? delegationModel : model, name }),
      },
      prices: createPrices(),
    };
    const folder = await openFolder({ cwd, sources: async () => sources });
    try {
      return await work((await folder.carrier()).pipeline, cwd, folder);
    } finally {
      await folder.close();
    }
  });
}

/** Runs an agent that delegates until it ends. @returns its record, with status `succeeded` */
export async function runLead(pipeline: LocalPipeline, agent = 'lead'): Promise<Run> {
  const id = newRunId(agent, Date.now());
  const execution = await startRun(id, { agent, prompt: 'Find out what matters' }, pipeline);
  await pipeline.executions.wait(execution);
  await pipeline.settled();
  const run = await pipeline.store.run(id);
  if (run?.status !== 'succeeded') throw new Error(`the run ${id} went wrong: ${JSON.stringify(run)}`);
  return run;
}

/** Delegates in each turn but the last possible one. @param asked is told of each request before it is answered */
export function longestConversation(asked: (request: ModelRequest) => void): Model {
  return {
    async send(request) {
      asked(request);
      return isLead(request) && turnsSoFar(request) < MAX_TURNS - 1 ? delegate(1) : answer();
    },
  };
}

/** Whether the agent that delegates asks, and not the one that answers. */
export function isLead(request: ModelRequest): boolean {
  return request.tools.length > 0;
}

/** Turns so far in the conversation that a request carries. */
export function turnsSoFar(request: ModelRequest): number {
  return request.messages.filter(({ role }) => role === 'assistant').length;
}

/** An answer of ordinary size. */
export function answer(): ModelResponse {
  return { ...FACTS, text: ANSWER, calls: [], stopReason: 'end', rawStopReason: 'end_turn' };
}

/** An answer that calls the sub-agent so many times. */
export function delegate(calls: number): ModelResponse {
  return {
    ...FACTS,
    text: 'Somebody has to look at this part next.',
    calls: Array.from({ length: calls }, toCall),
    stopReason: 'tool_calls',
    rawStopReason: 'tool_use',
  };
}

function toCall(_: unknown, index: number): ToolCall {
  return { id: `call_${index + 1}`, name: 'call_agent', arguments: { agent: 'scout', task: TASK } };
}

const AGENTS = {
  'agents/lead.toml': `name = "lead"
model = "bench/lead"
description = "Splits the work"
system_prompt = "Split the work and hand each part to the scout."
sub_agents = ["scout"]
tools = ["read_file"]
`,
  'agents/planner.toml': `name = "planner"
model = "bench/planner"
description = "Makes a plan"
system_prompt = "Make a plan and have it carried out."
tools = ["delegate_task"]
sub_agent = { max_concurrent = 3 }
`,
  'agents/scout.toml': `name = "scout"
model = "bench/scout"
description = "Looks at one part"
system_prompt = "Look at the part that you are given."
`,
};

export const FACTS = { usage: { inputTokens: 1000, outputTokens: 500 } };
const TASK = 'Read this section and tell what matters in it. '.repeat(6);
const ANSWER = 'What matters in this section is that it is of an ordinary length. '.repeat(30);
