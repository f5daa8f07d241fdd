import { serverTarget } from '../../../core/agent-schema/targets.ts';
import type { ToolServer } from '../../../core/records/tool-server.ts';

/** A server and its address or command, without headers or variables, which may be secret. */
export function serverText(server: ToolServer): string {
  return `${server.name} (${serverTarget(server).where})`;
}
