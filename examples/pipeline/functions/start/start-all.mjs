/**
 * Starts a run for each message. Its execution is named after the message, so one that is delivered twice starts only one.
 * @param records the messages that the queue delivers
 * @param start starts an execution
 * @returns which messages the queue has to deliver again
 */
export async function startAll(records, start) {
  const failed = await Promise.all(
    records.map(async ({ messageId, body }) => {
      const input = JSON.stringify({ agent: 'orders', prompt: 'Record this order', context: body });
      try {
        await start({ name: messageId, input });
        return [];
      } catch (error) {
        if (error.name === 'ExecutionAlreadyExists') return [];
        console.error(messageId, error.name);
        return [{ itemIdentifier: messageId }];
      }
    }),
  );
  return { batchItemFailures: failed.flat() };
}
