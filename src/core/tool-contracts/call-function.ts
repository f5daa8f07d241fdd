import * as v from 'valibot';
import type { Json } from '../../json.ts';
import { resultFiles } from '../attachments/in-result.ts';
import type { FunctionTarget } from '../records/call.ts';
import type { ToolDefinition } from '../records/message.ts';
import { errorOutput } from './error-output.ts';
import { schemaFaults } from './schema-faults.ts';
import type { ToolArguments, ToolContext, ToolOutput } from './tool.ts';

/** The most that Lambda takes, and gives back, in one call that is waited for (Lambda, "Quotas"). */
export const MAX_PAYLOAD_BYTES = 6 * 2 ** 20;

/** Calls a function of the user's own with arguments that fit its parameters. */
export async function callFunction(
  { name, parameters }: ToolDefinition,
  { source, seconds }: FunctionTarget,
  args: ToolArguments,
  { callFunction: call, signal, tell }: ToolContext,
): Promise<ToolOutput> {
  if (call === undefined) return errorOutput(`${name} cannot be called here`);
  if (sizeOf(args) > MAX_PAYLOAD_BYTES) return errorOutput(`the arguments of ${name} are larger than 6 MB`);
  const faults = schemaFaults(args, parameters, 'argument');
  if (faults.length > 0) {
    return errorOutput(`the arguments of ${name} do not fit its parameters: ${faults.join('; ')}`);
  }
  const result = await call({ name, source, arguments: args, seconds, signal, tell });
  // The name of a plain error says nothing; that of any other may.
  if ('failed' in result) return errorOutput(`${name} failed - ${result.failed.replace(/^Error: /, '')}`);
  const shown = shownIn(result.value);
  const text = shown?.text ?? resultText(result.value);
  if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) {
    return errorOutput(`the result of ${name} is larger than 6 MB: ask it for less`);
  }
  return shown ?? { text };
}

const Shown = v.strictObject({
  text: v.optional(v.string(), ''),
  attachments: v.pipe(v.array(v.strictObject({ data: v.pipe(v.string(), v.base64()) })), v.minLength(1)),
});

/** A result with images or PDFs; undefined for any other, which is what it is. */
function shownIn(value: Json): ToolOutput | undefined {
  const parsed = v.safeParse(Shown, value);
  if (!parsed.success) return undefined;
  const shown = resultFiles();
  const words = parsed.output.attachments.map(({ data }) => shown.take(data));
  if (words.includes(undefined)) return undefined;
  return { text: [parsed.output.text, ...words].filter(Boolean).join('\n'), attachments: shown.files };
}

/** The result of a function as the model reads it. */
export function resultText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function sizeOf(args: ToolArguments): number {
  return Buffer.byteLength(JSON.stringify(args));
}
