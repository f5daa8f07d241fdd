import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  createServer,
  request as ask,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { build } from 'esbuild';

const FILES = { '/': ['index.html', 'text/html'], '/chat.css': ['chat.css', 'text/css'] } as const;

/**
 * Serves the page at `http://localhost:<port>`, and passes on to one agent of `cadre serve` what people say there. Browsers
 * reach no other agent, and nothing else of that server.
 * @param agent its address for AG-UI
 * @param token of `cadre serve`, if it has one
 */
export async function servePage(agent: URL, port: number, token?: string): Promise<Server> {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, 'chat.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const files = new Map([['/chat.js', { type: 'text/javascript', body: bundle.outputFiles[0]?.text ?? '' }]]);
  for (const [path, [name, type]] of Object.entries(FILES))
    files.set(path, { type, body: await readFile(join(import.meta.dirname, name), 'utf8') });

  const server = createServer((request, response) => {
    const { method, url = '', headers } = request;
    const file = files.get(url);
    if (method === 'GET' && file !== undefined)
      response.writeHead(200, { 'content-type': `${file.type}; charset=utf-8` }).end(file.body);
    else if (method !== 'POST' || url !== '/chat') response.writeHead(404).end();
    // Browsers name the page that asks. Say here who else may not: this application has no accounts.
    else if (headers.origin !== `http://localhost:${request.socket.localPort}`) response.writeHead(403).end();
    else passOn(request, response, agent, token);
  });
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return server;
}

function passOn(request: IncomingMessage, response: ServerResponse, agent: URL, token?: string): void {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const asked = ask(agent, { method: 'POST', headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? '' });
    // Where either side breaks off, this ends the other.
    void pipeline(answer, response).catch(() => asked.destroy());
  });
  asked.on('error', () => {
    if (!response.headersSent) response.writeHead(502).end('cadre serve does not answer');
  });
  request.pipe(asked);
  response.on('close', () => asked.destroy());
}
