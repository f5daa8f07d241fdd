/**
 * The suffix that Anthropic, OpenAI and Bedrock add to a model's name for one release of it: a date, a version, or
 * both.
 */
const RELEASE = /(-latest|-\d{8}|-\d{4}-\d{2}-\d{2})?(-v\d+(:\d+)?)?$/;

/** The part of the world that an inference profile of Bedrock stays in; `global` is priced differently. */
const PLACE = /^(apac|au|ca|eu|jp|us)\.(?=anthropic\.)/;

/**
 * The names under which the price of a model may be found, the most precise first: its own, that of the model behind an
 * ARN, that of the model without its release, and that without a place.
 */
export function pricedNames(fullName: string): string[] {
  const slash = fullName.indexOf('/') + 1;
  const provider = fullName.slice(0, slash);
  const model = fullName.slice(slash).replace(/^arn:[^/]*\//, '');
  const unreleased = model.replace(RELEASE, '');
  return [
    fullName,
    `${provider}${model}`,
    `${provider}${unreleased}`,
    `${provider}${unreleased.replace(PLACE, '')}`,
  ];
}
