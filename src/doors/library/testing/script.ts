import { ModelError } from '../../../errors.ts';
import type { ModelRequest } from '../../../core/model/model.ts';
import { estimateUsage } from '../../../core/model/estimate.ts';
import type { LocalTime } from '../../../places/time.ts';
import type { Message, ModelResponse, ReasoningEffort, StopReason } from '../../../core/records/message.ts';
import type { TokenUsage } from '../../../token-usage.ts';

/** A call of a tool in an answer; `call` makes one. */
export interface ScriptedCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** An answer of a model, with details besides its text and calls. */
export interface ScriptedAnswer {
  text?: string | undefined;
  calls?: ScriptedCall[] | undefined;
  /** How long the model takes, in milliseconds of virtual time. */
  takes?: number | undefined;
  /** Estimated if absent. */
  usage?: Omit<TokenUsage, 'isEstimate'> | undefined;
  stopReason?: StopReason | undefined;
}

/** The request to a model in a turn. */
export interface Asked {
  /** The agent whose model it is. */
  agent: string;
  /** Which turn of its conversation, from 1. */
  turn: number;
  /** The first message: what the agent was asked. */
  prompt: string;
  /** The results of the calls of the turn before, in call order; empty in the first turn. */
  results: string[];
  /** All that was sent. */
  request: SentRequest;
}

/** The content of a request to a model, in no provider's words. */
export interface SentRequest {
  /** The system prompt, with skill and files; "" for none. */
  system: string;
  messages: Message[];
  tools: OfferedTool[];
  /** Absent: not sent. */
  temperature?: number;
  /** 0: not sent. */
  maxTokens: number;
  reasoningEffort?: ReasoningEffort;
}

/** A tool as a model sees it. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Readonly<Record<string, unknown>>;
}

/** A model's line in a turn: a text, calls, both, or an error of its API. */
export type Line = string | ScriptedCall | ScriptedCall[] | ScriptedAnswer | ModelError;

/** A turn of a script. A function is called with the model's request; an error that it throws counts as the API's. */
export type Turn = Line | ((asked: Asked) => Line | Promise<Line>);

/** A model's lines turn by turn, or a function that is asked in every turn. */
export type Script = readonly Turn[] | ((asked: Asked) => Line | Promise<Line>);

/** A call of a tool. */
export function call(name: string, args: Record<string, unknown> = {}): ScriptedCall {
  return { name, arguments: args };
}

export function toAsked(agent: string, request: ModelRequest): Asked {
  const { messages } = request;
  const first = messages.find(({ role }) => role === 'user');
  const last = messages.at(-1);
  return {
    agent,
    turn: 1 + messages.filter(({ role }) => role === 'assistant').length,
    prompt: first?.role === 'user' ? first.text : '',
    results: last?.role === 'tool' ? last.results.map(({ text }) => text) : [],
    request,
  };
}

/**
 * Plays the requested turn of a script. Scripts keep no count: the turn follows from the request, so that any number of
 * runs can play one at once, and a resumed run continues where it was.
 * @throws {ModelError} what the script says, or `bad_request` if it is at its end
 */
export async function play(
  script: Script,
  asked: Asked,
  request: ModelRequest,
  time: LocalTime,
  signal: AbortSignal,
): Promise<ModelResponse> {
  const line = await lineOf(script, asked);
  if (line instanceof ModelError) throw line;
  const answer = toAnswer(line);
  if (answer.takes !== undefined) await time.sleep(answer.takes, signal);
  const { text = '', calls: made = [] } = answer;
  const calls = made.map((one, index) => ({ id: `scripted_${asked.turn}_${index}`, ...one }));
  const stopReason = answer.stopReason ?? (calls.length > 0 ? 'tool_calls' : 'end');
  const usage = answer.usage ?? estimateUsage(request, { text, calls });
  return { text, calls, stopReason, rawStopReason: stopReason, usage };
}

async function lineOf(script: Script, asked: Asked): Promise<Line> {
  if (typeof script === 'function') return script(asked);
  const turn = script[asked.turn - 1];
  if (turn === undefined) {
    const length = `${script.length} turn${script.length === 1 ? '' : 's'}`;
    throw new ModelError(
      'bad_request',
      `the script of agent "${asked.agent}" ends after ${length} but was asked for turn ${asked.turn}`,
    );
  }
  return typeof turn === 'function' ? turn(asked) : turn;
}

function toAnswer(line: Exclude<Line, ModelError>): ScriptedAnswer {
  if (typeof line === 'string') return { text: line };
  if (Array.isArray(line)) return { calls: line };
  return 'name' in line ? { calls: [line] } : line;
}
