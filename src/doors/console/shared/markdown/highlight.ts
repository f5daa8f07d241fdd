import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { h, type ComponentChild } from 'preact';

/**
 * Grammars may take the square of a length, and those of some languages (C, Ruby) far longer than this allows for: code
 * within these limits halts the page for a quarter of a second at most, whatever is in it.
 */
const MOST_CHARACTERS = 10_000;
const LONG_LINE = /.{300}/;

/** The languages that agents write most; others are shown in one colour. */
const lowlight = createLowlight({
  bash,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});

type Nodes = ReturnType<typeof lowlight.highlight>['children'];

/**
 * Code as nodes, in the colours of its language.
 * @param language as a model named it
 * @returns undefined if that language is not known here, or the code is too long
 */
export function highlighted(text: string, language: string): ComponentChild[] | undefined {
  if (!lowlight.registered(language) || text.length > MOST_CHARACTERS || LONG_LINE.test(text))
    return undefined;
  return toNodes(lowlight.highlight(language, text).children);
}

function toNodes(nodes: Nodes): ComponentChild[] {
  return nodes.map((node) => {
    if (node.type === 'text') return node.value;
    if (node.type !== 'element') return null;
    const names = node.properties['className'];
    return h('span', { class: Array.isArray(names) ? names.join(' ') : '' }, toNodes(node.children));
  });
}
