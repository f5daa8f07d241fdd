// Holds the workflows of .github/ and of examples against GitHub's own parser, and against actionlint where that is installed.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installed } from './tools.mjs';

// Its JSON is imported as bundlers have it: this script runs with tsx.
const parser = pathToFileURL(join(installed, '@actions/workflow-parser/dist/index.js'));
const { NoOperationTraceWriter, convertWorkflowTemplate, parseWorkflow } = await import(parser.href);

const files = ['.github/workflows', 'examples/pull-requests/.github/workflows'].flatMap((folder) =>
  readdirSync(folder).map((name) => `${folder}/${name}`),
);
for (const file of files) {
  const content = readFileSync(file, 'utf8');
  const { context, value } = parseWorkflow({ name: file, content }, new NoOperationTraceWriter());
  // Expressions are read only here.
  if (value) await convertWorkflowTemplate(context, value);
  for (const { rawMessage, range } of context.errors.getErrors()) {
    console.error(`${file}:${range?.start.line ?? 1}:${range?.start.column ?? 1}: ${rawMessage}`);
    process.exitCode = 1;
  }
}

const { error, status } = spawnSync('actionlint', files, { stdio: 'inherit' });
if (error) console.log('actionlint is not installed: only the syntax of the workflows was checked');
else if (status !== 0) process.exitCode = 1;
