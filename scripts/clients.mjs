// Lets foreign clients talk to an agent behind `cadre serve` for many turns, prints a table, and fails if one of them
// does. Their versions are pinned; npm installs them into a temporary folder, because they need versions of one another
// that the project does not have.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './bundle-options.mjs';

const TURNS = 60;

/** By the name that its conversation has in clients/conversations.mjs: the packages that it consists of. */
const CLIENTS = {
  openai: { openai: '7.57.0' },
  'ai-6': { 'ai-6': 'npm:ai@6.0.326', 'openai-compatible-2': 'npm:@ai-sdk/openai-compatible@2.0.90' },
  'ai-7': { 'ai-7': 'npm:ai@7.0.173', 'openai-compatible-3': 'npm:@ai-sdk/openai-compatible@3.0.92' },
  langchain: { '@langchain/openai': '1.6.0', '@langchain/core': '1.4.0' },
  agents: { '@openai/agents': '0.20.0' },
  'ag-ui': { '@ag-ui/client': '1.0.0' },
};

const folder = mkdtempSync(join(tmpdir(), 'cadre-clients-'));
const project = join(folder, 'project');

/** An agent whose model knows which question follows which. */
function writeProject() {
  const turns = Array.from({ length: TURNS }, (_, index) => ({
    expect: `question ${index + 1}`,
    text: `answer ${index + 1}`,
  }));
  mkdirSync(join(project, 'agents'), { recursive: true });
  writeFileSync(join(project, 'agents/talker.toml'), 'name = "talker"\nmodel = "scripted/talker.json"\n');
  writeFileSync(join(project, 'talker.json'), JSON.stringify({ conversations: [{ turns }] }));
}

function install() {
  const dependencies = Object.assign({}, ...Object.values(CLIENTS));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  copyFileSync(join(root, 'scripts/clients/conversations.mjs'), join(folder, 'conversations.mjs'));
  const flags = ['--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'inherit' });
}

/** @returns the versions of the packages of a client, as they are installed */
function versionsOf(packages) {
  return Object.keys(packages)
    .map((name) => JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')))
    .map(({ name, version }) => `${name} ${version}`)
    .join(', ');
}

writeProject();
install();
const server = spawn(process.execPath, [join(root, 'bin/cadre.js'), 'serve', '--port', '0'], {
  cwd: project,
  env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), CADRE_TOKEN: '' },
  stdio: ['ignore', 'inherit', 'pipe'],
});
try {
  let url = '';
  for await (const line of createInterface(server.stderr)) {
    url = /http:\/\/[\d.]+:\d+/.exec(line)?.[0] ?? '';
    if (url !== '') break;
  }
  // It says a line for each request.
  server.stderr.resume();
  for (const [client, packages] of Object.entries(CLIENTS)) {
    const began = performance.now();
    const { status, stderr } = spawnSync(
      process.execPath,
      ['conversations.mjs', client, url, String(TURNS)],
      {
        cwd: folder,
        encoding: 'utf8',
        timeout: 300_000,
      },
    );
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const said = status === 0 ? `${TURNS} turns in ${seconds} s` : 'FAILS';
    console.log(`${client.padEnd(10)} ${said.padEnd(20)} ${versionsOf(packages)}`);
    if (status !== 0) {
      console.log(stderr);
      process.exitCode = 1;
    }
  }
} finally {
  server.kill();
  await once(server, 'exit');
  rmSync(folder, { recursive: true });
}
