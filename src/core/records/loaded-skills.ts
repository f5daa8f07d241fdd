import type { LoadedSkill, Message } from './message.ts';

/** The skills that have been loaded in a conversation, each as it was loaded last. */
export function skillsIn(messages: readonly Message[]): LoadedSkill[] {
  const found = messages.flatMap((message): LoadedSkill[] => {
    if (message.role === 'user') return message.skills ?? [];
    if (message.role !== 'tool') return [];
    return message.results.flatMap(({ skill, text }) => (skill === undefined ? [] : [{ name: skill, text }]));
  });
  return [...new Map(found.map((skill) => [skill.name, skill])).values()];
}
