import type { Message, ModelResponse } from '../records/message.ts';

// Messages as the conventions for generative AI write them: JSON, in attributes that are texts.

/** What a model was sent since its last answer. */
export function inputMessages(received: readonly Message[]): string {
  return JSON.stringify(
    received.map((message) => {
      if (message.role === 'tool') {
        const parts = message.results.map(({ callId, text }) => ({
          type: 'tool_call_response',
          id: callId,
          response: text,
        }));
        return { role: 'tool', parts };
      }
      return { role: message.role, parts: textAndCalls(message) };
    }),
  );
}

export function outputMessages(
  answer: Pick<ModelResponse, 'calls' | 'text'> & Partial<ModelResponse>,
): string {
  return JSON.stringify([
    { role: 'assistant', parts: textAndCalls(answer), finish_reason: answer.stopReason ?? 'end' },
  ]);
}

function textAndCalls({ text, calls = [] }: { text: string; calls?: ModelResponse['calls'] }) {
  return [
    ...(text === '' ? [] : [{ type: 'text', content: text }]),
    ...calls.map(({ id, name, arguments: given }) => ({ type: 'tool_call', id, name, arguments: given })),
  ];
}
