import { runCommandLine } from './command-line.ts';
import { processIo } from './terminal/process-io.ts';

// package.json says which version of Node.js this needs; the AWS SDK announces its own plans in seven lines.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const failed = await runCommandLine(process.argv.slice(2), processIo());
if (failed !== undefined) process.exitCode = failed;
