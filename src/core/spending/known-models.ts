import { nearest } from '../../nearest.ts';
import { PRICES } from './price-table.ts';
import { pricedNames } from './model-names.ts';
import { windowOf } from './windows.ts';

/** The models whose prices are known, `provider/model-name`, without a release. */
const KNOWN_MODELS: readonly string[] = [...PRICES.keys()];

/** The known model that one without a provider is meant to be, `provider/model-name`; undefined: none is like it. */
export function withProvider(name: string): string | undefined {
  const alike = KNOWN_MODELS.filter((known) => digitsOf(known) === digitsOf(name));
  const meant = nearest(name, alike.map(nameOf)) ?? nearest(name, KNOWN_MODELS.map(nameOf));
  return KNOWN_MODELS.find((known) => nameOf(known) === meant);
}

/** The name of a model without its provider. */
function nameOf(model: string): string {
  return model.slice(model.indexOf('/') + 1);
}

/**
 * The known model whose name is closest to that of an unknown one. Versions are not spelling: `gpt-5.3` may be newer
 * than what is known here, and is not taken for `gpt-5.2`.
 * @returns undefined if it is known, or like none
 */
export function nearMiss(model: string): string | undefined {
  if (windowOf(model) !== undefined || pricedNames(model).some((name) => PRICES.has(name))) return undefined;
  const plain = pricedNames(model).at(-1) ?? model;
  const provider = model.slice(0, model.indexOf('/') + 1);
  const alike = KNOWN_MODELS.filter(
    (known) => known.startsWith(provider) && digitsOf(known) === digitsOf(plain),
  );
  return nearest(plain, alike, 2);
}

function digitsOf(name: string): string {
  return name.replaceAll(/\D/g, '');
}
