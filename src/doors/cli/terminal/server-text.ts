import { serverTarget } from '../../../core/agent-schema/targets.ts';
import type { ToolServer } from '../../../core/records/tool-server.ts';

/** A server, and what it is reached by; nothing of what it is sent, which may be secret. */
export function serverText(server: ToolServer): string {
  return `${server.name} (${serverTarget(server).where})`;
}
