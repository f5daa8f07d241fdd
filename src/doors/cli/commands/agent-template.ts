/**
 * The file that `cadre agents init` writes: an agent that runs unchanged, with all other keys in comments.
 * @param schema where editors find the JSON Schema of the file
 */
export function agentTemplate(name: string, schema?: string): string {
  return `${schema === undefined ? '' : `#:schema ${schema}\n\n`}name = "${name}"
description = "What this agent is for, in one line"

# provider/model-name, such as anthropic/claude-sonnet-5-5, openai/gpt-5.1 or ollama/llama3.2.
# This one is built in, needs no key and picks the sentences that matter most.
model = "offline/extractive"

# What the model reads before everything else.
# system_prompt = """
# You are ...
# """

# A skill: the name of a folder in skills/ (its SKILL.md), or a path.
# skill = "sample"

# Skills that the model loads when its work calls for them: names of folders in skills/, or paths, with * for any name.
# skills = ["skills/*"]

# Files to show to the model, below the workdir: *, ?, [a-z], {a,b}, and ** for any number of folders.
# files = ["README.md", "docs/**/*.md"]
# workdir = ""

# What it can do besides calling agents: files:read, files, run_command, fetch_url, sub_agent, spawn_agent,
# delegate_task, fork, mail, ask_user, or the names of single tools.
# tools = ["files:read"]
# mode = "auto"              # or "ask", "plan"
# allowed_hosts = ["docs.example.com"]   # for fetch_url

# Seconds for a whole run, and how long it may wait for people besides.
# timeout = 120
# patience = "0s"

# Agents that this one may call, and how.
# sub_agents = []

# Models that a call of sub_agent may choose instead of the agent's own.
# models = ["openai/gpt-5.1"]

# [sub_agents_config]
# max_depth = 3
# parallel = true
# timeout = 120
# share_input = true   # they read this agent's input by reference
# express = true       # deployed, those that call no agents run in Express executions, which are cheaper
# background = true    # calls may have them go on beside this agent; "always": all calls do

# What spawn_agent and delegate_task give the sub-agents that they start, and where this agent is told to stop.
# [sub_agent]
# enabled = true
# max_depth = 2
# max_concurrent = 1     # above 1: independent subtasks at the same time
# inherit_mode = true
# warn_at = 20           # tool calls of the agent itself; so are the next two
# pause_at = 40
# hard_stop_at = 100

# [sub_agent.default_budget]
# max_tool_calls = 15
# max_tokens = 8192
# timeout_ms = 60000

# Deny first, then ask, then allow.
# [permissions]
# allow = ["run_command(npm test)"]
# ask = ["run_command"]
# deny = ["read_file(.env*)"]

# Where run_command runs: by bubblewrap (Linux), with the workdir and without keys, home folder and other processes;
# deployed, in a function of its own.
# [sandbox]
# kind = "isolated"
# network = false
# image = ""             # deployed: the container image whose programs there are

# Servers of tools (Model Context Protocol), each in a table like these: by a URL, or started on this machine.
# [[mcp_servers]]
# name = "docs"
# url = "https://docs.example.com/mcp"
# headers = { Authorization = "Bearer \${DOCS_TOKEN}" }
# tools = ["search", "read"]     # disallowed_tools = ["publish"]
# read_only = ["search", "read"]
# timeout = 60
# required = false
# instructions = true                         # add the server's own instructions to the system prompt

# [[mcp_servers]]
# name = "wiki"
# url = "https://wiki.example.com/mcp"
# auth = "client_credentials"     # or "oauth": a person signs in, with cadre mcp login
# client_id = "cadre"
# client_secret = "\${WIKI_SECRET}"
# issuer = "https://login.example.com"
# scopes = ["read"]

# [[mcp_servers]]
# name = "tickets"
# command = "npx"
# args = ["-y", "some-server"]
# env = { TOKEN = "\${TICKETS_TOKEN}" }
# cwd = ""

# Agents of others, which speak Agent2Agent: sub-agents of this one.
# [[remote_agents]]
# name = "booking"
# url = "https://agents.example.com/booking"
# headers = { Authorization = "Bearer \${BOOKING_TOKEN}" }

# [params]
# temperature = 0.3
# max_tokens = 4096
# reasoning_effort = "medium"
# api = "responses"   # OpenAI's protocol only
# service = "batch"   # half the price, answers within a day; or "flex", "priority" (OpenAI), "standard"
# stream = true
# images = true      # whether the model sees; absent: as far as it is known

# [context]
# compact = true     # leave out older results and summarise older turns before a conversation is too long
# window = 32000     # of the model, in tokens; 0: as far as it is known

# [memory]
# enabled = true
# path = ""          # agents with the same path share a memory
# last_n = 10
# max_entries = 100
# search = true      # tools to search, save and forget
# embedding = "openai/text-embedding-3-small"   # finds by meaning, too
# owner = "person"   # or "agent": one memory for all callers; absent: "person" where the API takes tokens

# [workspace]
# owner = "person"   # or "agent": one set of files for all callers; absent: "person" where the API takes tokens

# [retry]
# max_retries = 3
# backoff = "exponential"
# initial_delay_ms = 500
# max_delay_ms = 30000

# [budget]
# max_tokens = 100000   # for the run with all its sub-agents; so are the next three
# max_usd = 0.50
# max_turns = 40
# max_tool_calls = 100

# [limits]
# usd_per_day = 20             # for all runs that start with this agent, from midnight to midnight in UTC
# usd_per_owner_per_day = 2    # the same for each person, where the API takes tokens

# What the answer must be, as JSON Schema, or the path of a file with one, such as "schemas/answer.json".
# [output]
# schema = { type = "object", properties = { title = { type = "string" } }, required = ["title"] }

# [serve]
# mcp = true          # a tool for clients of the Model Context Protocol; unset: if it is no sub-agent of another

# Functions of your own, each in a table like this one.
# [[functions]]
# name = "weather"
# description = "Tells the weather of a city"
# file = "tools/weather.ts"      # or function = "name or ARN of a Lambda function"
# env = { UNIT = "C", WEATHER_KEY = "\${WEATHER_KEY}" }   # for a file
# parameters = { type = "object", properties = { city = { type = "string" } }, required = ["city"] }
# timeout = 30
# repeatable = true
# writes = false
# offer = true                   # false: only hooks ask it, and the model does not see it

# Functions of your own that are asked before or after something, each in a table like this one.
# [[hooks]]
# on = "before_call"             # or "after_call", "before_answer"
# tools = ["run_command"]        # unset: all
# file = "hooks/check.ts"        # or function = "the name of one of [[functions]]"
# timeout = 10

# A guardrail of Amazon Bedrock, for models of any provider.
# [guardrail]
# id = "abc123"
# version = "1"

# [schedule]
# cron = "0 9 ? * MON-FRI *"   # or rate = "1 hour", or at = "2026-01-31T10:00:00"
# timezone = "Europe/Berlin"
# prompt = "What is new?"
# enabled = true
# service = "batch"           # for scheduled runs; as in [params] if unset
# max_usd = 0.10              # for each scheduled run; max_tokens works too; [budget] if unset
`;
}
