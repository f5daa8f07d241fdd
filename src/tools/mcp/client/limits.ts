/** Nothing that a model can use is larger than this, which is what the protocol's own packages take over stdio. */
export const MAX_ANSWER_BYTES = 10 * 2 ** 20;
