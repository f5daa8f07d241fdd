import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { ToolOutput } from '../../../core/tool-contracts/tool.ts';
import { isJson, isShallow } from '../../../json.ts';
import { leftOut, withoutMedia, withoutMediaIn } from './media.ts';
import { plain } from './words.ts';

/**
 * A server's result in words: its texts; what it holds besides as JSON, where there are none; and the names of the
 * parts that not every model can be shown.
 */
export function toOutput({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const texts = content.map(toText);
  const hasText = content.some((block) => block.type === 'text' && block.text !== '');
  if (!hasText && !isShallow(structuredContent)) texts.unshift('[an object, nested too deeply, left out]');
  else if (!hasText && isJson(structuredContent))
    texts.unshift(JSON.stringify(withoutMediaIn(structuredContent)));
  const text = plain(texts.filter((each) => each !== '').join('\n')) || '(no output)';
  return { text, ...(isError === true && { isError }) };
}

function toText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return withoutMedia(block.text);
    case 'image':
    case 'audio':
      return leftOut(block.mimeType, block.data);
    case 'resource_link':
      return `[${block.uri}, a link, left out]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[${resource.uri}]\n${withoutMedia(resource.text)}`;
      return leftOut(`${resource.uri}, ${resource.mimeType ?? 'no text'}`, resource.blob);
    }
  }
}
