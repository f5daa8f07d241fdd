import type { Agent } from '../../../core/agent-schema/agent.ts';
import { isJsonObject, type Json } from '../../../json.ts';
import { described } from '../../../core/reports/words/attachment-words.ts';
import type { Attachment } from '../../../core/records/attachment.ts';
import type { ToolDefinition } from '../../../core/records/message.ts';
import { targetTexts, type Target } from '../../../core/agent-schema/targets.ts';
import type { SentParameters } from '../../../places/models/sent-parameters.ts';
import { counted } from '../../../counted.ts';

/** The request that a run would send, as plain values. */
export interface DryRun {
  /** `provider/model-name`. */
  model: string;
  workdir: string;
  /** Seconds. */
  timeout: number;
  /** The agent's parameters, and those of them that the model is sent. */
  params: Agent['params'];
  sent: SentParameters;
  /** The effect of the budget on them, in words. */
  notes: readonly string[];
  /** The whole of it, with skill, files and memory. */
  systemPrompt: string;
  /** Its name or path; "" for none. */
  skill: string;
  /** Their paths. */
  files: readonly string[];
  stdin: string;
  /** Of the first message; absent: none. */
  attachments?: readonly Attachment[];
  /** Undefined if the agent keeps no memory. */
  memory: string | undefined;
  /** `maxDepth` and the like show only if there are any `subAgents`. */
  subAgents: readonly string[];
  maxDepth: number;
  parallel: boolean;
  /** Seconds; 0 for the rest of the run. */
  subAgentTimeout: number;
  shareInput: boolean;
  tools: readonly ToolDefinition[];
  /** What the agent and all that it can call reach besides models. */
  targets: readonly Target[];
  /** The first message, with the text of stdin. */
  message: string;
}

/** The settings that `--verbose` tells before a run. */
export function renderSettings(run: DryRun): string {
  const lines = [
    settings(run),
    `Skill:    ${run.skill === '' ? '(none)' : 'yes'}`,
    `Files:    ${run.files.length} file(s)`,
    `Stdin:    ${run.stdin === '' ? 'no' : 'yes'}`,
    ...(run.memory === undefined ? [] : [`Memory:   ${run.memory === '' ? 'no entries' : 'yes'}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The text of `cadre run --dry-run`: everything that would be sent, once, and what would be started. For parts of the
 * system prompt or of the user message, the other sections show only the name or the size.
 */
export function renderDryRun(run: DryRun): string {
  const { attachments = [] } = run;
  const sections = [
    '=== Dry Run ===',
    settings(run),
    section('System Prompt', run.systemPrompt),
    section('Skill', run.skill),
    section(`Files (${run.files.length})`, run.files.join('\n')),
    section('Stdin', sizeOf(run.stdin, 'user message')),
    ...(attachments.length === 0
      ? []
      : [section(`Attachments (${attachments.length})`, attachments.map(described).join('\n'))]),
    ...(run.memory === undefined ? [] : [section('Memory', sizeOf(run.memory, 'system prompt'))]),
    section('Sub-Agents', subAgentsText(run)),
    section(`Tools (${run.tools.length})`, run.tools.map(toolText).join('\n')),
    // Asking servers what they offer would send secrets, or start a command.
    ...(run.targets.length === 0
      ? []
      : [section('Servers and Functions (not started or asked)', targetTexts(run.targets).join('\n'))]),
    section('User Message', run.message),
  ];
  return `${sections.join('\n\n')}\n`;
}

function settings({ model, workdir, timeout, params, sent, notes }: DryRun): string {
  return [
    `Model:    ${model}`,
    `Workdir:  ${workdir}`,
    `Timeout:  ${timeout}s`,
    `Params:   ${parametersText(params, sent)}`,
    ...notes.map((note) => `Budget:   ${note}`),
  ].join('\n');
}

function parametersText(
  wanted: Agent['params'],
  { temperature, maxTokens, reasoningEffort }: SentParameters,
) {
  const shown = (name: string, value: string | number = 'not sent') => `${name}=${value}`;
  return [
    shown('temperature', temperature),
    shown('max_tokens', maxTokens),
    ...(wanted.reasoningEffort === undefined ? [] : [shown('reasoning_effort', reasoningEffort)]),
  ].join(', ');
}

function section(title: string, text: string): string {
  return `--- ${title} ---\n${text.trimEnd() || '(none)'}`;
}

function sizeOf(text: string, place: string): string {
  return text.trim() === '' ? '' : `${counted(text.length, 'character')}, in the ${place}`;
}

/** The tool, and below it each of its parameters in a line. */
function toolText({ name, description, parameters }: ToolDefinition): string {
  const { type: _type, properties, required = [], ...more } = parameters;
  const lines = Object.entries(isJsonObject(properties) ? properties : {}).map(([key, schema]) =>
    parameterText(key, schema, required.includes(key)),
  );
  const others = Object.keys(more).length === 0 ? [] : [JSON.stringify(more)];
  return [`${name}: ${description}`, ...[...lines, ...others].map((line) => `  ${line}`)].join('\n');
}

/** `limit (integer, minimum 1): How many lines to read` */
function parameterText(name: string, schema: Json, isRequired: boolean): string {
  if (!isJsonObject(schema)) return `${name}: ${JSON.stringify(schema)}`;
  const { type, description, ...more } = schema;
  const facts = [
    ...(type === undefined ? [] : [typeof type === 'string' ? type : JSON.stringify(type)]),
    ...(isRequired ? ['required'] : []),
    ...Object.entries(more).map(([keyword, value]) => `${keyword} ${JSON.stringify(value)}`),
  ];
  const said = typeof description === 'string' ? `: ${description}` : '';
  return `${name}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}${said}`;
}

function subAgentsText({ subAgents, maxDepth, parallel, subAgentTimeout, shareInput }: DryRun): string {
  if (subAgents.length === 0) return '';
  return [
    subAgents.join(', '),
    `Max Depth: ${maxDepth}`,
    `Parallel:  ${parallel ? 'yes' : 'no'}`,
    `Timeout:   ${subAgentTimeout}s`,
    ...(shareInput ? ['Input:     shared'] : []),
  ].join('\n');
}
