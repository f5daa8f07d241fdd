import type { EventType, Interrupt, ResumeEntry } from '@ag-ui/core';
import { callName, parseCallName, type CallKey } from '../../../core/records/call.ts';
import type { RunEvent } from '../../../core/events/event.ts';
import type { TreeEvent } from '../../../core/events/tree-event.ts';

/**
 * Events as AG-UI 1.0 spells them (https://docs.ag-ui.com): the run at the top is its run, each run below it one of its
 * subagents, a turn a step. Events that AG-UI does not know are `CUSTOM`. Only types of the package are used.
 *
 * @param top the watched run
 */
export function toAgUi(top: string, { at, event, before, unfinished }: TreeEvent): AgUi[] {
  const { run, root, agent, name, depth, parent, derivedBy } = event;
  const metadata = {
    run,
    root,
    agent,
    depth,
    ...(parent !== undefined && { parent }),
    ...(name !== undefined && { name }),
    ...(derivedBy !== undefined && { derivedBy }),
  };
  return [...finish(top, event, unfinished), ...spell(top, event, before)].map(({ type, ...fields }) => ({
    type,
    timestamp: at,
    ...fields,
    metadata: { ...metadata, ...fields.metadata },
  }));
}

/** An event of AG-UI, whose types are texts on the wire. */
export type AgUi = { type: `${EventType}`; metadata?: object } & Record<string, unknown>;

/** No run ends while a step or a message of it is open. */
function finish(top: string, { run }: RunEvent, unfinished: TreeEvent['unfinished']): AgUi[] {
  if (unfinished === undefined) return [];
  const attributed = attributionOf(top, run);
  const { turn, isWriting } = unfinished;
  const end = { type: 'TEXT_MESSAGE_END' as const, messageId: idOfMessage({ run, turn }), ...attributed };
  return [
    ...(isWriting ? [end] : []),
    { type: 'STEP_FINISHED', stepName: stepName(top, { run, turn }), ...attributed },
  ];
}

function attributionOf(top: string, run: string) {
  return run === top ? {} : { subagentRunId: run };
}

function spell(top: string, event: RunEvent, before: TreeEvent['before']): AgUi[] {
  const attributed = attributionOf(top, event.run);
  switch (event.type) {
    case 'run_opened':
      return [opened(top, event)];
    case 'skill_loaded':
      return [custom('skill_loaded', { skill: event.skill })];
    case 'context_discovered':
      return [custom('context_discovered', { files: event.files })];
    case 'turn_started':
      return [{ type: 'STEP_STARTED', stepName: stepName(top, event), ...attributed }];
    case 'message_delta': {
      const messageId = idOfMessage(event);
      if (event.kind === 'thinking') {
        return [
          {
            type: 'REASONING_MESSAGE_CHUNK',
            messageId: `${messageId}-thinking`,
            delta: event.text,
            ...attributed,
          },
        ];
      }
      const start = { type: 'TEXT_MESSAGE_START' as const, messageId, role: 'assistant', ...attributed };
      const content = { type: 'TEXT_MESSAGE_CONTENT' as const, messageId, delta: event.text, ...attributed };
      return (before?.characters ?? 0) < 0 ? [start, content] : [content];
    }
    case 'turn_finished':
      return [
        ...message(event, before).map((part) => ({ ...part, ...attributed })),
        custom('usage', { turn: event.turn, latencyMs: event.latencyMs, ...event.usage }),
        { type: 'STEP_FINISHED', stepName: stepName(top, event), ...attributed },
      ];
    case 'call_started': {
      const toolCallId = idOfCall(event);
      return [
        {
          type: 'TOOL_CALL_START',
          toolCallId,
          toolCallName: event.tool,
          parentMessageId: idOfMessage(event),
          ...attributed,
        },
        { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(event.arguments), ...attributed },
        { type: 'TOOL_CALL_END', toolCallId, ...attributed },
      ];
    }
    case 'call_finished': {
      const { text, isError, durationMs, failure } = event;
      const toolCallId = idOfCall(event);
      return [
        {
          type: 'TOOL_CALL_RESULT',
          messageId: `${toolCallId}-result`,
          toolCallId,
          content: text,
          role: 'tool',
          ...attributed,
          metadata: { isError, durationMs, ...(failure !== undefined && { failure }) },
        },
      ];
    }
    case 'run_closed':
      return [closed(top, event)];
    case 'turn_waiting':
      return [custom('waiting', { turn: event.turn, delayMs: event.delayMs, reason: event.reason })];
    case 'call_output':
      return [custom('tool_output', { toolCallId: idOfCall(event), text: event.text })];
    case 'question_asked':
      return [custom('question_asked', interruptOf(event))];
    case 'question_answered': {
      const { answer, by } = event;
      const status = answer === undefined ? 'cancelled' : 'resolved';
      const entry: ResumeEntry = { interruptId: idOfCall(event), status };
      const given = {
        ...(answer !== undefined && { payload: answer }),
        ...(by !== undefined && { metadata: { by } }),
      };
      return [custom('question_answered', { ...entry, ...given })];
    }
    case 'warning':
      return [custom('warning', { message: event.message })];
  }

  function custom(name: string, value: object): AgUi {
    return { type: 'CUSTOM', name, value, ...attributed };
  }
}

