import type { ModelRequest } from '../../core/model/model.ts';
import type { ToolDefinition } from '../../core/records/message.ts';
import { closedSchema } from '../closed-schema.ts';
import { dataOf } from '../attachments.ts';
import { attachedAfter, joinUserTurns, pairCalls, type PairedTurn } from '../pairing.ts';
import type { OllamaMessage, OllamaRequest, OllamaTool } from './wire.ts';
import { defined } from '../../defined.ts';

/** @param strictRoles whether the server refuses a user's message after the results of tools */
export function toRequest(request: ModelRequest, strictRoles = false): OllamaRequest {
  const system: OllamaMessage[] = request.system === '' ? [] : [{ role: 'system', content: request.system }];
  return {
    model: request.model,
    stream: false,
    messages: [
      ...system,
      ...joinUserTurns(attachedAfter(pairCalls(request.messages), strictRoles), strictRoles).flatMap((turn) =>
        toMessages(turn, request),
      ),
    ],
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toTool) }),
    ...toFormat(request),
    ...toOptions(request),
  };
}

/** Ids are not sent: older servers know none, so results follow their calls in order and name their tool. */
function toMessages(turn: PairedTurn, request: ModelRequest): OllamaMessage[] {
  if (turn.role === 'user') {
    const images = (turn.attachments ?? []).map((one) => dataOf(request, one));
    return [{ role: 'user', content: turn.text, ...(images.length > 0 && { images }) }];
  }
  if (turn.calls.length === 0) return [{ role: 'assistant', content: turn.text }];
  return [
    {
      role: 'assistant',
      content: turn.text,
      tool_calls: turn.calls.map((call) => ({ function: { name: call.name, arguments: call.arguments } })),
    },
    ...turn.calls.map((call) => ({
      role: 'tool' as const,
      content: call.result.text,
      tool_name: call.name,
    })),
  ];
}

/**
 * A grammar is made of it, which not every pattern can be turned into:
 * https://docs.ollama.com/capabilities/structured-outputs
 */
function toFormat({ outputSchema }: ModelRequest): Pick<OllamaRequest, 'format'> {
  return outputSchema === undefined ? {} : { format: closedSchema(outputSchema)?.schema ?? outputSchema };
}

function toOptions({ temperature, maxTokens }: ModelRequest): Pick<OllamaRequest, 'options'> {
  const options = { ...defined({ temperature }), ...(maxTokens > 0 && { num_predict: maxTokens }) };
  return Object.keys(options).length === 0 ? {} : { options };
}

function toTool({ name, description, parameters }: ToolDefinition): OllamaTool {
  return { type: 'function', function: { name, description, parameters } };
}
