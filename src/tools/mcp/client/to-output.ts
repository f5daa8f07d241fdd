import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { resultFiles, type ResultFiles } from '../../../core/attachments/in-result.ts';
import type { ToolOutput } from '../../../core/tool-contracts/tool.ts';
import { isJson, isShallow } from '../../../json.ts';
import { leftOut, withoutMedia, withoutMediaIn } from './media.ts';
import { plain } from './words.ts';

/**
 * A server's result: its texts; what it holds besides as JSON, where there are none; its images and PDFs, for models that see;
 * and the names of the parts that no model is shown.
 */
export function toOutput({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const shown = resultFiles();
  const texts = content.map((block) => toText(block, shown));
  const hasText = content.some((block) => block.type === 'text' && block.text !== '');
  if (!hasText && !isShallow(structuredContent)) texts.unshift('[an object, nested too deeply, left out]');
  else if (!hasText && isJson(structuredContent))
    texts.unshift(JSON.stringify(withoutMediaIn(structuredContent)));
  const text = plain(texts.filter((each) => each !== '').join('\n')) || '(no output)';
  const { files } = shown;
  return { text, ...(isError === true && { isError }), ...(files.length > 0 && { attachments: files }) };
}

function toText(block: ContentBlock, shown: ResultFiles): string {
  switch (block.type) {
    case 'text':
      return withoutMedia(block.text);
    case 'image':
      return shown.take(block.data) ?? leftOut(block.mimeType, block.data);
    case 'audio':
      return leftOut(block.mimeType, block.data);
    case 'resource_link':
      return `[${block.uri}, a link, left out]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[${resource.uri}]\n${withoutMedia(resource.text)}`;
      const words = shown.take(resource.blob);
      if (words !== undefined) return `[${resource.uri}]\n${words}`;
      return leftOut(`${resource.uri}, ${resource.mimeType ?? 'no text'}`, resource.blob);
    }
  }
}
