import type { Message } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import { namesTool } from '../agent-schema/permission-rule.ts';
import type { Plan } from '../records/plan.ts';
import { fits, toRules, type SkillsInUse } from './permissions.ts';
import { skillsIn } from '../records/loaded-skills.ts';
import type { Toolbox } from './toolbox.ts';

// A skill says which tools it needs (`allowed-tools`). It grants none: it is a text from elsewhere, and the agent's
// file decides. But once it is loaded, the conversation uses no others: the limits of all loaded skills hold.

/** The tools of a conversation, held to the skills that have been loaded in it. @param said all of it */
export function inUse(
  tools: Toolbox,
  { skills, heldTo: ofCaller = [] }: Pick<Opened, 'skills' | 'heldTo'>,
  said: readonly Message[],
): Toolbox {
  return heldTo(tools, skills, [...ofCaller, ...skillsIn(said).map(({ name }) => name)]);
}

/** Tools held to some of a conversation's skills. @param names of these */
export function heldTo(
  tools: Toolbox,
  skills: Opened['skills'] = [],
  names: readonly string[] = [],
): Toolbox {
  const { permissions } = tools;
  const limiting = skills.filter(
    ({ name, allowedTools }) => allowedTools !== undefined && names.includes(name),
  );
  if (limiting.length === 0 || permissions === undefined) return tools;
  const inUse: SkillsInUse = {
    refusalOf(tool, { text }) {
      const { name } = tool.definition;
      const fitsOne = (rules: readonly string[]) =>
        toRules(rules).some((rule) => namesTool(rule, name) && fits(rule, tool, text, true, permissions));
      const skill = limiting.find(({ allowedTools = [] }) => !fitsOne(allowedTools));
      return (
        skill && `Permission denied: "${name}" is not among the allowed-tools of the skill "${skill.name}".`
      );
    },
    held: (plan) =>
      withSkills(
        plan,
        limiting.map(({ name }) => name),
      ),
  };
  return { ...tools, permissions: { ...permissions, inUse } };
}

function withSkills(plan: Plan, skills: string[]): Plan {
  if (plan.kind === 'invoke') return { ...plan, skills };
  if (plan.kind !== 'delegate' || plan.derived === undefined) return plan;
  return { ...plan, derived: { ...plan.derived, skills } };
}
