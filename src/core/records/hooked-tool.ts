import { namesTool } from '../agent-schema/permission-rule.ts';
import type { Hook } from './hook.ts';

/** Whether a hook is asked about a tool's calls. */
export function isAboutTool({ on, tools }: Pick<Hook, 'on' | 'tools'>, tool: string): boolean {
  return on !== 'before_answer' && (tools?.some((name) => namesTool({ tool: name }, tool)) ?? true);
}
