import type { Cooldowns } from '../../core/records/ports.ts';
import type { Key, Table } from './table.ts';

/** Until when the API of a model is left alone, by `provider/model-name`: milliseconds since 1970. */
export function createCooldowns(table: Table): Cooldowns {
  return {
    async cooldownOf(model) {
      const until = (await table.get(keyOf(model)))?.value;
      return typeof until === 'number' ? until : 0;
    },

    async coolDown(model, until) {
      const { written, item } = await table.putIfAbsent(keyOf(model), until);
      if (written || (typeof item.value === 'number' && item.value >= until)) return;
      // The faster writer has just been throttled too: its word is as good.
      await table.putIfVersion(item.key, until, item.version);
    },
  };
}

function keyOf(model: string): Key {
  return { partition: 'cooldowns', sort: model.slice(0, MAX_KEY_CHARACTERS).toWellFormed() };
}

/** A sort key ends at 512 bytes, and a model's name may be the ARN of a profile. */
const MAX_KEY_CHARACTERS = 120;
