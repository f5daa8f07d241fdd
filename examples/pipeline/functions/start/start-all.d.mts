export function startAll(
  records: readonly { messageId: string; body: string }[],
  start: (run: { name: string; input: string }) => Promise<unknown>,
): Promise<{ batchItemFailures: { itemIdentifier: string }[] }>;
