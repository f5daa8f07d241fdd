import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const folder = join(import.meta.dirname, '../../.github/ISSUE_TEMPLATE');

/** What GitHub asks of a form, as far as these use it: it shows a broken one to nobody, and says so to nobody. */
const text = v.pipe(v.string(), v.nonEmpty());
const validations = v.optional(v.strictObject({ required: v.boolean() }));
const labelled = { label: text, description: v.optional(text) };
const Form = v.strictObject({
  name: text,
  description: text,
  labels: v.array(text),
  body: v.array(
    v.variant('type', [
      v.strictObject({ type: v.literal('markdown'), attributes: v.strictObject({ value: text }) }),
      v.strictObject({
        type: v.literal('textarea'),
        id: v.pipe(v.string(), v.regex(/^[\w-]+$/)),
        attributes: v.strictObject({ ...labelled, render: v.optional(text) }),
        validations,
      }),
      v.strictObject({
        type: v.literal('dropdown'),
        id: v.pipe(v.string(), v.regex(/^[\w-]+$/)),
        attributes: v.strictObject({ ...labelled, options: v.array(text) }),
        validations,
      }),
    ]),
  ),
});

test.each(readdirSync(folder).filter((name) => name !== 'config.yml'))(
  '%s is a form that asks what cadre doctor prints',
  (name) => {
    const { body } = v.parse(Form, parse(readFileSync(join(folder, name), 'utf8')));
    const ids = body.flatMap((field) => ('id' in field ? [field.id] : []));
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toContain('doctor');
  },
);
