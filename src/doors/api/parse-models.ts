import { parseModelName } from '../../core/model/model-name.ts';
import { ConfigError, messageOf } from '../../errors.ts';

/**
 * @param list names of models with commas between them, as `CADRE_API_MODELS` has them
 * @throws {ConfigError} for a text that is no name of a model
 */
export function parseModels(list = ''): string[] {
  const models = list.split(',').flatMap((name) => name.trim() || []);
  for (const model of models) {
    try {
      parseModelName(model);
    } catch (error) {
      throw new ConfigError(`CADRE_API_MODELS: ${messageOf(error)}`, { cause: error });
    }
  }
  return models;
}
