import type { Choices } from '../choices.ts';
import { hooksOf } from './hooks.ts';

/**
 * The agents of a play. Each has the same kind in every play, with other limits, tools and manners.
 * @param isBatched whether models are asked in batches
 * @param hasOthers whether they call remote agents
 */
export function castOf(
  choices: Choices,
  { isBatched, hasOthers }: { isBatched: boolean; hasOthers: boolean },
): Record<string, string> {
  const { happens, pick } = choices;
  const some = (words: readonly string[]) => words.filter(() => happens(0.5));
  const list = (words: readonly string[]) => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
  const hooked = pick([0, 0, 0.7]);
  const limits = () =>
    `[sub_agents_config]\nmax_depth = ${pick([3, 2, 5])}\nparallel = ${!happens(0.3)}\nexpress = ${happens(0.3)}\nbackground = ${pick(['false', 'true', '"always"'])}\n`;
  const retries = () =>
    `[retry]\nmax_retries = ${pick([2, 0, 5])}\ninitial_delay_ms = ${pick([500, 5_000])}\n`;
  const tools = [
    'fork',
    'ask_user',
    'spawn_agent',
    'delegate_task',
    'sub_agent',
    'mail',
    'read_file',
    'edit_file',
  ];
  const agent = (callees: readonly string[], offered: readonly string[]) =>
    `timeout = ${pick([3_600, 600, 7_200])}\nsub_agents = ${list(callees)}\ntools = ${list(offered)}\n` +
    (happens(0.5) ? 'patience = "30m"\n' : '') +
    limits() +
    retries() +
    `${happens(0.3) ? '[permissions]\nask = ["deed"]\n' : ''}${DEEDS}${hooksOf(choices, hooked)}`;
  const others = hasOthers ? OTHERS : '';
  const service = (word: string) => (isBatched ? `[params]\nservice = "${word}"\n` : '');
  return {
    top: `${agent(['kid', 'mute', 'leaf'], some(tools))}[memory]\nenabled = ${happens(0.3)}\n${service('batch')}${others}`,
    kid: `${agent(['leaf', 'kid'], some(tools))}${isBatched ? service(pick(['', 'standard'])) : ''}${others}`,
    mute: `timeout = ${pick([3_600, 600])}\n`,
    leaf: `${retries()}${DEEDS}`,
  };
}

const OTHERS = '[[remote_agents]]\nname = "other"\nurl = "https://other.example"\n';

/** Functions of the user's: one whose calls must not be repeated, and one that only looks. */
const DEEDS =
  ownFunction('deed', 'does something once', 'repeatable') +
  ownFunction('look', 'looks at something', 'writes');

/** @param denied the one of its manners that is not the usual one */
function ownFunction(name: string, description: string, denied: 'repeatable' | 'writes'): string {
  return `[[functions]]
name = "${name}"
description = "${description}"
function = "${name}"
${denied} = false
timeout = 30
parameters = { type = "object", properties = { mark = { type = "string" } } }
`;
}
