import { join } from 'node:path';
import { installed, installTools } from '../tools.mjs';

installTools();
const { default: ts } = await import(join(installed, 'typescript/lib/typescript.js'));

/**
 * The text of a source file that says, whenever the code of one of its mutants is come to, which it was: `reach.mjs` defines
 * what it calls.
 *
 * @param {string} file
 * @param {string} text
 * @param {{ start: number, end: number, mark: number }[]} places what to say, and where
 * @returns {string}
 */
export function withMarks(file, text, places) {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const inserted = places.flatMap(({ start, end, mark }) =>
    markOf(innermost(start, end), `globalThis.mutantReached?.(${mark})`),
  );
  inserted.sort((one, other) => other.at - one.at);
  return inserted.reduce((marked, { at, what }) => marked.slice(0, at) + what + marked.slice(at), text);

  function innermost(start, end, node = source) {
    const inner = ts.forEachChild(node, (child) =>
      child.getStart(source) <= start && end <= child.end ? child : undefined,
    );
    return inner === undefined ? node : innermost(start, end, inner);
  }

  /** Before the closest code around that runs as a whole: a statement, what an arrow returns, or a default. */
  function markOf(node, call) {
    const start = node.getStart(source);
    if (ts.isStatement(node) && !ts.isBlock(node)) {
      if (node.parent.statements !== undefined) return [{ at: start, what: `${call};` }];
      return around(`{${call};`, '}');
    }
    const { parent } = node;
    const isReturned = ts.isArrowFunction(parent) && parent.body === node && !ts.isBlock(node);
    const isDefault =
      parent.initializer === node &&
      (ts.isParameter(parent) || ts.isBindingElement(parent) || ts.isPropertyDeclaration(parent));
    return isReturned || isDefault ? around(`(${call},`, ')') : markOf(parent, call);

    function around(before, after) {
      return [
        { at: start, what: before },
        { at: node.end, what: after },
      ];
    }
  }
}
