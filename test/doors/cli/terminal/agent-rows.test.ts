import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgentFolders } from '../../../../src/authoring/loading/folders/agent-folders.ts';
import { loadAgent } from '../../../../src/core/agent-schema/load-agent.ts';
import { agentRows } from '../../../../src/doors/cli/terminal/agent-rows.ts';
import { tempFolder } from '../../../fixtures/temp-folder.ts';

const BEGIN = 'name = "a"\nmodel = "openai/x"\n';

const FILES: Record<string, string> = {
  bare: BEGIN,
  whole: `${BEGIN}description = "Does it"
system_prompt = "You do it."
skill = "how"
skills = ["one", "two"]
files = ["a.md", "b.md"]
workdir = "work"
sub_agents = ["b", "c"]
timeout = 900
tools = ["files", "spawn_agent", "sub_agent"]
models = ["openai/y", "openai/z"]
patience = 60
mode = "plan"
allowed_hosts = ["a.example", "b.example"]
[sub_agents_config]
max_depth = 2
parallel = false
timeout = 30
share_input = true
express = true
background = true
[sub_agent]
max_depth = 2
max_concurrent = 3
hard_stop_at = 1
[permissions]
allow = ["read_file", "grep"]
ask = ["write_file"]
deny = ["edit_file"]
[sandbox]
kind = "isolated"
network = true
image = "node:24"
[memory]
enabled = true
path = "notes"
last_n = 3
max_entries = 9
search = true
embedding = "openai/e"
owner = "person"
[workspace]
owner = "agent"
[params]
temperature = 0.5
max_tokens = 100
reasoning_effort = "low"
api = "responses"
stream = false
images = false
service = "flex"
[context]
compact = false
window = 50000
[retry]
max_retries = 2
backoff = "linear"
initial_delay_ms = 10
max_delay_ms = 20
[budget]
max_tokens = 1000
max_usd = 2.5
max_turns = 7
max_tool_calls = 8
[limits]
usd_per_day = 10
usd_per_owner_per_day = 0.5
[serve]
mcp = false
[schedule]
cron = "0 6 * * ? *"
timezone = "Europe/Berlin"
prompt = "go"
`,
  others: `${BEGIN}sub_agents = ["b"]
mode = "auto"
[sub_agents_config]
background = "always"
[sandbox]
kind = "isolated"
[params]
stream = true
images = true
[serve]
mcp = true
[schedule]
rate = "1 day"
enabled = false
service = "batch"
max_tokens = 100
max_usd = 0.25
[[functions]]
name = "f"
description = "f"
file = "f.mjs"
[[functions]]
name = "g"
description = "g"
function = "g"
[[mcp_servers]]
name = "docs"
url = "https://docs.example/mcp"
[[remote_agents]]
name = "booking"
url = "https://booking.example/a2a"
`,
  spawning: `${BEGIN}tools = ["delegate_task"]
[sub_agent]
hard_stop_at = 0
[output.schema]
type = "object"
[guardrail]
id = "g"
version = "1"
[[hooks]]
on = "before_call"
file = "check.mjs"
[[hooks]]
on = "after_call"
tools = ["grep", "read_file"]
file = "check.mjs"
[retry]
max_retries = 1
`,
};

test('the settings of an agent are shown as was accepted, those that are not set among them', async () => {
  const texts = Object.entries(FILES).map(async ([name, file]) => {
    const cwd = await tempFolder({ 'agents/a.toml': file });
    const { agent } = await loadAgent('a', openAgentFolders({ cwd, env: {}, agentsDir: 'agents' }));
    const rows = agentRows(agent, name === 'others' ? 'out.json' : undefined, Date.UTC(2026, 0, 2));
    return [`${name}:`, ...rows.map(([label, value]) => `  ${label}: ${JSON.stringify(value)}`)].join('\n');
  });
  await expect(`${(await Promise.all(texts)).join('\n')}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, '../accepted/agent-rows.txt'),
  );
});
