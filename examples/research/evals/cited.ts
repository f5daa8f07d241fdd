interface Graded {
  answer: string;
  run: { calls: { agent: string; tool: string; result: string }[] };
}

/** Whether each number in the answer has a source, and each source is a page that a sub-agent has found. */
export async function handler({ answer, run }: Graded) {
  const [text = '', list = ''] = answer.split(/^Sources:$/m);
  const sources = new Map(
    [...list.matchAll(/^\[(\d+)\] (\S+)$/gm)].map(([, number, address = '']) => [number, address]),
  );
  const numbers = new Set([...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => number));
  if (numbers.size === 0) return { pass: false, reason: 'no statement has a source' };
  for (const number of numbers) {
    if (!sources.has(number)) return { pass: false, reason: `[${number}] is no source` };
  }
  const found = run.calls
    .filter(({ tool }) => tool === 'call_agent')
    .flatMap(({ result }) => result.match(/https?:\/\/[^\s)>\]"']+/g) ?? []);
  const invented = [...sources.values()].find((address) => !found.includes(address));
  return invented === undefined ? { pass: true } : { pass: false, reason: `nobody found ${invented}` };
}
