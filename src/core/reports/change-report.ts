import * as v from 'valibot';

/** The parts that shape a run, in the order in which people want to see them. */
export const CHANGED_PARTS = ['model', 'prompt', 'tool', 'permission', 'setting'] as const;

const Version = v.pipe(
  v.nullable(v.string()),
  v.description(
    'As in a run; null where there is none: it was opened by an earlier release, or cannot be opened.',
  ),
);

const Text = (description: string) => v.pipe(v.nullable(v.string()), v.description(description));

const Change = v.object({
  part: v.picklist(CHANGED_PARTS),
  name: v.pipe(
    v.string(),
    v.description('Of the tool, the rule or the setting; of other parts, the part itself.'),
  ),
  was: Text('When the run was opened: a text as it was, anything else as JSON; null: there was none.'),
  is: Text('The same now; null: there is none.'),
});

/** What has changed since a run was opened, in everything but its task that shaped it. */
export const ChangeReport = v.object({
  run_id: v.string(),
  agent: v.string(),
  opened: v.pipe(
    v.string(),
    v.description(
      'The run whose opening is compared: the run itself or, if it was derived, the one that it descends from.',
    ),
  ),
  version: Version,
  version_now: Version,
  fault: v.exactOptional(
    v.pipe(v.string(), v.description('Why no such run could begin now; then `changes` is empty.')),
  ),
  changes: v.pipe(
    v.array(Change),
    v.description('Empty if nothing has changed, and if only that has changed which no run keeps.'),
  ),
});
export type ChangeReport = v.InferOutput<typeof ChangeReport>;
export type PartChange = ChangeReport['changes'][number];
