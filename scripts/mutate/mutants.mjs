import { join } from 'node:path';
import { installed, installTools } from '../tools.mjs';

// The compiler of the project has no parser that scripts can call.
installTools();
const { default: ts } = await import(join(installed, 'typescript/lib/typescript.js'));

const { SyntaxKind } = ts;

/** What an operator is replaced with: its nearest neighbour, which only a test of the boundary or the other case tells apart. */
const OPERATORS = new Map([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
  [SyntaxKind.AsteriskToken, '/'],
  [SyntaxKind.SlashToken, '*'],
  [SyntaxKind.PlusEqualsToken, '-='],
  [SyntaxKind.MinusEqualsToken, '+='],
]);

/** Methods and the one that does the opposite, or nearly the same. */
const METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['min', 'max'],
  ['max', 'min'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['findLast', 'find'],
  ['toSorted', 'slice'],
]);

/**
 * All mutants of a source file, in the order of its text. Types, imports and the texts of comments have none.
 *
 * @param {string} file its path, by which mutants name it
 * @param {string} text
 * @returns {Mutant[]}
 */
export function mutantsOf(file, text) {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const mutants = [];
  visit(source);
  return mutants.sort((one, other) => one.start - other.start);

  function visit(node) {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    for (const [part, after] of changes(node)) replace(part, after);
    ts.forEachChild(node, visit);
  }

  function replace(part, after) {
    const start = part.getStart(source);
    const { line } = source.getLineAndCharacterOfPosition(start);
    mutants.push({ file, line: line + 1, start, end: part.end, before: text.slice(start, part.end), after });
  }

  /** @returns {[ts.Node, string][]} parts of this node, and what each may be replaced with */
  function changes(node) {
    if (ts.isBinaryExpression(node)) return ofOperator(node);
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return ofCondition(node.expression);
    if (ts.isConditionalExpression(node)) return ofCondition(node.condition);
    if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
      return [[node, node.operand.getText(source)]];
    }
    if (ts.isAwaitExpression(node)) return [[node, node.expression.getText(source)]];
    if (ts.isExpressionStatement(node) && isCall(node.expression)) return [[node, ';']];
    if (ts.isPropertyAccessExpression(node) && METHODS.has(node.name.text)) {
      return [[node.name, METHODS.get(node.name.text)]];
    }
    if (node.kind === SyntaxKind.TrueKeyword) return [[node, 'false']];
    if (node.kind === SyntaxKind.FalseKeyword) return [[node, 'true']];
    if (ts.isNumericLiteral(node)) return [[node, node.text === '0' ? '1' : `(${node.getText(source)} + 1)`]];
    if (ts.isStringLiteral(node) && isValue(node)) return [[node, node.text === '' ? "'x'" : "''"]];
    if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) return [[node, '[]']];
    if (ts.isSpreadAssignment(node)) return [[node, '...{}']];
    return [];
  }

  function ofOperator({ operatorToken, left, right }) {
    if (operatorToken.kind === SyntaxKind.QuestionQuestionToken) {
      return [
        [operatorToken.parent, left.getText(source)],
        [operatorToken.parent, right.getText(source)],
      ];
    }
    const after = OPERATORS.get(operatorToken.kind);
    return after === undefined ? [] : [[operatorToken, after]];
  }

  function ofCondition(condition) {
    return [
      [condition, 'true'],
      [condition, 'false'],
    ];
  }
}

function isCall(expression) {
  return ts.isCallExpression(ts.isAwaitExpression(expression) ? expression.expression : expression);
}

/** Whether a text is a value of the program, and neither the name of a property nor that of a module. */
function isValue({ parent, pos }) {
  if (ts.isCallExpression(parent)) return parent.expression.kind !== SyntaxKind.ImportKeyword;
  return !ts.isPropertyAssignment(parent) || parent.name.pos !== pos;
}
