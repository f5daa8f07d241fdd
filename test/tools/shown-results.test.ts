import { expect, test } from 'vitest';
import { toAttachment } from '../../src/core/attachments/to-attachment.ts';
import { callFunction } from '../../src/core/tool-contracts/call-function.ts';
import type { ToolContext } from '../../src/core/tool-contracts/tool.ts';
import type { Json } from '../../src/json.ts';
import { seconds } from '../../src/core/records/times.ts';
import { toOutput } from '../../src/tools/mcp/client/to-output.ts';
import { pdf, png } from '../fixtures/images.ts';

const [chart, invoice] = [png(1200, 800), pdf('Total: 42')];
const data = chart.toString('base64');

test('images and PDFs in a result of a server are shown, and described in its text', () => {
  const output = toOutput({
    content: [
      { type: 'text', text: 'Here.' },
      { type: 'image', data, mimeType: 'image/jpeg' },
      { type: 'resource', resource: { uri: 'file:///a.pdf', blob: invoice.toString('base64') } },
      { type: 'image', data: Buffer.from('no image').toString('base64'), mimeType: 'image/png' },
    ],
  });
  expect(output).toEqual({
    text: [
      'Here.',
      '[image/png, 1200 x 800, 64 bytes]',
      '[file:///a.pdf]',
      '[application/pdf, 1 page, 584 bytes]',
      '[image/png, 8 bytes, left out]',
    ].join('\n'),
    attachments: [toAttachment(chart), toAttachment(invoice)].map(({ attachment, bytes }) => ({
      attachment,
      bytes: Buffer.from(bytes),
    })),
  });
});

test.each<[string, Json, object]>([
  [
    'shows its images',
    { text: 'Here.', attachments: [{ data }] },
    { text: 'Here.\n[image/png, 1200 x 800, 64 bytes]', attachments: [toAttachment(chart)] },
  ],
  [
    'may return anything that looks like it',
    { attachments: [{ data: 'eA==' }] },
    { text: '{"attachments":[{"data":"eA=="}]}' },
  ],
  [
    'may return more',
    { attachments: [{ data }], more: 1 },
    { text: JSON.stringify({ attachments: [{ data }], more: 1 }) },
  ],
])('a function %s', async (_, value, output) => {
  const definition = { name: 'f', description: '', parameters: { type: 'object' as const } };
  const target = {
    kind: 'function' as const,
    source: { function: 'f' },
    seconds: seconds(1),
    isRepeatable: false,
    writes: false,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rest of it is not for functions
  const context = { callFunction: async () => ({ value }), tell: () => {} } as unknown as ToolContext;
  expect(await callFunction(definition, target, {}, context)).toEqual(output);
});
