import * as v from 'valibot';

const acts = v.optional(v.array(v.object({ action: v.optional(v.string()) })), []);

/** What each policy of a guardrail did, as the SDK's `GuardrailAssessment` has it; some policies have no actions. */
const Assessment = v.object({
  topicPolicy: v.optional(v.object({ topics: acts })),
  contentPolicy: v.optional(v.object({ filters: acts })),
  wordPolicy: v.optional(v.object({ customWords: acts, managedWordLists: acts })),
  sensitiveInformationPolicy: v.optional(v.object({ piiEntities: acts, regexes: acts })),
  contextualGroundingPolicy: v.optional(v.object({ filters: acts })),
});

/**
 * Whether a guardrail that has intervened has only masked something: it says the same of both. What it says in no known
 * form counts as blocked.
 */
export function hasOnlyMasked(assessments: unknown): boolean {
  const parsed = v.safeParse(v.array(Assessment), assessments);
  if (!parsed.success) return false;
  const actions = parsed.output.flatMap((one) =>
    Object.values(one).flatMap((policy) => Object.values(policy ?? {}).flatMap((all) => all ?? [])),
  );
  const has = (wanted: string) => actions.some(({ action }) => action === wanted);
  return has('ANONYMIZED') && !has('BLOCKED');
}