function opened(top: string, { run, root, agent, model, parent, task }: Opened): AgUi {
  const metadata = { model, task };
  if (run === top)
    return { type: 'RUN_STARTED', threadId: root, runId: run, protocolVersion: '1.0', metadata };
  return {
    type: 'SUBAGENT_STARTED',
    subagentRunId: run,
    name: agent,
    ...(parent !== undefined && {
      ...(parent.run !== top && { parentSubagentRunId: parent.run }),
      parentToolCallId: idOfCall(parent),
      parentMessageId: idOfMessage(parent),
    }),
    metadata,
  };
}
type Opened = Extract<RunEvent, { type: 'run_opened' }>;

/**
 * AG-UI's interrupts end a run, and the answers come with the next one. Our runs wait and continue, and others in the
 * tree do not even wait: so a question is an event within the run, with an interrupt as its value.
 */
export function interruptOf(event: Extract<RunEvent, { type: 'question_asked' }>): Interrupt {
  const { question, choices = [], approval, askedAt } = event;
  const text = { type: 'string' };
  return {
    id: idOfCall(event),
    reason: approval === undefined ? 'question' : 'approval',
    message: question,
    // Whether the text of a turn may be shown is no question of a call.
    ...(event.call > 0 && { toolCallId: idOfCall(event) }),
    responseSchema: choices.length === 0 ? text : { anyOf: [{ enum: choices }, text] },
    metadata: { questionId: callName(event), choices, ...approval, askedAt },
  };
}

/** The message of a turn, or its missing part. */
function message(event: Extract<RunEvent, { type: 'turn_finished' }>, before: TreeEvent['before']): AgUi[] {
  const messageId = idOfMessage(event);
  const whole = (id: string): AgUi[] =>
    event.text === ''
      ? []
      : [
          { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' },
          { type: 'TEXT_MESSAGE_CONTENT', messageId: id, delta: event.text },
          { type: 'TEXT_MESSAGE_END', messageId: id },
        ];
  if (before === undefined) return whole(messageId);
  const end: AgUi = { type: 'TEXT_MESSAGE_END', messageId };
  // The earlier text belongs to an attempt that failed, and stays as it is.
  if (before.isVoid) return [end, ...whole(`${messageId}-again`)];
  const delta = event.text.slice(before.characters);
  return delta === '' ? [end] : [{ type: 'TEXT_MESSAGE_CONTENT', messageId, delta }, end];
}

function closed(top: string, event: Extract<RunEvent, { type: 'run_closed' }>): AgUi {
  const { run, root, status, text, error, reason, durationMs } = event;
  const metadata = { status, durationMs, ...(reason !== '' && { reason }) };
  const isTop = run === top;
  if (status === 'succeeded' || status === 'idle' || status === 'budget_exceeded') {
    const ended = { result: text, outcome: { type: 'success' }, metadata };
    return isTop
      ? { type: 'RUN_FINISHED', threadId: root, runId: run, ...ended }
      : { type: 'SUBAGENT_FINISHED', subagentRunId: run, ...ended };
  }
  if (isTop && status === 'stopped') {
    return { type: 'RUN_FINISHED', threadId: root, runId: run, outcome: { type: 'cancelled' }, metadata };
  }
  const failed = { message: reason === '' ? status : reason, code: error === '' ? status : error, metadata };
  return isTop ? { type: 'RUN_ERROR', ...failed } : { type: 'SUBAGENT_ERROR', subagentRunId: run, ...failed };
}

/** Names differ between runs, whose steps may be open at the same time. */
function stepName(top: string, { run, turn }: Pick<CallKey, 'run' | 'turn'>): string {
  return run === top ? `turn ${turn}` : `turn ${turn} of ${run}`;
}

function idOfMessage({ run, turn }: Pick<CallKey, 'run' | 'turn'>): string {
  return `${run}-t${turn}`;
}

/** The id of a call, and of its interrupt. */
export function idOfCall(call: CallKey): string {
  return `${call.run}-${callName(call)}`;
}

/** The call that an id of `idOfCall` is of; undefined for any other text. */
export function callOfId(id: string): CallKey | undefined {
  const [, run = '', name = ''] = /^(.+)-(t\d+c\d+)$/.exec(id) ?? [];
  const at = parseCallName(name);
  return at && { run, ...at };
}
