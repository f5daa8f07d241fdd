import * as v from 'valibot';
import { passOn, type Assembly } from '../assembly.ts';
import type { OnDelta } from '../../core/model/model.ts';
import { defined } from '../../defined.ts';
import { inputOf } from '../wire-parts.ts';
import { binary } from './wire.ts';

/**
 * The parts that are read of any event, as the SDK has it:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 */
const event = v.object({
  contentBlockStart: v.optional(
    v.object({
      contentBlockIndex: v.optional(v.number(), 0),
      start: v.optional(v.object({ toolUse: v.optional(v.record(v.string(), v.unknown())) }), {}),
    }),
  ),
  contentBlockDelta: v.optional(
    v.object({
      contentBlockIndex: v.optional(v.number(), 0),
      delta: v.optional(
        v.object({
          text: v.optional(v.string(), ''),
          toolUse: v.optional(v.object({ input: v.optional(v.string(), '') })),
          reasoningContent: v.optional(
            v.object({
              text: v.optional(v.string(), ''),
              signature: v.optional(v.string(), ''),
              redactedContent: v.optional(binary, ''),
            }),
          ),
        }),
        {},
      ),
    }),
  ),
  messageStop: v.optional(v.object({ stopReason: v.optional(v.string()) })),
  metadata: v.optional(v.object({ usage: v.optional(v.unknown()), trace: v.optional(v.unknown()) })),
});

interface Block {
  toolUse?: Record<string, unknown>;
  text: string;
  /** The input of a call, as JSON text. */
  json: string;
  reasoning?: { text: string; signature: string; redacted: string };
}

/** Assembles the events of ConverseStream into what Converse answers. */
export function createAssembly(onDelta?: OnDelta): Assembly {
  const blocks = new Map<number, Block>();
  let stopReason: string | undefined;
  let hasStopped = false;
  let usage: unknown;
  let trace: unknown;

  const blockAt = (index: number): Block => {
    const block = blocks.get(index) ?? { text: '', json: '' };
    blocks.set(index, block);
    return block;
  };

  return {
    add(part) {
      const { contentBlockStart, contentBlockDelta, messageStop, metadata } = v.parse(event, part);
      const { text = '', toolUse, reasoningContent } = contentBlockDelta?.delta ?? {};
      if (contentBlockStart?.start.toolUse !== undefined) {
        blockAt(contentBlockStart.contentBlockIndex).toolUse = contentBlockStart.start.toolUse;
      }
      if (contentBlockDelta !== undefined) {
        const block = blockAt(contentBlockDelta.contentBlockIndex);
        block.text += text;
        block.json += toolUse?.input ?? '';
        if (reasoningContent !== undefined) {
          const reasoning = (block.reasoning ??= { text: '', signature: '', redacted: '' });
          reasoning.text += reasoningContent.text;
          reasoning.signature += reasoningContent.signature;
          reasoning.redacted += reasoningContent.redactedContent;
        }
      }
      if (messageStop !== undefined) {
        hasStopped = true;
        stopReason = messageStop.stopReason;
      }
      usage = metadata?.usage ?? usage;
      trace = metadata?.trace ?? trace;
      passOn({ text, thinking: reasoningContent?.text }, onDelta);
    },
    // The counts come after the end of the message.
    isWhole: () => hasStopped && usage !== undefined,
    answer: () => ({
      output: { message: { content: [...blocks.values()].map(toContent) } },
      stopReason,
      usage,
      ...defined({ trace }),
    }),
  };
}

function toContent({ toolUse, text, json, reasoning }: Block): object {
  if (toolUse !== undefined) return { toolUse: { ...toolUse, input: inputOf(json || '{}') } };
  if (reasoning === undefined) return { text };
  const { text: thought, signature, redacted } = reasoning;
  if (redacted !== '') return { reasoningContent: { redactedContent: redacted } };
  return { reasoningContent: { reasoningText: { text: thought, signature } } };
}
