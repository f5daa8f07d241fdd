import type { LocalAccess } from '../../api/local-access.ts';

export interface Served {
  /** The subject that is served, in words. */
  what: string;
  /** Without a slash at its end. */
  url: string;
  access: LocalAccess;
  /** Whether a person reads this, and no log keeps it. */
  isRead: boolean;
  /** The ways to it, in the order in which they are shown. */
  doors: readonly Door[];
}

/** The name of a door, and where it is: a path of the server, or a hint. */
export type Door = readonly [name: string, where: string];

/** For people and their programs, and for clients of other protocols. */
export const API_DOORS: readonly Door[] = [
  ['page', '/'],
  ['HTTP API', '/openapi.json'],
];
export const CLIENT_DOORS: readonly Door[] = [
  ['MCP', '/mcp'],
  ['OpenAI', '/v1'],
  ['AG-UI', '/agents/<agent>/ag-ui'],
  ['A2A', '/a2a/<agent>'],
];

/** A server's words when it starts: its subjects and their addresses. A line each. */
export function servedText({ what, url, access: { token, isTokenNew }, isRead, doors }: Served): string[] {
  // Browsers never send the part behind #.
  const fragment = isTokenNew && isRead ? `#token=${token}` : '';
  const lines = doors.map(([name, where]) => {
    const address = where.startsWith('/') ? `${url}${where}` : where;
    return `  ${name.padEnd(10)} ${name === 'page' ? address + fragment : address}`;
  });
  return [
    ...(isTokenNew ? [`Token, created for this start (set CADRE_TOKEN to use your own): ${token}`] : []),
    `Serving ${what} on ${url}${token === undefined ? '' : ', to clients that have the token'}:`,
    ...lines,
    'stop with Ctrl-C',
  ];
}
