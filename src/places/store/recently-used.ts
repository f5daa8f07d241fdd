interface Entry<Value> {
  value: Value;
  weight: number;
}

/**
 * The most recently used values, up to a total weight, in two halves. When the newer half is full, it replaces the
 * older one, whose values have not been used since. So using a value again rarely moves anything.
 */
export class RecentlyUsed<Value> {
  #newer = new Map<string, Entry<Value>>();
  #older = new Map<string, Entry<Value>>();
  /** Of each half. */
  readonly #capacity: number;
  /** Of the values in the newer half. */
  #weight = 0;

  constructor(capacity: number) {
    this.#capacity = capacity / 2;
  }

  get(key: string): Value | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer.value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older.value, older.weight);
    return older?.value;
  }

  /** Keeps the value, unless it is heavier than one half may be. */
  set(key: string, value: Value, weight: number): void {
    this.delete(key);
    if (weight > this.#capacity) return;
    if (this.#weight + weight > this.#capacity) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#weight = 0;
    }
    this.#newer.set(key, { value, weight });
    this.#weight += weight;
  }

  delete(key: string): void {
    this.#weight -= this.#newer.get(key)?.weight ?? 0;
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
