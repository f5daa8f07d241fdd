import { termsOf } from './terms.ts';

/**
 * Extractive summarisation without a model. A sentence counts by its centrality (how much it shares with all others,
 * with rare terms weighing more), by what it shares with each focus, and a little by how early it stands. Those that
 * repeat one already chosen are passed over (maximal marginal relevance).
 *
 * Centrality is the sum of a sentence's cosines with all others, which is one product with the sum of all vectors:
 * so everything but the choice among the best is linear in the length of the text.
 */

/** How much of the best sentence's centrality a perfect fit to a focus is worth, and the first place in the text. */
const FOCUS_WEIGHT = 1.2;
const LEAD_WEIGHT = 0.5;

/** The choice compares every candidate with every chosen sentence, so it is kept to the best. */
const MOST_CANDIDATES = 200;
const REPETITION_WEIGHT = 0.6;
const SAME = 0.8;

interface Candidate {
  position: number;
  /** Indexes of terms. */
  terms: number[];
  /** Length of the vector, whose components are the weights of its terms. */
  norm: number;
  score: number;
}

/**
 * The positions of at most `count` sentences that matter most, in the order of the text.
 * @param focuses texts that describe the search, such as a task and a role
 */
export function chooseSentences(
  sentences: readonly string[],
  focuses: readonly string[],
  count: number,
): number[] {
  const { candidates, weights, termIndex } = vectorise(sentences);
  const scores = [
    normalised(centrality(candidates, weights)),
    ...focuses.map((focus) =>
      normalised(similarity(candidates, weights, indexesOf(focus, termIndex))).map(
        (score) => FOCUS_WEIGHT * score,
      ),
    ),
    candidates.map(({ position }) => LEAD_WEIGHT * (1 - position / sentences.length)),
  ];
  candidates.forEach((candidate, index) => {
    const sum = scores.reduce((total, column) => total + (column[index] ?? 0), 0);
    candidate.score = sum * lengthFit(candidate.terms.length);
  });
  return choose(candidates, weights, count).sort((a, b) => a - b);
}

function vectorise(sentences: readonly string[]) {
  const termIndex = new Map<string, number>();
  const occurrences: number[] = [];
  const termsBySentence = sentences.map((sentence) =>
    [...termsOf(sentence)].map((term) => {
      const index = termIndex.get(term) ?? termIndex.size;
      termIndex.set(term, index);
      occurrences[index] = (occurrences[index] ?? 0) + 1;
      return index;
    }),
  );
  const weights = occurrences.map((found) => Math.log(1 + sentences.length / found));
  const candidates = termsBySentence.map((terms, position): Candidate => {
    const norm = Math.sqrt(terms.reduce((sum, term) => sum + squared(weights, term), 0));
    return { position, terms, norm, score: 0 };
  });
  return { candidates, weights, termIndex };
}

function centrality(candidates: readonly Candidate[], weights: readonly number[]): number[] {
  const sum = new Float64Array(weights.length);
  for (const { terms, norm } of candidates) {
    for (const term of terms) sum[term] = (sum[term] ?? 0) + (weights[term] ?? 0) / norm;
  }
  return candidates.map(({ terms, norm }) =>
    norm === 0 ? 0 : terms.reduce((total, term) => total + (weights[term] ?? 0) * (sum[term] ?? 0), 0) / norm,
  );
}

/** Cosine of each candidate with the terms, but for a factor common to all. */
function similarity(
  candidates: readonly Candidate[],
  weights: readonly number[],
  wanted: ReadonlySet<number>,
): number[] {
  return candidates.map(({ terms, norm }) =>
    norm === 0
      ? 0
      : terms.reduce((sum, term) => sum + (wanted.has(term) ? squared(weights, term) : 0), 0) / norm,
  );
}

function indexesOf(text: string, termIndex: ReadonlyMap<string, number>): Set<number> {
  return new Set([...termsOf(text)].flatMap((term) => termIndex.get(term) ?? []));
}

function normalised(scores: readonly number[]): number[] {
  const most = scores.reduce((best, score) => Math.max(best, score), 0);
  return scores.map((score) => (most === 0 ? 0 : score / most));
}

/** Full for what a reader takes in at once: fewer terms say little, more are hard to read. */
function lengthFit(terms: number): number {
  return Math.min(1, terms / 6, 30 / Math.max(1, terms));
}

function choose(candidates: readonly Candidate[], weights: readonly number[], count: number): number[] {
  let left = candidates
    .toSorted((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, MOST_CANDIDATES)
    .map((candidate) => ({ ...candidate, repetition: 0 }));
  const chosen: number[] = [];
  while (chosen.length < count) {
    const [best] = left.toSorted((a, b) => worth(b) - worth(a) || a.position - b.position);
    if (best === undefined) break;
    chosen.push(best.position);
    const terms = new Set(best.terms);
    for (const candidate of left) {
      const shared = candidate.terms.reduce(
        (sum, term) => sum + (terms.has(term) ? squared(weights, term) : 0),
        0,
      );
      const cosine = shared === 0 ? 0 : shared / (candidate.norm * best.norm);
      candidate.repetition = Math.max(candidate.repetition, cosine);
    }
    left = left.filter((candidate) => candidate !== best && candidate.repetition < SAME);
  }
  return chosen;
}

function worth(candidate: { score: number; repetition: number }): number {
  return candidate.score - REPETITION_WEIGHT * candidate.repetition;
}

function squared(weights: readonly number[], term: number): number {
  return (weights[term] ?? 0) ** 2;
}
