// Runs the scenarios of the protocol's conformance suite that Cadre passes (docs/decisions/mcp-conformance.md), and
// fails if one no longer passes: those for servers against the agents of test/fixtures/mcp-conformance-server.ts, those
// for clients with test/fixtures/mcp-conformance-client.ts. npx fetches the suite, and the Node.js 22 that it needs.
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
const OF_SERVERS = [
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

/** Those about what agents use of servers. */
const OF_CLIENTS = [
  'initialize',
  'tools_call',
  'sse-retry',
  'request-metadata',
  'http-standard-headers',
  'http-custom-headers',
  'http-invalid-tool-headers',
  'json-schema-ref-no-deref',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/metadata-issuer-mismatch',
  'auth/basic-cimd',
  'auth/pre-registration',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/resource-mismatch',
  'auth/authorization-server-migration',
  'auth/iss-supported',
  'auth/iss-not-advertised',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/client-credentials-basic',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
];

const CLIENT = 'node --import tsx test/fixtures/mcp-conformance-client.ts';

report('servers', OF_SERVERS, await passedByServer());
report('clients', OF_CLIENTS, await passedByClient());

/** @returns the scenarios for servers of which every check passes */
async function passedByServer() {
  const server = spawn('node', ['--import', 'tsx', 'test/fixtures/mcp-conformance-server.ts', PORT], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    for await (const line of createInterface(server.stderr)) if (line === 'ready') break;
    const { stdout } = await suite('server', '--suite', 'all', '--url', `http://localhost:${PORT}/mcp`);
    return new Set([...stdout.matchAll(/^✓ (\S+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name));
  } finally {
    server.kill();
    await once(server, 'exit');
  }
}

/** @returns the scenarios of `OF_CLIENTS` of which every check passes */
async function passedByClient() {
  const passed = new Set();
  for (const name of OF_CLIENTS) {
    const { isSuccess } = await suite('client', '--scenario', name, '--command', CLIENT);
    if (isSuccess) passed.add(name);
  }
  return passed;
}

/**
 * Its exit code counts the scenarios that do not apply, too.
 * @param {string[]} args
 */
async function suite(...args) {
  try {
    const { stdout } = await promisify(execFile)('npx', [...SUITE, ...args], { maxBuffer: 64 * 1024 ** 2 });
    return { stdout: String(stdout), isSuccess: true };
  } catch (thrown) {
    if (thrown instanceof Error && 'stdout' in thrown)
      return { stdout: String(thrown.stdout), isSuccess: false };
    throw thrown;
  }
}

/**
 * @param {string} what
 * @param {string[]} expected
 * @param {Set<string | undefined>} passed
 */
function report(what, expected, passed) {
  const failed = expected.filter((name) => !passed.has(name));
  console.log(`${expected.length - failed.length} of ${expected.length} scenarios for ${what} pass`);
  for (const name of failed) console.log(`fails: ${name}`);
  for (const name of passed) {
    if (!expected.includes(String(name))) console.log(`passes, and is not expected to: ${name}`);
  }
  if (failed.length > 0) process.exitCode = 1;
}
