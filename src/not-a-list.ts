import type * as v from 'valibot';

/** The schema of an object, which refuses lists: valibot takes the indexes of one for names. */
export function notAList<Schema extends v.GenericSchema>(schema: Schema): Schema {
  return {
    ...schema,
    '~run': (dataset, config) =>
      schema['~run'](Array.isArray(dataset.value) ? { value: null } : dataset, config),
  };
}
