const DEFAULT_TASK = 'Execute the task described in your instructions.';

/**
 * The user message of a run.
 * @param prompt of the command; blank is none
 * @param input the text of stdin, kept as it is; blank is none
 */
export function toUserMessage(prompt: string, input: string): string {
  const task = prompt.trim() === '' ? input : withContext(prompt, input);
  return task.trim() === '' ? DEFAULT_TASK : task;
}

/** The user message of a sub-agent, which is all that it gets from its parent. */
export function toSubAgentMessage(task: string, context: string): string {
  return withContext(`Task: ${task}`, context);
}

/** The user message of a run that reads the input of another one by reference. */
export function withInput(text: string, input: string): string {
  return `${text}\n\nInput:\n${input}`;
}

function withContext(text: string, context: string): string {
  return context.trim() === '' ? text : `${text}\n\nContext:\n${context}`;
}
