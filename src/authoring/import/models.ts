import { PROVIDER_NAMES } from '../../core/model/model-name.ts';
import { windowOf } from '../../core/spending/windows.ts';

/** Names that stand for the newest model of a family, as of the price table (src/core/spending/price-table.ts). */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['best', 'anthropic/claude-opus-5-5'],
  ['fable', 'anthropic/claude-fable-5-1'],
  ['opus', 'anthropic/claude-opus-5-5'],
  ['opusplan', 'anthropic/claude-opus-5-5'],
  ['sonnet', 'anthropic/claude-sonnet-5-5'],
  ['haiku', 'anthropic/claude-haiku-5-5'],
  ['pro', 'gemini/gemini-2.5-pro'],
  ['flash', 'gemini/gemini-2.5-flash'],
  ['flash-lite', 'gemini/gemini-2.5-flash-lite'],
]);

/** Other formats' names of the providers that Cadre knows. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ...PROVIDER_NAMES.map((name) => [name, name] as const),
  ['amazon-bedrock', 'bedrock'],
  ['google', 'gemini'],
  ['oss', 'ollama'],
]);

/** Words for the caller's model, or for one that the user chooses at run time. */
const INHERITED = /^(inherit|auto|default)?$/i;

/** Whether a format says that an agent has the model of its caller. */
export function isInherited(written: string | undefined): boolean {
  return written === undefined || INHERITED.test(written.trim());
}

/**
 * The model that is meant: `sonnet`, `Claude Sonnet 4.5 (copilot)`, `google/gemini-2.5-pro`.
 * @param own names of providers that the user has set up
 * @returns undefined if it is not known which one that would be
 */
export function toModel(written: string, own: readonly string[] = []): string | undefined {
  // Brackets at the end hold the service that is asked, or the length of the window: (copilot), [1m].
  const plain = written.trim().replace(/\s*(\([^)]*\)|\[[^\]]*\])$/, '');
  const slash = plain.indexOf('/');
  const provider = slash < 0 ? '' : plain.slice(0, slash);
  const name = plain.slice(slash + 1).trim();
  const known = own.includes(provider) ? provider : PROVIDERS.get(provider);
  if (known === 'anthropic' && name.startsWith('claude-')) return `anthropic/${claudeName(name)}`;
  if (known !== undefined && name !== '') return `${known}/${name}`;
  const meant = ALIASES.get(name.toLowerCase()) ?? byFamily(name.toLowerCase().replaceAll(/\s+/g, '-'));
  return meant === undefined || !isListed(meant) ? undefined : meant;
}

/** Whether there is such a model, as far as Cadre has a list of the provider's models. */
function isListed(model: string): boolean {
  return !/^(anthropic|openai)\//.test(model) || windowOf(model) !== undefined;
}

function byFamily(name: string): string | undefined {
  if (/^((\w+\.)?anthropic|amazon|meta|mistral)\.|^arn:aws/.test(name)) return `bedrock/${name}`;
  if (name.startsWith('claude-')) return `anthropic/${claudeName(name)}`;
  if (/^(gpt-|chatgpt-|codex-|o[1-9](-|$))/.test(name)) return `openai/${name}`;
  if (name.startsWith('gemini-')) return `gemini/${name}`;
  return undefined;
}

/**
 * Anthropic writes versions with a dash, and before Claude 4 ahead of the family: claude-3-7-sonnet-latest. Since then,
 * no name ends with -latest.
 */
function claudeName(written: string): string {
  const name = written
    .replace(/^(claude-.*\d)\.(\d)/, '$1-$2')
    .replace(/^claude-([4-9](?:-\d)?)-([a-z]+)(?=-|$)/, 'claude-$2-$1')
    .replace(/^(claude-[a-z]+-[4-9](?:-\d)?)-latest$/, '$1');
  const [, family, major = '', minor] = /^claude-(opus|sonnet|haiku)-(\d)(?:-(\d))?$/.exec(name) ?? [];
  if (family !== undefined && Number(major) < 4) return `claude-${major}-${minor ?? '0'}-${family}-latest`;
  if (family !== undefined && major === '4' && minor === undefined) return `${name}-0`;
  return /^claude-\d(-\d)?-(opus|sonnet|haiku)$/.test(name) ? `${name}-latest` : name;
}
