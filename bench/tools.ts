import type { Model } from '../src/core/model/model.ts';
import type { ToolCall } from '../src/core/records/message.ts';
import { answer, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import type { Row } from './row.ts';

const CONVERSATIONS = 8;
const TURNS = 30;

/** Conversations of turns with a call of a file each, beside the same with a call that is refused at once. */
export async function measureTools(): Promise<Row[]> {
  const times = { read_file: Infinity, no_such_tool: Infinity };
  let name: keyof typeof times = 'read_file';
  const model: Model = {
    async send(request) {
      const turn = turnsSoFar(request) + 1;
      if (turn > TURNS) return answer();
      const call: ToolCall = { id: 'a', name, arguments: { path: 'agents/lead.toml' } };
      return { ...answer(), text: 'Reading.', calls: [call] };
    },
  };
  await withPipeline(model, async (pipeline) => {
    // In turns, so that other work of the machine meets both.
    for (let index = 0; index < 2 * CONVERSATIONS; index++) {
      name = index % 2 === 0 ? 'read_file' : 'no_such_tool';
      const start = performance.now();
      await runLead(pipeline);
      times[name] = Math.min(times[name], performance.now() - start);
    }
  });
  return [
    {
      what: 'a turn with a call of read_file: more than without',
      value: (times.read_file - times.no_such_tool) / TURNS,
      unit: ' ms',
      digits: 2,
      atMost: 1,
      counts: 'least',
    },
  ];
}
