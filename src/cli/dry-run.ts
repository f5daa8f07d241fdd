/** What a run would send, as plain values. */
export interface DryRun {
  /** `provider/model-name`. */
  model: string;
  workdir: string;
  /** Seconds. */
  timeout: number;
  params: { temperature: number; maxTokens: number };
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

/** The text of `cadre run --dry-run`. */
export function renderDryRun(run: DryRun): string {
  const { temperature, maxTokens } = run.params;
  const sections = [
    '=== Dry Run ===',
    [
      `Model:    ${run.model}`,
      `Workdir:  ${run.workdir}`,
      `Timeout:  ${run.timeout}s`,
      `Params:   temperature=${temperature}, max_tokens=${maxTokens}`,
    ].join('\n'),
    section('System Prompt', run.systemPrompt),
    section('Skill', run.skill),
    section(`Files (${run.files.length})`, run.files.map(({ path }) => path).join('\n')),
    section('Stdin', run.stdin),
    ...(run.memory === undefined ? [] : [section('Memory', run.memory)]),
    section('Sub-Agents', subAgentsText(run)),
  ];
  return `${sections.join('\n\n')}\n`;
}

function section(title: string, text: string): string {
  return `--- ${title} ---\n${text.trim() === '' ? '(none)' : text}`;
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
