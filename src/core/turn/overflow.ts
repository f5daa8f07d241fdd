import { ModelError } from '../../errors.ts';

/**
 * How APIs say that a prompt does not fit the model's window. They share no status and no code: Anthropic, OpenAI,
 * Azure and vLLM answer 400, Groq and proxies 413, llama.cpp and Ollama 400 or 500, and a stream says it in an event.
 *
 * | words                                                               | from                                  |
 * | ------------------------------------------------------------------- | ------------------------------------- |
 * | `prompt is too long: 208310 tokens > 200000 maximum`                | Anthropic, Claude on Bedrock          |
 * | `input length and max_tokens exceed context limit`                  | Anthropic                             |
 * | `maximum context length is 128000 tokens`                           | OpenAI, Azure, vLLM, OpenRouter       |
 * | `Your input exceeds the context window of this model`               | OpenAI's Responses                    |
 * | `Input is too long for requested model`                             | Bedrock                               |
 * | `Too many input tokens. Max input tokens: 8192`                     | Bedrock                               |
 * | `input token count (…) exceeds the maximum number of tokens`        | Gemini                                |
 * | `the input length exceeds the context length`                       | Ollama                                |
 * | `prompt too long; exceeded max context length by 12 tokens`         | Ollama                                |
 * | `request (5000 tokens) exceeds the available context size`          | llama.cpp                             |
 * | `context length of only 4096 tokens`                                | LM Studio                             |
 * | `too large for model with 32768 maximum context length`             | Mistral                               |
 * | `Please reduce the length of the messages or completion`            | Groq, Mistral                         |
 * | `Request too large … please reduce your message size`               | Groq, for more than a minute has      |
 * | `Input Tokens Exceeded: Number of input tokens exceeds maximum …`   | Nova on Bedrock                       |
 */
const WORDS = [
  /\b(prompt|input) (is )?too long\b/i,
  /\bcontext[ _](length|limit|window|size).*exceed/is,
  /\bexceed\w*\b.{0,60}\bcontext[ _](length|limit|window|size)\b/is,
  /\bmaximum (context|prompt|model) length\b/i,
  /\bcontext length of only \d/i,
  /\btoo many input tokens\b/i,
  /\binput tokens?\b.*\bexceeds? (the )?maximum\b/is,
  /\breduce (the length of the (messages|prompt|input)|your message size)\b/i,
  /\bgreater than the context length\b/i,
];

/** Whether an API refused a prompt for its length. Limits of tokens in a minute sound alike, and pass by themselves. */
export function isTooLong(thrown: unknown): thrown is ModelError {
  return (
    thrown instanceof ModelError &&
    thrown.category !== 'rate_limit' &&
    WORDS.some((words) => words.test(thrown.message))
  );
}
