import type { ToolServer } from '../../../core/records/tool-server.ts';

/** A server, and what it is reached by; nothing of what it is sent, which may be secret. */
export function serverText({ name, reach }: ToolServer): string {
  return `${name} (${reach.kind === 'url' ? reach.url : [reach.command, ...reach.args].join(' ')})`;
}
