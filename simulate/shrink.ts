/** Fewer and smaller choices of which the same is true, as few attempts allow. */
export async function shrunk(
  choices: readonly number[],
  holds: (fewer: readonly number[]) => Promise<boolean>,
  mayGoOn: () => boolean,
): Promise<readonly number[]> {
  let best = choices;
  const attempt = async (fewer: readonly number[]) => {
    if (!mayGoOn() || !(await holds(fewer))) return false;
    best = fewer;
    return true;
  };
  for (let isBetter = true; isBetter && mayGoOn();) {
    const length = best.length;
    const sum = total(best);
    for (let size = best.length >> 1; size >= 1 && mayGoOn(); size >>= 1) {
      for (let from = best.length - size; from > -size && mayGoOn(); from -= size) {
        const [start, end] = [Math.max(0, from), from + size];
        const without = [...best.slice(0, start), ...best.slice(end)];
        if (await attempt(without)) continue;
        const part = best.slice(start, end);
        if (part.every((one) => one === 0)) continue;
        await attempt([...best.slice(0, start), ...part.map(() => 0), ...best.slice(end)]);
      }
      // Small steps would take long while much is left.
      if (size < 4 && best.length > 2_000) break;
    }
    isBetter = best.length < length || total(best) < sum;
  }
  return best;
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
