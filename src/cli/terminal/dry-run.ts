import type { Agent } from '../../agent/agent.ts';

/** What a run would send, as plain values. */
export interface DryRun {
  /** `provider/model-name`. */
  model: string;
  workdir: string;
  /** Seconds. */
  timeout: number;
  params: Agent['params'];
  /** The whole of it, with skill, files and memory. */
  systemPrompt: string;
  skill: string;
  files: readonly { path: string }[];
  stdin: string;
  /** Absent if the agent keeps no memory. */
  memory?: string;
  /** `maxDepth` and the like show only if there are any `subAgents`. */
  subAgents: readonly string[];
  maxDepth: number;
  parallel: boolean;
  /** Seconds; 0 for what is left of the run. */
  subAgentTimeout: number;
}

/** What `--verbose` tells before a run. */
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

/** The text of `cadre run --dry-run`. */
export function renderDryRun(run: DryRun): string {
  const sections = [
    '=== Dry Run ===',
    settings(run),
    section('System Prompt', run.systemPrompt),
    section('Skill', run.skill),
    section(`Files (${run.files.length})`, run.files.map(({ path }) => path).join('\n')),
    section('Stdin', run.stdin),
    ...(run.memory === undefined ? [] : [section('Memory', run.memory)]),
    section('Sub-Agents', subAgentsText(run)),
  ];
  return `${sections.join('\n\n')}\n`;
}

function settings({ model, workdir, timeout, params }: DryRun): string {
  return [
    `Model:    ${model}`,
    `Workdir:  ${workdir}`,
    `Timeout:  ${timeout}s`,
    `Params:   ${paramsText(params)}`,
  ].join('\n');
}

function paramsText({ temperature, maxTokens, reasoningEffort }: Agent['params']): string {
  const effort = reasoningEffort === undefined ? '' : `, reasoning_effort=${reasoningEffort}`;
  return `temperature=${temperature}, max_tokens=${maxTokens}${effort}`;
}

function section(title: string, text: string): string {
  return `--- ${title} ---\n${text.trimEnd() || '(none)'}`;
}

function subAgentsText({ subAgents, maxDepth, parallel, subAgentTimeout }: DryRun): string {
  if (subAgents.length === 0) return '';
  return [
    subAgents.join(', '),
    `Max Depth: ${maxDepth}`,
    `Parallel:  ${parallel ? 'yes' : 'no'}`,
    `Timeout:   ${subAgentTimeout}s`,
  ].join('\n');
}
