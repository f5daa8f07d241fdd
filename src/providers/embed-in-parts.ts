import type { Embeddings } from '../core/memory/embeddings.ts';
import { ModelError } from '../errors.ts';

/** The vectors of some texts, in their order. */
interface Part {
  vectors: number[][];
  /** Absent where the provider does not say. */
  tokens: number | undefined;
}

/** As English has it; where a provider counts no tokens, they are no more than a guess. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Embeddings by requests of so many texts, one after another.
 * @throws {ModelError} by `embed`, where an answer has not a vector for each text
 */
export function embedInParts(
  most: number,
  ask: (texts: string[], kind: 'entry' | 'query', signal: AbortSignal) => Promise<Part>,
): Embeddings {
  return {
    async embed(texts, kind, signal) {
      const vectors: number[][] = [];
      let tokens = 0;
      for (let from = 0; from < texts.length; from += most) {
        const some = texts.slice(from, from + most);
        const part = await ask(some, kind, signal);
        if (part.vectors.length !== some.length || part.vectors.some(({ length }) => length === 0)) {
          throw new ModelError(
            'server',
            `${some.length} texts have ${part.vectors.length} vectors in the answer`,
          );
        }
        vectors.push(...part.vectors);
        tokens += part.tokens ?? Math.ceil(some.join('').length / CHARACTERS_PER_TOKEN);
      }
      return { vectors, tokens };
    },
  };
}
