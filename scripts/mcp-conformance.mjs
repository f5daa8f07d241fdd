// Runs the scenarios for servers of the protocol's conformance suite against the agents of
// test/fixtures/mcp-conformance-server.ts, and fails if one no longer passes that is known to
// (docs/decisions/mcp-conformance.md). npx fetches the suite, and the Node.js 22 that it needs.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const SUITE = [
  '-y',
  '-p',
  'node@22',
  '-p',
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  'conformance',
];
const PORT = '8719';

/** Those that agents can pass. */
const PASSING = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'dns-rebinding-protection',
  'http-header-validation',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'input-required-result-request-state',
  'input-required-result-multi-round',
  'input-required-result-missing-input-response',
  'input-required-result-result-type',
  'input-required-result-unsupported-methods',
  'input-required-result-tampered-state',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
];

const server = spawn('node', ['--import', 'tsx', 'test/fixtures/mcp-conformance-server.ts', PORT], {
  stdio: ['ignore', 'ignore', 'pipe'],
});
try {
  for await (const line of createInterface(server.stderr)) if (line === 'ready') break;
  const url = `http://localhost:${PORT}/mcp`;
  // Its exit code counts the scenarios that do not apply.
  const { stdout } = await promisify(execFile)('npx', [...SUITE, 'server', '--suite', 'all', '--url', url], {
    maxBuffer: 64 * 1024 ** 2,
  }).catch((/** @type {unknown} */ thrown) => {
    if (thrown instanceof Error && 'stdout' in thrown) return thrown;
    throw thrown;
  });
  const passed = new Set(
    [...String(stdout).matchAll(/^✓ (\S+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name),
  );
  const failed = PASSING.filter((name) => !passed.has(name));
  console.log(`${PASSING.length - failed.length} of ${PASSING.length} scenarios pass`);
  for (const name of failed) console.log(`fails: ${name}`);
  for (const name of passed) if (!PASSING.includes(name)) console.log(`passes without agents: ${name}`);
  if (failed.length > 0) process.exitCode = 1;
} finally {
  server.kill();
  await once(server, 'exit');
}
