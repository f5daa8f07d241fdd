import { runAgent } from 'cadre';

const { content, run } = await runAgent('{{agent}}', { prompt: 'What is this project?' });
console.log(content, run.tree.usd);
