import { runCommandLine } from './command-line.ts';
import { processIo } from './terminal/process-io.ts';

// Which version of Node.js this needs is said in package.json; the AWS SDK tells of its own plans in seven lines.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const failed = await runCommandLine(process.argv.slice(2), processIo());
if (failed !== undefined) process.exitCode = failed;
