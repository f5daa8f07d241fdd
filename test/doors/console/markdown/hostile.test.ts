import { expect, test } from 'vitest';
import { visible } from '../../../../src/doors/console/shared/visible.ts';
import { HOSTILE_TEXTS, hugeTexts } from '../../../fixtures/hostile-texts.ts';
import { shown } from './shown.ts';

const NAMES =
  /^(?:a|blockquote|CodeBlock|code|del|div|em|h4|hr|li|ol|p|span|strong|table|tbody|td|th|thead|tr|ul)$/;
const ATTRIBUTES = new Set(
  'aria-label class href language rel role scope start tabIndex target text title'.split(' '),
);

/** The elements and attributes in nodes that the page has no use for, and links that lead anywhere but to the web. */
function faultsIn(nodes: readonly unknown[]): unknown[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string' || typeof node === 'number') return [];
    if (!Array.isArray(node)) return [node];
    const [name, attributes, ...children]: unknown[] = node;
    const entries = Object.entries(attributes ?? {});
    const isSafe = entries.every(
      ([key, value]) =>
        ATTRIBUTES.has(key) &&
        ['string', 'number'].includes(typeof value) &&
        (key !== 'href' || /^(?:https?:\/\/|mailto:)/.test(String(value))) &&
        (key !== 'class' ||
          /^(?:left|right|center|task|table|written|muted|leads-to|depth-[1-6])$/.test(String(value))),
    );
    return [...(NAMES.test(String(name)) && isSafe ? [] : [[name, attributes]]), ...faultsIn(children)];
  });
}

test('hostile texts become text, and the few elements that Markdown has', () => {
  expect(HOSTILE_TEXTS.length).toBeGreaterThan(100);
  const faults = HOSTILE_TEXTS.map((text) => [text, faultsIn(shown(visible(text)))]);
  expect(faults).toEqual(HOSTILE_TEXTS.map((text) => [text, []]));
});

test('huge texts do so, too', () => {
  expect(hugeTexts(4_000).flatMap((text) => faultsIn(shown(visible(text))))).toEqual([]);
});
