/** What was used last, up to a total weight: what was not used for longest goes first. */
export class RecentlyUsed<Value> {
  /** Used last comes last. */
  readonly #entries = new Map<string, { value: Value; weight: number }>();
  readonly #capacity: number;
  #weight = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps the value, unless it is heavier than everything together may be. */
  set(key: string, value: Value, weight: number): void {
    this.delete(key);
    if (weight > this.#capacity) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#capacity) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
