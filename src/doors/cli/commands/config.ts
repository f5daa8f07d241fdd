import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configFolder } from '../../../authoring/config/config-folder.ts';
import { ConfigError } from '../../../errors.ts';
import { fileFault } from '../../../places/local/workspace/file-fault.ts';
import type { Io } from '../terminal/io.ts';

/** `cadre config path`: the user's own folder, whether it is there or not. */
export function printConfigPath(io: Io): void {
  io.stdout(`${configFolder(io.env)}\n`);
}

/** `cadre config init`: adds the missing files to that folder, changes no existing one, prints its path. */
export async function initConfig(io: Io): Promise<void> {
  const folder = configFolder(io.env);
  await create(join(folder, 'agents'));
  await createFile(join(folder, 'skills', 'sample', 'SKILL.md'), SAMPLE_SKILL, 0o644);
  // Only its owner may read it: it may come to hold keys.
  await createFile(join(folder, 'config.toml'), CONFIG, 0o600);
  io.stdout(`${folder}\n`);
}

async function create(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new ConfigError(`failed to create ${folder}: ${fileFault(error)}`, { cause: error });
  }
}

async function createFile(path: string, text: string, mode: number): Promise<void> {
  await create(dirname(path));
  try {
    await writeFile(path, text, { flag: 'wx', mode });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return;
    throw new ConfigError(`failed to write ${path}: ${fileFault(error)}`, { cause: error });
  }
}

const SAMPLE_SKILL = `---
name: sample
description: A starting point for skills of your own
---

# Sample

A skill tells an agent how to do one kind of work. An agent follows it with \`skill = "sample"\`.

## Steps

1. Read everything that you are given before you answer.
2. If something is missing, say so instead of guessing.
3. Give the result first, then the reasons for it.

## Output

Plain Markdown, at most one page.
`;

const CONFIG = `# Keys and addresses of model providers. Environment variables take precedence over this file:
# ANTHROPIC_API_KEY, OPENAI_API_KEY, <PROVIDER>_API_KEY and CADRE_<PROVIDER>_BASE_URL.

# [providers.anthropic]
# api_key = ""
# base_url = "https://api.anthropic.com"

# [providers.openai]
# api_key = ""
# base_url = "https://api.openai.com"
# strict_roles = true   # for servers that refuse a user's message after tool results, such as Mistral's

# [providers.ollama]
# base_url = "http://localhost:11434"
# idle_timeout = 600   # seconds that a server may show nothing before it is given up

# Any other server that speaks OpenAI's protocol is a provider of its own: model = "acme/some-model".
# azure, gemini, groq, lmstudio, mistral, openrouter and vllm are known, and need no more than a key at most.
# [providers.acme]
# protocol = "openai"
# base_url = "https://api.acme.example/v1"
# api_key = ""

# What a model costs, in dollars per million tokens, instead of the price that Cadre knows.
# [prices."openai/gpt-5.1"]
# input = 1.25
# output = 10.00
# cache_read = 0.125
# cache_write = 1.25

# Folders outside of a project that its agents may be shown files and skills from. Agents of your own may lead anywhere.
# [trust]
# folders = ["/srv/handbook"]
`;
